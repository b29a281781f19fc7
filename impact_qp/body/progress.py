# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the controller of a grab says with each command, in this process or by a message."""

from __future__ import annotations

from typing import Any, NamedTuple

from impact_qp.body.phases import GrabState


class GrabProgress(NamedTuple):
    """How far a grab has got."""

    phase: str
    box: int  # which one it is at
    touched: tuple[float, float]  # when each palm felt it; NaN: not yet [s]
    bound: float  # on the palms' speed; inf: none, NaN: not worked out [m/s]
    solved: bool  # false: the last command is held
    failure: str  # why it gave up or was stopped

    @classmethod
    def of(cls, state: GrabState, bound: float, solved: bool) -> GrabProgress:
        """Return that of phases and a command."""
        return cls(state.phase, state.box, state.touched, bound, solved, state.failure)

    def fields(self, zero: float = 0.0) -> dict[str, Any]:
        """Return the fields of an impact_msgs/GrabStatus; times are told from ``zero`` on [s]."""
        left, right = (touch - zero for touch in self.touched)
        return {
            "phase": self.phase,
            "box": self.box,
            "left_touched": left,
            "right_touched": right,
            "speed_bound": self.bound,
            "solved": self.solved,
            "failure": self.failure,
        }

    def status(self, *, held: bool = False) -> dict[str, Any]:
        """Return what it adds to :func:`.status_fields`; what a single surface has is unknown.

        Args:
            held: the robot is held instead.
        """
        return {"mode": mode_of(self.phase, held=held), "speed_bound": self.bound}

    @classmethod
    def from_message(cls, message: Any, zero: float) -> GrabProgress:
        """Return what an impact_msgs/GrabStatus says.

        Args:
            message: the status.
            zero: time of the first state that the controller answered [s].
        """
        touched = zero + message.left_touched, zero + message.right_touched
        return cls(
            message.phase,
            message.box,
            touched,
            message.speed_bound,
            message.solved,
            message.failure,
        )


def mode_of(phase: str, *, held: bool) -> str:
    """Return the name of the mode of a phase, or of a robot that is held instead."""
    if held or phase == "rest":
        return "hold"
    return {"approach": "approach", "back": "retract"}.get(phase, "press")
