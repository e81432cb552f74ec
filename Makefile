# Stet: `make demo` starts everything, `make test` tests it. Python 3.11+, make and git will do.
PYTHON ?= python3
MINUTES ?= 20
PY := .venv/bin/python
BOOTSTRAP := $(PYTHON) platform/stet/stack/bootstrap.py
CATALOGUE := --no-obsolete --no-location --ignore .venv --ignore .stet --ignore tests --ignore "static/vendor/*"
export PYTHONUNBUFFERED := 1

.DEFAULT_GOAL := help
.PHONY: help demo setup test check-deep check-deep-slice bench reproduce lint format messages clean

help:
	@echo "make demo              start everything on this machine, print the address and the sign-ins"
	@echo "                       ARGS='--traces FILE --math FILE' imports such files as well"
	@echo "make test              install what the tests need, then run them (ARGS='-k name' picks)"
	@echo "make check-deep        the long tests; check-deep-slice runs MINUTES=$(MINUTES) of them"
	@echo "make bench             measure; ONLY=P1,P3 picks"
	@echo "make reproduce         the experiment of a published system: NAME=agentguard PROFILE=full"
	@echo "make lint              ruff, mypy, import contracts, layout, migrations; make format"
	@echo "make messages          collect and compile the translations"
	@echo "make clean             remove caches; 'rm -rf .venv .stet' removes the install and the data"

demo:
	@$(BOOTSTRAP) embedded model
	@exec $(PY) -m stet.stack.demo $(ARGS)

setup:
	@$(BOOTSTRAP) embedded model train dev
	@$(PY) -m stet.stack.browser
	@$(PY) -m stet.stack.messages
	@[ -n "$$VLLM_URL" ] || $(PY) -m stet.stack.model

test: setup
	$(PY) -m pytest -m "not deep" $(ARGS)

check-deep: setup
	$(PY) -m tests.deep -- $(ARGS)

check-deep-slice: setup
	$(PY) -m tests.deep --minutes $(MINUTES) -- $(ARGS)

reproduce: setup
	$(PY) -m training.reproductions $(NAME) --profile $(or $(PROFILE),smoke) $(ARGS)

bench: setup
	@ONLY="$(ONLY)" $(PY) -m tests.bench $(ARGS)

lint: export DJANGO_SETTINGS_MODULE = tests.settings
lint: export SECRET_KEY = only-for-lint-00000000000000000000000000000000
lint:
	$(PY) tests/layout.py
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	.venv/bin/lint-imports
	$(PY) manage.py check
	$(PY) -W ignore manage.py makemigrations --check --dry-run

format:
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

messages: export DJANGO_SETTINGS_MODULE = tests.settings
messages:
	@command -v xgettext >/dev/null || { echo "Collecting needs GNU gettext (apt-get install gettext)."; exit 1; }
	$(PY) -W ignore manage.py makemessages -l zh_Hans $(CATALOGUE)
	$(PY) -W ignore manage.py makemessages -l zh_Hans -d djangojs $(CATALOGUE)
	$(PY) -m stet.stack.messages

clean:
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis test-results
	find . -path ./.venv -prune -o -name __pycache__ -type d -print | xargs rm -rf
	find platform -name '*.mo' -delete
