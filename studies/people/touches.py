# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Touches of a simulated arm: the plant's peak force against the promise."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, nan
from typing import NamedTuple

import numpy as np

from impact_robots import load_robot
from impact_trials.in_process.touch_trial import TouchCase, run_touch
from impact_trials.processes import check_stopped
from studies.people.touch_draw import draw_touch

ROBOT = "panda"


class DrawnTouch(NamedTuple):
    """A touch that was carried out."""

    refused: int  # touches drawn before it that were refused
    interface: str
    rate: float  # of states and commands [Hz]
    effort: str  # what the measured efforts are
    then: str
    stiffness: float  # of the surface, as announced [N/m]
    force: float  # to stay below [N]
    speed: float  # [m/s]
    promised: float  # [N]
    peak: float  # of the plant, NaN: the surface was not reached [N]
    held: float  # at the end [N]
    signal: str  # that ended the approach, "" if none did
    detected_after: float  # since contact; negative: before; NaN: no contact or no signal [s]
    triggered: bool
    success: bool  # it ended as a touch does
    message: str

    @property
    def share(self) -> float:
        """Peak force over the promise, NaN if the surface was not reached [-]."""
        return self.peak / self.promised

    @property
    def reached(self) -> bool:
        """Whether there was contact."""
        return not isnan(self.peak)

    @property
    def over(self) -> bool:
        """Whether the promise was broken."""
        return self.reached and not self.share <= 1.0

    @property
    def undetected(self) -> bool:
        """Whether there was contact that did not end the motion."""
        return self.reached and not self.triggered


def drawn_touch(seed: int, number: int) -> DrawnTouch:
    """Draw touches until one is accepted, and carry it out."""
    robot, random, refused = load_robot(ROBOT), np.random.default_rng([seed, number]), 0
    while True:
        check_stopped()
        found = touched(draw_touch(robot, random, number), refused)
        if found is not None:
            return found
        refused += 1


def touched(case: TouchCase, refused: int = 0) -> DrawnTouch | None:
    """Carry out a touch; None: it was refused."""
    trial = run_touch(case)
    result, goal = trial.result, case.goal
    if result is None:
        return None
    return DrawnTouch(
        refused,
        case.interface,
        case.rate,
        goal.effort,
        goal.then,
        case.stiffness,
        goal.force,
        result.speed,
        result.promised,
        trial.peak,
        trial.held,
        result.signal,
        trial.detected_after,
        result.triggered,
        trial.end.success,
        trial.end.message,
    )


def summary(found: Sequence[DrawnTouch]) -> dict[str, float | int]:
    """Return the figures that are promised of touches."""
    shares = [each.share for each in found if each.reached]
    return {
        "n": len(found),
        "over_limit": sum(each.over for each in found),
        "undetected": sum(each.undetected for each in found),
        "median_share": float(np.median(shares)) if shares else nan,
        "highest_share": max(shares, default=nan),
        "not_reached": sum(not each.reached for each in found),
        "failed": sum(not each.success for each in found),
        "refused": sum(each.refused for each in found),
    }
