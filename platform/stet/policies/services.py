"""What is written of policy versions: registered once, activated for a project."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from stet.common.errors import Invalid
from stet.policies.chat import load_chat_template
from stet.policies.models import Activation, PolicyVersion
from stet.policies.tokenizer import load_tokenizer
from stet.projects.models import Project

CHUNK = 1 << 20


@transaction.atomic
def policy_register(
    *, name: str, served_name: str, folder: Path, max_len: int, engine: dict[str, Any]
) -> PolicyVersion:
    """The version of what is served under a name; the same hashes give the same row.

    Raises Invalid when the folder holds no tokenizer with an end token.
    """
    tokenizer = load_tokenizer(folder)
    if not tokenizer.eos_ids:
        raise Invalid(_("The tokenizer folder names no end token."), code="no_end_token")
    values = {
        "served_name": served_name,
        "base_model": name,
        "base_sha256": weights_sha256(folder),
        "tokenizer_dir": str(folder),
        "tokenizer_sha256": tokenizer.sha256,
        "chat_template_sha256": load_chat_template(folder).sha256,
        "eos_token_ids": list(tokenizer.eos_ids),
        "vocab_size": tokenizer.vocab_size,
        "max_len": max_len,
        "engine": engine,
    }
    versions = PolicyVersion.objects.filter(name=name)
    same = versions.filter(**values).order_by("-version").first()
    if same is not None:
        return same
    latest = versions.order_by("-version").first()
    return PolicyVersion.objects.create(
        name=name, version=latest.version + 1 if latest else 1, parent=latest, **values
    )


@transaction.atomic
def policy_activate(*, project: Project, policy: PolicyVersion, author: Any) -> Activation:
    """From now on the project samples from this version; repeating it adds nothing."""
    latest = Activation.objects.filter(project=project).order_by("-pk").first()
    if latest is not None and latest.policy_id == policy.pk:
        return latest
    return Activation.objects.create(project=project, policy=policy, author=author)


def policy_ensure_default(user: Any, project: Project | None = None) -> PolicyVersion:
    """Register what the installation serves, and activate it for ``project``."""
    folder = settings.TOKENIZER_DIR
    policy = policy_register(
        name=settings.VLLM_MODEL,
        served_name=settings.VLLM_MODEL,
        folder=folder,
        max_len=settings.VLLM_MAX_LEN,
        engine={"name": "vllm", "version": settings.VLLM_VERSION, "dtype": settings.VLLM_DTYPE},
    )
    if project is not None:
        policy_activate(project=project, policy=policy, author=user)
    return policy


def weights_sha256(folder: Path) -> str:
    """One hash over the weight files of a folder, by name; empty where only a tokenizer lies."""
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        return ""
    note = folder / "weights.sha256.json"
    state = {path.name: [path.stat().st_size, path.stat().st_mtime_ns] for path in files}
    if note.exists():
        known = json.loads(note.read_text())
        if known.get("state") == state:
            return str(known["sha256"])
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as stream:
            while block := stream.read(CHUNK):
                digest.update(block)
    try:
        note.write_text(json.dumps({"state": state, "sha256": digest.hexdigest()}))
    except OSError:
        return digest.hexdigest()
    return digest.hexdigest()
