# The site: web server, worker and relay run from this one image. EXTRAS=train adds the trainers.
FROM python:3.11-slim-bookworm
ARG EXTRAS=""
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1
WORKDIR /stet
COPY pyproject.toml README.md ./
COPY platform platform
COPY annotate annotate
COPY rewards rewards
COPY training training
RUN pip install --editable ".${EXTRAS:+[$EXTRAS]}" && python -m stet.stack.messages
COPY manage.py ./
COPY templates templates
COPY static static
RUN useradd --system --create-home stet && mkdir /data && chown stet /data
USER stet
VOLUME /data
EXPOSE 8000
CMD ["python", "-m", "uvicorn", "stet.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--ws", "websockets-sansio", "--ws-per-message-deflate", "false", "--ws-max-size", "65536", "--timeout-graceful-shutdown", "5"]
