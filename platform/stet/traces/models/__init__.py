"""The rows of a trace, one file per noun."""

from stet.traces.models.episode import Act, Correction, CorrectionReason, Episode
from stet.traces.models.generation import Chunk, Generation
from stet.traces.models.segment import Candidates, Origin, Segment, Span
from stet.traces.models.signal import Signal
from stet.traces.models.ticket import SocketTicket

__all__ = [
    "Act",
    "Candidates",
    "Chunk",
    "Correction",
    "CorrectionReason",
    "Episode",
    "Generation",
    "Origin",
    "Segment",
    "Signal",
    "SocketTicket",
    "Span",
]
