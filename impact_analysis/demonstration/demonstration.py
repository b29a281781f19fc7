# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""References of an impact from a recorded motion through one."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import pinocchio as pin

from impact_analysis.demonstration.cut import cut
from impact_analysis.demonstration.recorded_motion import ShownMotion
from impact_analysis.demonstration.smooth_side import (
    SPACING,
    FitResiduals,
    after_impact,
    before_impact,
    residuals,
)
from impact_analysis.present.number import numbers
from impact_analysis.present.table import Table, texts
from impact_bags.exceptions import AnalysisError
from impact_qp.references import Knot, Quintics, SpreadReference
from impact_qp.references.spread import TASK
from impact_robots.state.quaternions import quaternion_wxyz

TURN = 5.0  # largest turn of the contact frame over the motion [deg]
STOP = 0.3  # stopping time of a motion that does not end at rest [s]
_HELD = 0.05  # over which orientation and start are averaged [s]
_SIDES = ("before", "after")


@dataclass(frozen=True, eq=False)
class Demonstration:
    """References of a recorded impact; times are those of the references, from their start on."""

    reference: SpreadReference
    start: np.ndarray  # joints where the motion begins, shape (n,) [rad]
    contact_time: float  # of the recorded first contact [s]
    left_out: tuple[float, float]  # before and after that contact [s]
    end: float  # of the recorded motion after the impact [s]
    to_rest: bool  # it ends at rest; else the reference brakes within STOP
    turn: float  # largest of the contact frame from its orientation at the impact [rad]
    gap: float  # between the ends of both sides, where they are nearest [m]
    fits: tuple[FitResiduals, FitResiduals]  # of both sides

    def as_json(self) -> dict[str, Any]:
        """Return the figures for programs, SI units."""
        reference, sides = self.reference, {}
        spans = self._spans
        for name, velocity, span, fit in zip(_SIDES, reference.jump, spans, self.fits, strict=True):
            sides[name] = {
                "start_s": span[0],
                "end_s": span[1],
                "velocity_mps": velocity[:3].tolist(),
                "speed_mps": float(np.linalg.norm(velocity[:3])),
                "first_joint_radps": float(velocity[3]),
                "position_rms_m": fit.position_rms,
                "position_largest_m": fit.position_largest,
                "velocity_rms_mps": fit.velocity_rms,
                "velocity_largest_mps": fit.velocity_largest,
            }
        return {
            "nominal_time_s": reference.nominal_time,
            "contact_time_s": self.contact_time,
            "contact_point_m": reference.ante(reference.nominal_time).position[:3].tolist(),
            "orientation_wxyz": quaternion_wxyz(reference.rotation),
            "q_start_rad": self.start.tolist(),
            "left_out_before_s": self.left_out[0],
            "left_out_after_s": self.left_out[1],
            "gap_m": self.gap,
            "turn_rad": self.turn,
            "ends_at_rest": self.to_rest,
            "reference_end_s": reference.post.end,
            **sides,
        }

    @property
    def _spans(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Start and end of both sides [s]."""
        reference, T = self.reference, self.reference.nominal_time
        return (reference.ante.start, T), (T, self.end)

    def lines(self) -> list[str]:
        """Return the figures as text."""
        T = self.reference.nominal_time
        rows = [
            ["from .. to [s]", *(f"{a:.3f} .. {b:.3f}" for a, b in self._spans)],
            ["velocity at the impact [m/s]", *(numbers(v[:3]) for v in self.reference.jump)],
            ["speed [m/s]", *(f"{np.linalg.norm(v[:3]):.3f}" for v in self.reference.jump)],
            ["first joint [rad/s]", *(f"{v[3]:.3f}" for v in self.reference.jump)],
            ["off in position, rms / largest [mm]", *map(_off_position, self.fits)],
            ["off in velocity, rms / largest [m/s]", *map(_off_velocity, self.fits)],
        ]
        title = f"References of {self.reference.post.end:.2f} s, impact at {T:.3f} s"
        shown = Table("sides", title, texts("side", *_SIDES), rows)
        before, after = (each * 1e3 for each in self.left_out)
        lines = [
            *shown.text().splitlines(),
            f"left out: {before:.0f} ms before the first contact to {after:.0f} ms after it",
            f"impact: {(T - self.contact_time) * 1e3:.1f} ms after that contact, where both sides,"
            " continued at constant velocity, are",
            f"nearest ({self.gap * 1e3:.2f} mm)",
            f"orientation: constant, as at the impact; it turned by up to"
            f" {np.degrees(self.turn):.1f} deg",
        ]
        if not self.to_rest:
            lines.append(
                f"the recorded motion does not end at rest: the reference brakes within {STOP:g} s"
            )
        return lines


def demonstration(
    motion: ShownMotion,
    *,
    until: float = inf,
    spacing: float = SPACING,
    turn: float = TURN,
) -> Demonstration:
    """Return the references of an impact at time 0 of a motion.

    Args:
        motion: about the impact.
        until: time of the next impact, if there is one [s].
        spacing: of the breakpoints of the smoothing splines [s].
        turn: largest accepted turn of the contact frame [deg].

    Raises:
        AnalysisError: the motion is no demonstration of one impact; says why.
    """
    sides = cut(motion, spacing, until)
    rotation = _mean_rotation(sides.before.within(float(sides.before.time[-1]) - _HELD, inf))
    turned = _turn(sides.before, sides.after, rotation, turn)
    ante = before_impact(sides.before, spacing)
    post = after_impact(sides.after, spacing, to_rest=sides.to_rest)
    ante, post, gap = _joined(ante, post)
    origin, nominal = -ante[0].time, post[0].time
    spread = SpreadReference(
        Quintics(_moved(ante, origin)),
        Quintics(_moved(post if sides.to_rest else [*post, _rest(post[-1])], origin)),
        nominal + origin,
        rotation,
    )
    fits = (
        residuals(sides.before, spread.ante, origin),
        residuals(sides.after, spread.post, origin),
    )
    _check_jump(spread, fits)
    begun = sides.before.within(-inf, float(sides.before.time[0]) + _HELD)
    return Demonstration(
        spread,
        begun.q.mean(axis=0),
        origin,
        (-float(sides.before.time[-1]), float(sides.after.time[0])),
        float(sides.after.time[-1]) + origin,
        sides.to_rest,
        turned,
        gap,
        fits,
    )


def _check_jump(spread: SpreadReference, fits: tuple[FitResiduals, FitResiduals]) -> None:
    """Refuse an impact that is no larger than what both sides leave unexplained.

    Raises:
        AnalysisError: the velocity jumps elsewhere, or not at all.
    """
    before, after = spread.jump
    jump = float(np.linalg.norm((after - before)[:3]))
    for name, fit in zip(_SIDES, fits, strict=True):
        if jump <= fit.velocity_largest:
            raise AnalysisError(
                f"no impact at that time: the velocity jumps by {jump:.3f} m/s, and {name} it is"
                f" {fit.velocity_largest:.3f} m/s off a smooth motion"
            )


def _off_position(fit: FitResiduals) -> str:
    return f"{fit.position_rms * 1e3:.2f} / {fit.position_largest * 1e3:.2f}"


def _off_velocity(fit: FitResiduals) -> str:
    return f"{fit.velocity_rms:.3f} / {fit.velocity_largest:.3f}"


def _mean_rotation(motion: ShownMotion) -> np.ndarray:
    """Return the mean orientation of the contact frame, shape (3, 3)."""
    first = motion.rotation[0]
    turns = [pin.log3(first.T @ each) for each in motion.rotation]
    return np.asarray(first @ pin.exp3(np.mean(turns, axis=0)))


def _turn(before: ShownMotion, after: ShownMotion, rotation: np.ndarray, most: float) -> float:
    """Return the largest turn of the contact frame [rad].

    Raises:
        AnalysisError: it is above ``most`` [deg].
    """
    sides = zip(_SIDES, (before, after), strict=True)
    found = {name: float(side.turns(rotation).max()) for name, side in sides}
    name = max(found, key=lambda each: found[each])
    if (angle := np.degrees(found[name])) > most:
        raise AnalysisError(
            f"the contact frame turns by {angle:.1f} deg {name} the impact, and references have a"
            f" constant orientation: expected at most {most:g} deg"
        )
    return found[name]


def _joined(ante: list[Knot], post: list[Knot]) -> tuple[list[Knot], list[Knot], float]:
    """Return knots that meet at the impact, and by how much their positions were apart [m].

    Each side goes on at the velocity of its end. The impact is where both are nearest, between the
    first contact, at time 0, and the end of its transient; the second side then begins where the
    first one is, and is again on its spline one breakpoint later.
    """
    first, second = Quintics(ante), Quintics(post)
    times = np.linspace(0.0, post[0].time, 201)
    apart = [np.linalg.norm((first(t).position - second(t).position)[:3]) for t in times]
    nominal = float(times[int(np.argmin(apart))])
    begin = Knot(nominal, first(nominal).position, post[0].velocity, post[0].acceleration)
    return ante, [begin, *post[1:]], float(min(apart))


def _rest(last: Knot) -> Knot:
    """Return the knot at which a motion that goes on is braked to rest."""
    place = np.asarray(last.position) + np.asarray(last.velocity) * STOP / 2
    return Knot(last.time + STOP, place, np.zeros(TASK), np.zeros(TASK))


def _moved(knots: list[Knot], by: float) -> list[Knot]:
    """Return knots later by a time [s]."""
    return [each._replace(time=each.time + by) for each in knots]
