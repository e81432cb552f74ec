"""What programs that judge write: one file per noun."""

from rewards.services.guard import guard_check, rule_add, rule_move, rules_mine
from rewards.services.judging import episode_judge, source_named

__all__ = [
    "episode_judge",
    "guard_check",
    "rule_add",
    "rule_move",
    "rules_mine",
    "source_named",
]
