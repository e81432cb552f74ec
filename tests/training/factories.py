"""Episode trees as rows, made directly: no model server, no acts of a person over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from django.conf import settings

from annotate.models import Submission
from stet.accounts.models import User
from stet.common.packing import pack_floats, pack_ids
from stet.policies.models import PolicyVersion
from stet.policies.tokenizer import load_tokenizer
from stet.projects.models import Project, Task
from stet.traces.digests import segment_digest
from stet.traces.models import (
    Act,
    Candidates,
    Correction,
    Episode,
    Generation,
    Origin,
    Segment,
    Span,
)

K = 4
EOS = 2
SAMPLING = {"temperature": 1.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "max_tokens": 512}
_numbers = count(1)


def tokenizer() -> Any:
    return load_tokenizer(Path(settings.TOKENIZER_DIR))


def ids_of(text: str) -> list[int]:
    return tokenizer().encode(text)


def policy_make(**fields: Any) -> PolicyVersion:
    known = tokenizer()
    return PolicyVersion.objects.create(
        **{
            "name": f"small-{next(_numbers)}",
            "version": 1,
            "served_name": "smollm2-135m",
            "base_model": "SmolLM2-135M-Instruct",
            "base_sha256": "b" * 64,
            "tokenizer_dir": str(settings.TOKENIZER_DIR),
            "tokenizer_sha256": known.sha256,
            "chat_template_sha256": "c" * 64,
            "eos_token_ids": [2, 0],
            "vocab_size": known.vocab_size,
            "max_len": 2048,
            "engine": {"name": "vllm", "version": "0.32.0", "dtype": "float32"},
            **fields,
        }
    )


class Tree:
    """One episode under construction; ``head`` is where the next segment attaches."""

    def __init__(
        self,
        project: Project,
        author: User,
        policy: PolicyVersion,
        question: str = "What is 2+3?",
        **task: Any,
    ) -> None:
        self.author, self.policy = author, policy
        number = next(_numbers)
        self.task = Task.objects.create(
            **{
                "project": project,
                "external_id": f"task-{number}",
                "content_sha256": number.to_bytes(32, "big"),
                "messages": [{"role": "user", "content": question}],
                **task,
            }
        )
        head = ids_of("user\n")
        content = ids_of(question)
        prompt = [1, *head, *content, 2, *ids_of("\n"), 1, *ids_of("assistant\n")]
        self.root = self._segment(None, None, prompt, Origin.PROMPT, None, shared=True)
        start = 1 + len(head)
        self._message(self.root, "user", 0, start, start + len(content))
        self.episode = Episode.objects.create(
            task=self.task,
            author=author,
            policy=policy,
            sampling=SAMPLING,
            head_segment=self.root,
            head_length=self.root.length,
        )
        self.head = (self.root, self.root.length)
        self.act(Act.Kind.BEGIN)

    def act(self, kind: str, note: str = "") -> Act:
        segment, length = self.head
        made = Act.objects.create(
            episode=self.episode,
            version=self.episode.version,
            kind=kind,
            head_segment_id=segment.pk,
            head_length=length,
            author=self.author,
            note=note,
        )
        self.episode.version += 1
        self.episode.save()
        return made

    def sample(
        self,
        ids: Sequence[int],
        *,
        finish: str | None = None,
        seen: bool = False,
        sampling: dict[str, Any] | None = None,
        others: Sequence[int] = (100, 101, 102),
    ) -> Segment:
        """The model goes on from the head with ``ids``; ``others`` are the further candidates."""
        parent, fork_at = self.head
        logprobs = [-0.5 - i / 8 for i in range(len(ids))]
        segment = self._segment(parent, fork_at, ids, Origin.MODEL, logprobs, seen=seen)
        ended = ids[-1] in self.policy.eos_token_ids
        Generation.objects.create(
            segment_id=segment.pk,
            task=self.task,
            episode=self.episode,
            parent=parent,
            fork_at=fork_at,
            start=segment.start,
            policy=self.policy,
            sampling=sampling or SAMPLING,
            logprobs_mode="processed_logprobs",
            engine=self.policy.engine,
            status="done",
            finish_reason=finish or ("stop" if ended else "length"),
            n_tokens=len(ids),
        )
        lists = [[i, *others][:K] for i in ids]
        Candidates.objects.create(
            segment=segment,
            k=len(lists[0]),
            ids=pack_ids([i for one in lists for i in one]),
            logprobs=pack_floats([-0.5 - j for one in lists for j in range(len(one))]),
        )
        self.head = (segment, segment.length)
        self.act(Act.Kind.CONTINUE)
        return segment

    def correct(
        self, segment: Segment, index: int, ids: Sequence[int], *, how: str = "pick"
    ) -> Correction:
        """Replace (segment, index): a pick with a log-probability, or typed ids."""
        parent, fork_at = (segment, index) if index else (segment.parent, segment.fork_at)
        picked = how in ("pick", "end_here", "go_on")
        origin = Origin.CANDIDATE if picked else Origin.HUMAN
        logprobs = [-2.5] * len(ids) if picked else None
        new = self._segment(parent, fork_at, ids, origin, logprobs)
        old = list(memoryview(bytes(segment.ids)).cast("i"))
        correction = Correction.objects.create(
            episode=self.episode,
            segment=segment,
            index=index,
            position=segment.start + index,
            rejected=[old[index]],
            accepted=list(ids),
            new_segment=new,
            how=how,
            rank=1 if how == "pick" else None,
            typed_text="" if picked else tokenizer().text_of(ids),
            author=self.author,
        )
        self.head = (new, new.length)
        self.act(Act.Kind.CORRECT)
        return correction

    def turn(self, text: str, *, ended: bool = True) -> Segment:
        """A further user turn behind the head."""
        parent, fork_at = self.head
        opening = [*([] if ended else [EOS]), *ids_of("\n"), 1, *ids_of("user\n")]
        content = ids_of(text)
        closing = [2, *ids_of("\n"), 1, *ids_of("assistant\n")]
        segment = self._segment(
            parent, fork_at, [*opening, *content, *closing], Origin.PROMPT, None
        )
        start = segment.start + len(opening)
        self._message(segment, "user", 0, start, start + len(content))
        self.head = (segment, segment.length)
        self.act(Act.Kind.TURN)
        return segment

    def move(self, segment: Segment, length: int) -> None:
        self.head = (segment, length)
        self.act(Act.Kind.MOVE)

    def submit(self, *, accept: bool = True) -> Submission:
        """Hand in the head; a project without review accepts at once."""
        segment, length = self.head
        n = Submission.objects.filter(episode=self.episode).count() + 1
        made = Submission.objects.create(
            episode=self.episode,
            n=n,
            head_segment=segment,
            head_length=length,
            author=self.author,
        )
        status = Episode.Status.ACCEPTED if accept else Episode.Status.SUBMITTED
        self.episode.status = status
        self.act(Act.Kind.SUBMIT)
        return made

    def _segment(
        self,
        parent: Segment | None,
        fork_at: int | None,
        ids: Sequence[int],
        origin: Origin,
        logprobs: Sequence[float] | None,
        *,
        shared: bool = False,
        seen: bool = False,
    ) -> Segment:
        packed = pack_ids(ids)
        scores = None if logprobs is None else pack_floats(logprobs)
        policy = self.policy if scores is not None else None
        return Segment.objects.create(
            task=self.task,
            episode=None if shared else self.episode,
            parent=parent,
            fork_at=fork_at,
            start=0 if parent is None else parent.start + (fork_at or 0),
            length=len(ids),
            origin=origin,
            policy=policy,
            tokenizer_sha256=self.policy.tokenizer_sha256,
            ids=packed,
            logprobs=scores,
            seen_before_pick=seen,
            digest=segment_digest(
                parent_digest=bytes(parent.digest) if parent else None,
                fork_at=fork_at,
                origin=origin,
                policy_id=policy.pk if policy else None,
                ids=packed,
                logprobs=scores,
            ),
        )

    def _message(self, segment: Segment, role: str, ordinal: int, start: int, end: int) -> None:
        Span.objects.create(
            segment=segment, level="message", role=role, ordinal=ordinal, start=start, end=end
        )
