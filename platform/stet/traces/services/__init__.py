"""What is written of traces: one file per noun, every act of a person in one transaction."""

from stet.traces.services.correction import (
    correction_check,
    correction_make,
    correction_reason,
    preview,
)
from stet.traces.services.episode import episode_begin, episode_lock, episode_move
from stet.traces.services.foreign import foreign_add
from stet.traces.services.generation import continue_from_head, generation_stop, settle
from stet.traces.services.head import head_check, head_move
from stet.traces.services.lookahead import Claim, lookahead_begin, lookahead_cancel
from stet.traces.services.segment import segment_append
from stet.traces.services.signal import Said, signals_add
from stet.traces.services.turn import turn_add, turn_check

__all__ = [
    "Claim",
    "Said",
    "continue_from_head",
    "correction_check",
    "correction_make",
    "correction_reason",
    "episode_begin",
    "episode_lock",
    "episode_move",
    "foreign_add",
    "generation_stop",
    "head_check",
    "head_move",
    "lookahead_begin",
    "lookahead_cancel",
    "preview",
    "segment_append",
    "settle",
    "signals_add",
    "turn_add",
    "turn_check",
]
