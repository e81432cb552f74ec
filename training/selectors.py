"""What is read of datasets and exports, and how submissions are loaded for a target."""

from __future__ import annotations

import hashlib
import hmac
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path as Folder
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotate.models import Submission
from stet.accounts.models import User
from stet.accounts.roles import Role
from stet.common.errors import NotFound
from stet.policies.models import PolicyVersion
from stet.policies.tokenizer import Tokenizer, load_tokenizer
from stet.projects.models import Project
from stet.projects.selectors import role_check
from stet.traces.models import (
    Act,
    Candidates,
    Correction,
    CorrectionReason,
    Episode,
    Generation,
    Segment,
    Span,
)
from stet.traces.models.segment import SPOKEN
from stet.traces.paths import path_of
from training.models import Dataset, Export
from training.selection import Entry
from training.trajectory import Trajectory


def projects_of(user: User) -> QuerySet[Project]:
    """The projects whose datasets and exports the user may see."""
    return Project.objects.for_member(user, Role.RESEARCHER)


def dataset_list(user: User) -> QuerySet[Dataset]:
    return Dataset.objects.filter(project__in=projects_of(user)).select_related("project")


def export_list(user: User) -> QuerySet[Export]:
    mine = Export.objects.filter(dataset__project__in=projects_of(user))
    return mine.select_related("dataset__project", "job").prefetch_related("files")


def access_dataset(user: User, pk: int) -> Dataset:
    """The dataset; 404 for a stranger, 403 for a member below researcher."""
    found = Dataset.objects.select_related("project").filter(pk=_key(pk)).first()
    _check(user, found.project_id if found else None)
    assert found is not None
    return found


def access_export(user: User, pk: int) -> Export:
    """The export; 404 for a stranger, 403 for a member below researcher."""
    rows = Export.objects.select_related("dataset__project", "job").prefetch_related("files")
    found = rows.filter(pk=_key(pk)).first()
    _check(user, found.dataset.project_id if found else None)
    assert found is not None
    return found


def _key(pk: int) -> int:
    return pk if 0 < pk < 2**63 else 0


def _check(user: User, project: int | None) -> None:
    mine = Project.objects.for_member(user).filter(pk=project or 0)
    own = mine.values_list("memberships__role", flat=True).first()
    if own is None:
        raise NotFound()
    role_check(str(own), Role.RESEARCHER)


def trajectories(
    entries: list[Entry], watermark: datetime, *, candidates: bool
) -> Iterator[list[Trajectory]]:
    """The submissions with all that was written for them up to the watermark, task by task.

    A constant number of queries, whatever the number of submissions.
    """
    submissions = Submission.objects.select_related("episode__task", "episode__policy")
    handed_in = submissions.in_bulk([one.submission for one in entries if one.submission])
    episodes = Episode.objects.select_related("task")
    imported = episodes.in_bulk([one.episode for one in entries if one.submission is None])
    rows = [
        handed_in[one.submission] if one.submission else _as_imported(imported[one.episode])
        for one in entries
    ]
    load = _Load(rows, watermark, candidates)
    group: list[Trajectory] = []
    for row in rows:
        if group and group[0].task.pk != row.episode.task_id:
            yield group
            group = []
        group.append(load.trajectory(row))
    if group:
        yield group


def _as_imported(episode: Episode) -> Submission:
    """What stands for the submission of an imported episode; it is never stored."""
    assert episode.head_length is not None
    return Submission(
        episode=episode,
        n=0,
        head_segment_id=episode.head_segment_id,
        head_length=episode.head_length,
        author_id=episode.author_id,
        created_at=episode.created_at,
    )


