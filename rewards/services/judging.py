"""Asking sources about an episode, and keeping what they say as signals."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path as Folder

from django.utils.translation import gettext as _

from rewards.registry import Source, sources
from rewards.verdict import TASK, Trace, Verdict
from stet.common.errors import NotFound
from stet.policies.tokenizer import load_tokenizer
from stet.traces.models import Episode
from stet.traces.places import Located, Place, located
from stet.traces.services import Said, signals_add
from stet.traces.services.signal import Recorded

log = logging.getLogger(__name__)


def source_named(name: str) -> Source:
    """Raises NotFound for a name that no source has."""
    found = sources().get(name)
    if found is None:
        names = ", ".join(sources())
        raise NotFound(_("There is no such source; there are: %(names)s.") % {"names": names})
    return found


def trace_of(episode: Episode, where: Located) -> Trace:
    """What a source is told of an episode."""
    task = {name: getattr(episode.task, name) for name in TASK}
    steps = where.run.steps
    last = where.messages.get(steps[-1].message) if steps else None
    text = steps[-1].text if steps else ""
    ids = list(where.path.ids[last[0] : last[1]]) if last else None
    if episode.policy is not None and ids is not None:
        texts = load_tokenizer(Folder(episode.policy.tokenizer_dir))
        text = texts.text_of(i for i in ids if not texts.is_special(i))
    return Trace(task, text, ids, where.run)


def episode_judge(episode: Episode, asked: Iterable[Source]) -> Recorded:
    """Ask each source about the head of an episode and keep what it says; one that fails is logged
    and silences no other."""
    where = located(episode)
    trace = trace_of(episode, where)
    found: list[Said] = []
    for source in asked:
        try:
            found += _said(list(source.verdicts(trace)), where)
        except Exception:
            log.exception("source %s failed on episode %s", source.name, episode.pk)
    items = [(number, episode, said) for number, said in enumerate(found)]
    outcome = signals_add(project=episode.task.project, author=None, items=items)
    for _number, error in outcome.errors:
        log.warning("a verdict about episode %s was not kept: %s", episode.pk, error.detail)
    return outcome


def _said(verdicts: list[Verdict], where: Located) -> Iterator[Said]:
    """Verdicts at their places; several about one thing without a key are numbered."""
    things = Counter((one.step, one.call) for one in verdicts if not one.key)
    numbers: Counter[tuple[int | None, int | None]] = Counter()
    for one in verdicts:
        place = place_of(one, where)
        if place is None:
            continue
        key, thing = one.key, (one.step, one.call)
        if not key and things[thing] > 1:
            key = str(numbers[thing])
            numbers[thing] += 1
        yield Said(place, one.kind, one.value, one.source, one.version, key, dict(one.evidence))


def place_of(verdict: Verdict, where: Located) -> Place | None:
    """Where a verdict belongs, None for a step or call without text. Raises IndexError."""
    if verdict.call is not None:
        return where.call(verdict.call)
    return where.step(verdict.step) if verdict.step is not None else where.whole()
