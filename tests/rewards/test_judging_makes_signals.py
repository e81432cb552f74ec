"""A source is asked about an episode; what it says becomes signals, once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rewards.registry import Source, sources
from rewards.services import episode_judge
from rewards.verdict import Trace, Verdict, binary
from stet.common.jobs import job_run
from stet.common.models import Job, Outbox
from stet.traces.models import Episode, Segment, Signal
from tests.annotate.test_signals import run
from tests.conftest import Client
from tests.traces.conftest import episode, policy, segment

__all__ = ["episode", "policy", "run", "segment"]


def judging(name: str, *verdicts: Verdict) -> Source:
    def said(trace: Trace) -> Iterator[Verdict]:
        yield from verdicts

    return Source(name, "1", said)


def test_verdicts_stand_where_they_belong(run: Episode) -> None:
    source = judging(
        "calls",
        Verdict(binary(True).kind, True, call=1),
        Verdict(binary(True).kind, False, step=1),
        binary(True),
        binary(False),
    )
    assert episode_judge(run, [source]).added == 4
    levels = list(Signal.objects.order_by("pk").values_list("span__level", "span__ordinal", "key"))
    assert levels == [("call", 1, ""), ("step", 1, ""), ("episode", 0, "0"), ("episode", 0, "1")]
    assert episode_judge(run, [source]).same == 4


def test_a_source_that_fails_silences_no_other(
    run: Episode, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(trace: Trace) -> Iterator[Verdict]:
        yield binary(True)
        raise RuntimeError("no")

    outcome = episode_judge(run, [Source("broken", "1", broken), judging("fine", binary(True))])
    assert outcome.added == 1
    assert "broken failed" in caplog.text


def test_an_episode_is_judged_on_request(
    as_reviewer: Client, as_annotator: Client, episode: Episode, segment: Segment
) -> None:
    path = f"/api/v1/episodes/{episode.pk}/diagnose"
    assert as_annotator.act(path).status_code == 403
    assert as_reviewer.act(path, {"source": "nobody"}).status_code == 404
    said = as_reviewer.act(path)
    assert said.status_code == 202
    assert Outbox.objects.filter(job="stet.job_run").exists()
    job_run(said.json()["id"])
    job = Job.objects.get(pk=said.json()["id"])
    assert job.status == "done", job.error
    found = set(Signal.objects.values_list("source", flat=True))
    assert {"length"} <= found <= set(sources())
    assert all(signal.author is None for signal in Signal.objects.all())
