# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Checks that the states answered in lockstep are one control period apart. No ROS."""

from __future__ import annotations

from impact_ros.messages import NANOSECONDS

TOLERANCE = 0.01  # of a period: a simulation's stamps do not jitter
LATE = 2  # long steps in a row that are an error: a single one is a late state


class StampSteps:
    """Compares the steps of the stamps with the control period, if every state is answered.

    A command moves the arm by the motion of one period. If the states are closer together, the arm
    is faster than the controller assumes by the same ratio.

    Attributes:
        right: the states are one period apart, as far as known; False before the second one.
        problem: why the arm must not move, "" if it may.
    """

    def __init__(self, period: float) -> None:
        """Expect steps of a period [s]."""
        self._period = round(period * NANOSECONDS)
        self._start_anew(None)

    def _start_anew(self, stamp: int | None) -> None:
        self._stamp, self._late = stamp, 0
        self.right, self.problem = False, ""

    def take(self, stamp: int) -> None:
        """Take a state's stamp [ns]; a repeated one is ignored, an earlier one restarts."""
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
        """Return the problem of a step [ns]."""
        expected, rate = self._period * 1e-6, NANOSECONDS / step
        return (
            f"joint_states in lockstep: expected stamps {expected:g} ms apart"
            f" (rate {NANOSECONDS / self._period:g}), got {step * 1e-6:g} ms; set rate to {rate:g}"
        )
