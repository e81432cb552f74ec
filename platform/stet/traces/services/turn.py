"""A further user or tool turn behind a sampled answer."""

from __future__ import annotations

from pathlib import Path as Folder
from typing import Any

from django.utils.translation import gettext as _

from stet.common.errors import Invalid
from stet.common.transactions import joins_act
from stet.policies.chat import Rendered, load_chat_template
from stet.traces import selectors
from stet.traces.dialogue import conversation
from stet.traces.models import Act, Episode, Origin, Span
from stet.traces.paths import Path
from stet.traces.services.episode import PromptTooLong, episode_lock, episode_move
from stet.traces.services.generation import Running
from stet.traces.services.segment import segment_append


@joins_act
def turn_add(
    *, user: Any, episode_id: int, if_head: int, messages: list[dict[str, Any]]
) -> Episode:
    """Append user or tool messages: the template's text after the last end token, encoded alone.

    What was sampled is never rendered again: the old ids are a prefix of the new.
    """
    episode = episode_lock(episode_id, if_head)
    if episode.policy is None:
        raise Invalid(_("This episode was not sampled here: it has no policy."), code="no_policy")
    head = selectors.head_resolved(episode.head_segment_id, episode.head_length)
    if head is None:
        raise Running(_("Stop it first; nothing was changed."))
    path = selectors.path_to(*head)
    rendered = _rendered(episode, path, messages)
    origin = Origin.TOOL if all(m["role"] == "tool" for m in messages) else Origin.PROMPT
    segment = segment_append(episode=episode, path=path, ids=rendered.ids, origin=origin)
    Span.objects.bulk_create(
        Span(
            segment=segment,
            level=Span.Level.MESSAGE,
            role=span.role,
            ordinal=span.index,
            start=segment.start + span.start,
            end=segment.start + span.end,
        )
        for span in rendered.spans
        if span.end > span.start
    )
    episode_move(episode, Act.Kind.TURN, user, head=(segment.pk, segment.length))
    return episode


def turn_check(*, episode: Episode, messages: list[dict[str, Any]]) -> None:
    """Raise what `turn_add` will, before the stream at the head is stopped for it."""
    if episode.policy is not None:
        _rendered(episode, selectors.head_path(episode), messages)


def _rendered(episode: Episode, path: Path, messages: list[dict[str, Any]]) -> Rendered:
    """The turn behind a path that ends in an answer. Raises Invalid where it cannot stand."""
    policy = episode.policy
    assert policy is not None
    if len(path.pieces) == 1 or path.tip.segment.origin in {Origin.PROMPT, Origin.TOOL}:
        raise Invalid(_("There is no answer yet to reply to."), code="no_answer")
    ended = path.ids[-1] in policy.eos_token_ids
    template = load_chat_template(Folder(policy.tokenizer_dir))
    before = conversation(episode, path)
    rendered = template.turn(before, messages, ended=ended, tools=episode.task.tools)
    if path.length + len(rendered.ids) >= policy.max_len:
        raise PromptTooLong(
            _("%(policy)s takes %(count)d tokens; nothing was changed.")
            % {"policy": policy, "count": policy.max_len}
        )
    return rendered
