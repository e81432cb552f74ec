"""Ways in which a stream goes wrong: each turns its events into other events and acts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto

from tests.scripted.events import DONE, error_event


class Act(Enum):
    """What the player does instead of writing."""

    HANG = auto()
    END = auto()
    CLOSE = auto()
    RESET = auto()


Step = bytes | Act


@dataclass(frozen=True, slots=True)
class Fault:
    """``after`` good tokens the fault comes; ``times`` requests have it, all if None."""

    mode: str = "ok"
    after: int = 0
    seconds: float = 5.0
    times: int | None = None

    def applied(self, events: Iterable[bytes], vocab_size: int) -> Iterator[Step]:
        """The steps of a stream with this fault."""
        if self.mode in WHOLE:
            yield from WHOLE[self.mode](events)
            return
        at = AT.get(self.mode)
        for number, event in enumerate(events):
            if at is None or number != self.after:
                yield event
                continue
            for step in at(event, vocab_size):
                yield step
                if isinstance(step, Act):
                    return


def _wrong_id(event: bytes, vocab_size: int) -> list[Step]:
    token_id = event.rsplit(b'"token_ids":[', 1)[1].split(b"]")[0]
    wrong = event.replace(b'"token_id:%b"' % token_id, b'"token_id:%d"' % vocab_size)
    return [wrong.replace(b'"token_ids":[%b]' % token_id, b'"token_ids":[%d]' % vocab_size)]


def _other_id(event: bytes, vocab_size: int) -> list[Step]:
    head, tail = event.rsplit(b'"token_ids":[', 1)
    return [head + b'"token_ids":[0' + tail[tail.index(b"]") :]]


def _value(event: bytes, value: bytes) -> bytes:
    name = event.split(b'"tokens":["', 1)[1].split(b'"')[0]
    own = event.split(b'"token_logprobs":[', 1)[1].split(b"]")[0]
    event = event.replace(b'"token_logprobs":[%b]' % own, b'"token_logprobs":[%b]' % value)
    return event.replace(b'"%b":%b' % (name, own), b'"%b":%b' % (name, value))


def _half_utf8(event: bytes, vocab_size: int) -> list[Step]:
    return [event.replace(b'"text":"', b'"text":"\xf0\x9f\x98', 1)]


AT: dict[str, Callable[[bytes, int], list[Step]]] = {
    "hang": lambda event, _: [Act.HANG],
    "truncated": lambda event, _: [event[: len(event) // 2], Act.END],
    "cut": lambda event, _: [event[: len(event) // 2], Act.CLOSE],
    "reset": lambda event, _: [Act.RESET],
    "half_utf8": _half_utf8,
    "bad_json": lambda event, _: [event.replace(b'"logprobs":{', b'"logprobs":{{', 1)],
    "duplicate": lambda event, _: [event, event],
    "wrong_id": _wrong_id,
    "other_id": _other_id,
    # The real server writes NaN as null.
    "nan": lambda event, _: [_value(event, b"null")],
    "bare_nan": lambda event, _: [_value(event, b"NaN")],
    "error": lambda event, _: [error_event("EngineCore encountered an issue.", 500), DONE, Act.END],
    "refused": lambda event, _: [
        error_event("Token id 7 is out of vocabulary", 400),
        DONE,
        Act.END,
    ],
}


def _no_done(events: Iterable[bytes]) -> Iterator[Step]:
    for event in events:
        yield event
        if b'"finish_reason":"' in event:
            yield Act.END
            return


def _no_end(events: Iterable[bytes]) -> Iterator[Step]:
    yield from (event for event in events if b'"finish_reason":"' not in event)


def _split(events: Iterable[bytes]) -> Iterator[Step]:
    for event in events:
        yield from (event[at : at + 97] for at in range(0, len(event), 97))


def _crlf(events: Iterable[bytes]) -> Iterator[Step]:
    yield b": a comment\r\nretry: 1000\r\n\r\n"
    for event in events:
        yield event.replace(b"\n\n", b"\r\n\r\n")


WHOLE: dict[str, Callable[[Iterable[bytes]], Iterator[Step]]] = {
    "no_done": _no_done,
    "no_end": _no_end,
    "split": _split,
    "crlf": _crlf,
}
MODES = {"ok", "slow_first", "500", "400", "503", *AT, *WHOLE}
