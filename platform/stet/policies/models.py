"""Policy versions."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from stet.common.models import AppendOnlyModel


class PolicyVersion(AppendOnlyModel):
    """The exact thing sampled from: base model, adapter, tokenizer and template. Immutable.

    ``served_name`` is what vLLM calls it. ``max_len`` counts tokens of prompt and answer together.
    """

    name = models.CharField(max_length=120)
    version = models.PositiveIntegerField()
    served_name = models.CharField(max_length=200)
    base_model = models.CharField(max_length=200)
    base_sha256 = models.CharField(max_length=64, blank=True)
    adapter_name = models.CharField(max_length=200, blank=True)
    adapter_sha256 = models.CharField(max_length=64, blank=True)
    tokenizer_dir = models.CharField(max_length=500)
    tokenizer_sha256 = models.CharField(max_length=64)
    chat_template_sha256 = models.CharField(max_length=64)
    eos_token_ids = ArrayField(models.IntegerField())
    vocab_size = models.PositiveIntegerField()
    max_len = models.PositiveIntegerField()
    logprobs_mode = models.CharField(max_length=24, default="processed_logprobs")
    engine = models.JSONField(default=dict)
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="policy_version_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


class Activation(AppendOnlyModel):
    """From now on a project samples from this policy version; the latest row counts."""

    project = models.ForeignKey(
        "projects.Project", on_delete=models.PROTECT, related_name="activations"
    )
    policy = models.ForeignKey(PolicyVersion, on_delete=models.PROTECT)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)
