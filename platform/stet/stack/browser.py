"""Find or fetch the Chromium that the browser tests drive: ``python -m stet.stack.browser``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from stet.stack.paths import LOGS
from stet.stack.terminal import Step, say

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
APT_PACKAGES = ("chromium", "fonts-noto-cjk")
BY_HAND = "install chromium and fonts-noto-cjk, or set CHROMIUM to the path of one"


def browser() -> str | None:
    """The path of a Chromium on this machine, or None. CHROMIUM names one of your own."""
    own = os.environ.get("CHROMIUM")
    if own:
        return shutil.which(own)
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def has_chinese_font() -> bool:
    """Whether pages in Chinese can be drawn, as far as fontconfig knows."""
    if not shutil.which("fc-list"):
        return False
    listed = subprocess.run(["fc-list", ":lang=zh"], capture_output=True, check=False)
    return bool(listed.stdout.strip())


def main() -> int:
    """Install what is missing where that needs nobody. Returns 1 when it must be done by hand."""
    if browser() and has_chinese_font():
        return 0
    if os.environ.get("CHROMIUM") and not browser():
        say(f"CHROMIUM: there is no program at {os.environ['CHROMIUM']}.")
        return 1
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        if browser():
            say("No Chinese font found: Chinese text in screenshots will be empty boxes.")
            return 0
        say(f"The browser tests need Chromium: {BY_HAND}, then run again.")
        return 1
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / "browser.log"
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *APT_PACKAGES]
    with Step("Installing Chromium and a Chinese font", "1-4 minutes"), log.open("w") as out:
        for command in (["apt-get", "update"], install):
            ended = subprocess.run(command, env=environ, stdout=out, stderr=out, check=False)
    if ended.returncode or not browser():
        say(f"apt-get failed: see {log}, or {BY_HAND}.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
