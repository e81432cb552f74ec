"""The site's settings, made fast and quiet for tests."""

import os
import tempfile

os.environ.setdefault("SECRET_KEY", "only-for-tests-" + "0" * 40)
os.environ.setdefault("STET_DATA_DIR", tempfile.mkdtemp(prefix="stet-tests-"))
if os.environ.get("STET_TEST_MODEL_DIR"):
    os.environ.setdefault("TOKENIZER_DIR", os.environ["STET_TEST_MODEL_DIR"])

from stet.settings import *  # noqa: F403
from stet.settings import DATABASES

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DATABASES["default"]["OPTIONS"].pop("pool", None)