class _Load:
    """The rows of many submissions, each read once."""

    def __init__(self, rows: list[Submission], watermark: datetime, candidates: bool) -> None:
        episodes = [row.episode_id for row in rows]
        tasks = {row.episode.task_id for row in rows}
        self.snapshot = watermark.isoformat()
        until = {"created_at__lte": watermark}
        mine = Q(episode_id__in=episodes) | Q(episode_id__isnull=True, task_id__in=tasks)
        segments = list(Segment.objects.filter(mine, **until).order_by("created_at", "id"))
        self.own: dict[int, list[Segment]] = defaultdict(list)
        self.shared: dict[tuple[int, int], list[Segment]] = defaultdict(list)
        for segment in segments:
            if segment.episode_id is None:
                self.shared[segment.task_id, segment.round].append(segment)
            else:
                self.own[segment.episode_id].append(segment)
        keys = [segment.pk for segment in segments]
        self.generations = {
            row.segment_id: row for row in Generation.objects.filter(segment_id__in=keys)
        }
        self.spans: dict[UUID, tuple[Span, ...]] = {}
        for span in Span.objects.filter(SPOKEN, segment_id__in=keys).order_by("pk"):
            self.spans[span.segment_id] = (*self.spans.get(span.segment_id, ()), span)
        acts = Act.objects.filter(episode_id__in=episodes, **until)
        self.heads: dict[int, set[UUID]] = defaultdict(set)
        for episode, head in acts.values_list("episode_id", "head_segment_id"):
            self.heads[episode].add(head)
        self.corrections: dict[int, list[Correction]] = defaultdict(list)
        made = Correction.objects.filter(episode_id__in=episodes, **until).order_by("pk")
        for correction in made:
            self.corrections[correction.episode_id].append(correction)
        reasons = CorrectionReason.objects.filter(correction__episode_id__in=episodes, **until)
        self.reasons = dict(reasons.order_by("pk").values_list("correction_id", "reason"))
        used = {segment.policy_id for segment in segments if segment.policy_id}
        self.policies = PolicyVersion.objects.in_bulk(list(used))
        self.candidates = Candidates.objects.in_bulk(keys) if candidates else {}

    def trajectory(self, row: Submission) -> Trajectory:
        tree = self._tree(row)
        policy = row.episode.policy
        used = {segment.policy_id for segment in tree.values()}
        texts, pad = _texts(policy)
        return Trajectory(
            submission=row,
            tree=tree,
            policy=policy,
            policies={pk: one for pk, one in self.policies.items() if pk in used},
            texts=texts,
            pad_token_id=pad,
            generations=self.generations,
            candidates=self.candidates,
            spans=self.spans,
            corrections=tuple(self.corrections.get(row.episode_id, ())),
            reasons=self.reasons,
            annotator=annotator_hash(row.author_id),
            snapshot=self.snapshot,
        )

    def _tree(self, row: Submission) -> dict[UUID, Segment]:
        """The episode's own segments and the shared ones that it stands on or once stood on."""
        own = self.own.get(row.episode_id, [])
        shared = self.shared[row.episode.task_id, row.episode.round]
        known = {segment.pk: segment for segment in (*shared, *own)}
        tips = [segment.pk for segment in own] + [row.head_segment_id]
        tips += [head for head in self.heads[row.episode_id] if head in known]
        used: set[UUID] = set()
        for tip in tips:
            if tip not in used:
                used.update(piece.segment.pk for piece in path_of(known, tip).pieces)
        root = path_of(known, row.head_segment_id).root.pk
        every = (*shared, *own)
        kept = {s.pk: s for s in every if s.pk in used}
        return {pk: s for pk, s in kept.items() if path_of(kept, pk).root.pk == root}


def annotator_hash(user_id: int) -> str:
    """A name for a person that nobody outside can turn back; the same in every export."""
    key = settings.SECRET_KEY.encode()
    return hmac.new(key, f"annotator:{user_id}".encode(), hashlib.sha256).hexdigest()[:16]


def _texts(policy: PolicyVersion | None) -> tuple[Tokenizer | None, int | None]:
    """The policy's tokenizer and its pad token, if its folder still holds the same tokenizer."""
    if policy is None:
        return None, None
    folder = Folder(policy.tokenizer_dir)
    tokenizer = load_tokenizer(folder)
    if tokenizer.sha256 != policy.tokenizer_sha256:
        raise NotFound(
            _("The folder of %(policy)s holds another tokenizer than the one it sampled with.")
            % {"policy": policy},
            code="tokenizer_differs",
        )
    return tokenizer, _pad(tokenizer)


def _pad(tokenizer: Tokenizer) -> int | None:
    name = tokenizer.names.get("pad_token")
    return next((i for i, text in tokenizer.special.items() if text == name), None)


def policies_of(found: Iterable[Trajectory]) -> dict[str, Any]:
    """What a manifest says of the policies that the trajectories were sampled from."""
    return {
        str(policy): {
            "id": policy.pk,
            "base_model": policy.base_model,
            "base_sha256": policy.base_sha256 or None,
            "adapter_name": policy.adapter_name or None,
            "adapter_sha256": policy.adapter_sha256 or None,
            "tokenizer_sha256": policy.tokenizer_sha256,
            "chat_template_sha256": policy.chat_template_sha256,
            "eos_token_ids": list(policy.eos_token_ids),
        }
        for one in found
        for policy in one.policies.values()
    }
