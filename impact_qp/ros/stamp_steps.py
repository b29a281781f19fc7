# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Whether the states that a controller answers one by one are a control period apart. No ROS."""

from __future__ import annotations

from impact_ros.messages import NANOSECONDS

TOLERANCE = 0.01  # of a period: a simulation's stamps do not jitter
LATE = 2  # steps in a row that are too long: one is a state that comes late


class StampSteps:
    """Compares the step of the stamps with the control period, where no state is passed over.

    A command moves the arm by what a period allows. If the states are nearer to each other, the
    arm is as much faster than the controller knows.

    Attributes:
        right: the states are a period apart, as far as is known; False before the second one.
        problem: why the arm must not move, "" while it may.
    """

    def __init__(self, period: float) -> None:
        """Expect steps of a period [s]."""
        self._period = round(period * NANOSECONDS)
        self._start_anew(None)

    def _start_anew(self, stamp: int | None) -> None:
        self._stamp, self._late = stamp, 0
        self.right, self.problem = False, ""

    def take(self, stamp: int) -> None:
        """Take a state's stamp [ns]; a repeated one says nothing, an earlier one starts anew."""
        if self._stamp is None or stamp < self._stamp:
            self._start_anew(stamp)
            return
        step, self._stamp = stamp - self._stamp, stamp
        if step == 0:
            return
        self._late = self._late + 1 if step > (1.0 + TOLERANCE) * self._period else 0
        wrong = step < (1.0 - TOLERANCE) * self._period or self._late >= LATE
        self.problem = self._in_words(step) if wrong else ""
        self.right = not wrong and (self.right or not self._late)

    def _in_words(self, step: int) -> str:
        """Return what is wrong with a step [ns]."""
        expected, rate = self._period * 1e-6, NANOSECONDS / step
        return (
            f"joint_states in lockstep: expected stamps {expected:g} ms apart"
            f" (rate {NANOSECONDS / self._period:g}), got {step * 1e-6:g} ms; set rate to {rate:g}"
        )
