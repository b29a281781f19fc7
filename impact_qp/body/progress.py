# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Progress of a grab, reported with each command in this process or by a message."""

from __future__ import annotations

from typing import Any, NamedTuple

from impact_qp.body.phases import GrabState


class GrabProgress(NamedTuple):
    """Progress of a grab."""

    phase: str
    box: int  # index of the box
    touched: tuple[float, float]  # contact times since the first state; NaN: not yet [s]
    bound: float  # on the palms' speed; inf: unbounded, NaN: not computed [m/s]
    solved: bool  # false: the last command is held
    failure: str  # why the grab failed or was stopped

    @classmethod
    def of(cls, state: GrabState, bound: float, solved: bool) -> GrabProgress:
        """Return the progress from phases and a command."""
        return cls(state.phase, state.box, state.touched, bound, solved, state.failure)

    @property
    def held(self) -> bool:
        """Whether the grab was stopped, and no program is solved any more."""
        return bool(self.failure) and not self.solved

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of an impact_msgs/GrabStatus."""
        left, right = self.touched
        return {
            "phase": self.phase,
            "box": self.box,
            "left_touched": left,
            "right_touched": right,
            "speed_bound": self.bound,
            "solved": self.solved,
            "failure": self.failure,
        }

    @classmethod
    def from_message(cls, message: Any) -> GrabProgress:
        """Return the progress in an impact_msgs/GrabStatus."""
        return cls(
            message.phase,
            message.box,
            (message.left_touched, message.right_touched),
            message.speed_bound,
            message.solved,
            message.failure,
        )


def mode_of(phase: str, *, held: bool) -> str:
    """Return the name of the mode of a phase, or of a robot that is held instead."""
    if held or phase == "rest":
        return "hold"
    return {"approach": "approach", "back": "retract"}.get(phase, "press")
