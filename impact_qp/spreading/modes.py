# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Modes of an arm: the reference it follows, and the fraction of the velocity feedback."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from impact_robots.validation import positive


class Trigger(Enum):
    """Distribution of detected impacts among several arms.

    If shared, a late arm applies its clamp force before its contact: 20 ms late, its joint 6
    is loaded with 11.6 instead of 6.9 N.m, and its plate with 159 instead of 134 N
    (doc/reference_spreading.md).
    It is there to reproduce the published controller.
    """

    PER_ARM = "per_arm"
    SHARED = "shared"


def heard(detected: Mapping[str, bool], trigger: Trigger = Trigger.PER_ARM) -> dict[str, bool]:
    """Return for which arms an impact counts as detected, by name."""
    if trigger is Trigger.SHARED:
        return dict.fromkeys(detected, any(detected.values()))
    return dict(detected)


class Mode(Enum):
    """Mode of the controller in a cycle."""

    ANTE = "ante"  # follows the ante-impact reference
    INTERIM = "interim"  # the post-impact one, its velocity feedback faded in
    POST = "post"  # the post-impact one
    STOP = "stop"  # brakes and holds, see StopReason


AFTER = (Mode.INTERIM, Mode.POST)  # of the impact


class StopReason(Enum):
    """Why an arm stopped."""

    NO_IMPACT = "no impact"  # none by the end of the window
    UNTIMELY = "untimely impact"  # one outside of the window
    LOST = "object lost"  # it yielded farther than a real object would
    ROOM = "no room left"  # braking distance used up, before an obstacle behind the contact
    PARTNER = "partner stopped"  # another arm did
    AGAIN = "second impact"  # after the one that was expected
    OVERSPEED = "faster than commanded"  # before the impact, or than the cap allows
    HALTED = "halted"  # externally: a fault, or a request


class Variant(Enum):
    """Transition between references; RS is that of van Steen et al., the others are compared."""

    RS = "rs"
    NO_GAMMA = "no_gamma"  # upon detection, with the whole velocity feedback
    TIMED = "timed"  # at the nominal time, without detection
    CONTINUOUS = "continuous"  # one smooth reference through the impact
    TIME_INVARIANT = "time_invariant"  # as rs, by velocity fields instead of references in time


DETECTING = (Variant.RS, Variant.NO_GAMMA, Variant.TIME_INVARIANT)  # change with the detection
FADING = (Variant.RS, Variant.TIME_INVARIANT)  # with velocity feedback faded in


class Timing(NamedTuple):
    """Times of the plan [s]."""

    nominal: float  # time of the impact
    interim: float = 0.1  # how long velocity feedback is faded in
    window: float = 0.15  # by how much the impact may be earlier or later

    def check(self) -> Timing:
        """Return the timing.

        Raises:
            OutOfRangeError: a duration is not above 0.
        """
        positive(self.interim, "interim")
        positive(self.window, "window")
        return self


def mode_at(variant: Variant, timing: Timing, time: float, impact: float | None) -> Mode:
    """Return the mode at a time [s], for an impact detected at ``impact`` [s] or not yet.

    With detection an impact outside the window, or none within it, stops the arm.
    """
    if variant is Variant.CONTINUOUS:
        return Mode.ANTE
    if variant is Variant.TIMED:
        return Mode.ANTE if time < timing.nominal else Mode.POST
    if impact is None:
        return Mode.ANTE if time <= timing.nominal + timing.window else Mode.STOP
    if abs(impact - timing.nominal) > timing.window:
        return Mode.STOP
    fading = variant in FADING and time < impact + timing.interim
    return Mode.INTERIM if fading else Mode.POST


def fade(mode: Mode, timing: Timing, time: float, impact: float | None) -> float:
    """Return gamma, the fraction of the velocity feedback, 0 to 1 (van Steen et al., 23)."""
    if mode is not Mode.INTERIM or impact is None:
        return 1.0
    return min(max((time - impact) / timing.interim, 0.0), 1.0)
