"""While the model keeps somebody waiting, everything else is answered and nothing is lost."""

from __future__ import annotations

from stet.traces.models import Correction, Generation
from tests.live.stack import Stack
from tests.live.test_kill_web import streaming


def test_a_model_that_does_not_answer_holds_up_no_work(stack: Stack) -> None:
    model = stack.scripted(ttft_ms=1, itl_ms=2, tokens=40)
    web = stack.web(model)
    first, second = stack.api(web), stack.api(web)
    done, generation, tab = streaming(stack, second, tokens=1)
    tab.end(generation)
    tab.close()
    model.mode("slow_first", seconds=300)
    waits, asked, idle = streaming(stack, first, tokens=0)
    # Of the one who waits: reads, and a draft of the answers.
    assert first.tree(waits)["generation"]["status"] == "running"
    headers = {"If_Match": '"0"'}
    kept = first.call("PUT", f"/episodes/{waits}/draft", {"answers": {}, "active_ms": 5}, **headers)
    assert kept.status == 204
    # Of another: corrections, undo, submit.
    tree = second.tree(done)
    segment = tree["head"]["segment"]
    for number in range(3):
        body = {
            "if_head": 1 + number,
            "segment": segment,
            "index": 4,
            "choice": {"text": f" then {number}"},
            "continue": False,
        }
        second.good(f"/episodes/{done}/corrections", body)
    target = second.tree(done)["undo"]
    second.good(f"/episodes/{done}/head", {"if_head": 4, **target, "how": "undo"})
    second.good(f"/episodes/{done}/submit", {"if_head": 5, "answers": {}})
    assert Correction.objects.filter(episode=done).count() == 3
    assert Generation.objects.get(pk=asked).status == "running"
    # The one who waits can leave it, and the answer that never came is no loss.
    assert first.good(f"/generations/{asked}/stop")["status"] == "stopped"
    assert idle.end(asked)["status"] == "stopped"
    for part in (idle, first, second):
        part.close()
    for server in (web, model):
        server.stop()
