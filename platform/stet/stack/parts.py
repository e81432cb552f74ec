"""The parts of the stack, each startable on a free port: what tests and measurements build on."""

from stet.stack.part import Part, PartFailed
from stet.stack.postgres import Postgres
from stet.stack.redis import Redis
from stet.stack.site import Relay, Web, Worker
from stet.stack.vllm import Vllm

__all__ = ["Part", "PartFailed", "Postgres", "Redis", "Relay", "Vllm", "Web", "Worker"]
