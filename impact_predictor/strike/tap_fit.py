# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Ranges of handle, head and nail from one strike: those with which the model fits the torques.

The joint torques after the contact are compared with the model of the strike, anywhere in the
ranges known before. A single peak would not do: handle, head and nail shape it together. The time
of the contact is fitted besides, and errors of centre and angle. The damping of the handle is not:
its range stays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import exp, log, sqrt

import numpy as np

from impact_predictor.joint_load.motion_records import TICK
from impact_predictor.strike.strike_case import NailCase, StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads
from impact_predictor.strike.striker import Misalignment, Striker
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.surface import middle
from impact_robots.tools.target import Nail
from impact_robots.tools.tool import Range, Tool, ToolCase, with_tool

POINTS = (9, 5, 9)  # of the grid: stiffness of the handle, mass of the head, resistance
ROUNDS = 2  # grids, each within the range that the one before left
BEFORE, GAP = 8e-3, 1e-3  # samples of the torque without the contact: from, to before it [s]
LATE = np.linspace(-3e-3, 3e-3, 49)  # contact, after it was detected [s]
MODEL_ERROR = 0.05  # of a torque, over its highest change [-]
ACCEPTED = 18.0  # sum of squares beyond the best: three deviations, tempered by 2, see box_fit
LEAST = (0.06, 0.1, 0.1)  # half width of what is learned, at least [-]


@dataclass(frozen=True, eq=False)
class Tap:
    """A strike as joints and torque sensors show it, k samples of n joints."""

    time: np.ndarray  # since the contact as detected, shape (k,) [s]
    position: np.ndarray  # shape (k, n) [rad]
    velocity: np.ndarray  # shape (k, n) [rad/s]
    torque: np.ndarray  # shape (k, n) [N.m]
    depth: float  # of the nail before the strike [m]

    @property
    def at(self) -> np.ndarray:
        """Joint positions at the contact, shape (n,) [rad]."""
        return np.array([np.interp(0.0, self.time, each) for each in self.position.T])


def head_speed(striker: Striker, tap: Tap) -> float:
    """Return the speed of the head along the strike before the contact [m/s].

    The highest in the last milliseconds: a contact may be detected late, when the head is slower.

    Args:
        striker: arm and tool at the contact.
        tap: the strike, with samples before the contact.
    """
    along = striker.direction @ striker.point(striker.tool.nominal.mass).J[:3]
    return float(np.interp(LATE[LATE <= 0.0] - GAP, tap.time, tap.velocity @ along).max())


@dataclass(frozen=True)
class LearnedStrike:
    """Ranges of what a strike depends on."""

    tool: Tool
    nail: Nail
    misfit: float  # of the best case, mean square over the expected; about 1 or less: it fits


def learn_strike(robot: Robot, tool: Tool, nail: Nail, tap: Tap) -> LearnedStrike:
    """Return the ranges after a strike, inside those before.

    Ranges that no case fits better than others stay.

    Args:
        robot: the arm, whose own tool is replaced.
        tool: as known before, its handle a spring.
        nail: as known before.
        tap: the strike.

    Raises:
        PredictionError: the robot's YAML lacks fields of the load model.
    """
    model = _TapModel(robot, tool, nail, tap)
    bounds = [tool.stiffness, tool.mass, nail.resistance]
    best = np.inf
    for _ in range(ROUNDS):
        grids = [_grid(each, count) for each, count in zip(bounds, POINTS, strict=True)]
        misfits = np.array([model.misfit(*each) for each in product(*grids)])
        misfits = misfits.reshape([len(each) for each in grids])
        best = min(best, float(misfits.min()))
        fits = misfits <= best + model.accepted * max(best, 1.0)
        bounds = [
            _left(grid, fits.any(axis=tuple({0, 1, 2} - {axis})), bound)
            for axis, (grid, bound) in enumerate(zip(grids, bounds, strict=True))
        ]
    known = tool.stiffness, tool.mass, nail.resistance
    wide = [_widened(*each) for each in zip(bounds, known, LEAST, strict=True)]
    return LearnedStrike(
        replace(tool, stiffness=wide[0], mass=wide[1]), nail._replace(resistance=wide[2]), best
    )


class _TapModel:
    """The misfit of cases to one strike."""

    def __init__(self, robot: Robot, tool: Tool, nail: Nail, tap: Tap) -> None:
        striker = Striker(robot, tool, tap.at)
        self._loads, self._nail, self._depth = StrikeLoads(striker), nail, tap.depth
        self._speed = head_speed(striker, tap)
        self._duration = striker.window
        quiet = (tap.time < -GAP) & (tap.time > -BEFORE - GAP)
        inside = (tap.time > LATE[0]) & (tap.time <= self._duration + LATE[0])
        self._time = tap.time[inside]
        arm = ArmDynamics(with_tool(robot, tool, tool.nominal.mass))
        torque = tap.torque - np.array([arm(q, np.zeros(len(q))).g for q in tap.position])
        self._change = torque[inside] - torque[quiet].mean(axis=0)
        noise = robot.torque_noise * sqrt(1.0 + 1.0 / max(1, int(quiet.sum())))
        self._deviation = np.hypot(noise, MODEL_ERROR * np.abs(self._change).max())
        self._damping = sqrt(max(tool.damping_ratio[0], 1e-3) * tool.damping_ratio[1])
        self.accepted = ACCEPTED / self._change.size
        self._effects, self._sizes = self._errors(tool)

    def misfit(self, stiffness: float, mass: float, resistance: float) -> float:
        """Return the mean square of the residual over its variance, at the best time [-]."""
        expected = self._expected(self._case(stiffness, mass, resistance))
        left = ((self._change - expected) / self._deviation).reshape(len(LATE), -1)
        explained = np.einsum("lij,li->lj", self._effects, left)
        squares = (left**2).sum(axis=1) - np.einsum(
            "lj,ljk,lk->l", explained, self._sizes, explained
        )
        return float(squares.min()) / left.shape[1]

    def _case(self, stiffness: float, mass: float, resistance: float) -> StrikeCase:
        low, high = self._nail.stiffness
        nail = NailCase(sqrt(low * high), resistance, self._depth)
        return StrikeCase(ToolCase(mass, stiffness, self._damping), nail)

    def _expected(self, case: StrikeCase) -> np.ndarray:
        """Return the torques at the samples for each time of the contact, (late, k, n) [N.m]."""
        n = self._change.shape[1]
        load = self._loads.history(case, self._speed, self._duration)[:, :n]
        load = np.vstack([np.zeros(n), load])
        place = np.clip((self._time - LATE[:, None]) / TICK, 0.0, len(load) - 1.001)
        before = place.astype(int)
        share = (place - before)[..., None]
        return np.asarray((1.0 - share) * load[before] + share * load[before + 1])

    def _errors(self, tool: Tool) -> tuple[np.ndarray, np.ndarray]:
        """Return effects of errors of centre and angle, (late, k n, 4), and their covariance.

        The effect is taken as linear, and an error as likely as not as large as announced.
        """
        ranges = tool.stiffness, tool.mass, self._nail.resistance
        nominal = self._case(*map(middle, ranges))
        straight, effects = self._expected(nominal), []
        for x, y in ((1.0, 0.0), (0.0, 1.0)):
            for off in (
                Misalignment((tool.off_centre * x, tool.off_centre * y)),
                Misalignment(tilt=(tool.off_angle * x, tool.off_angle * y)),
            ):
                effect = (self._expected(nominal._replace(off=off)) - straight) / self._deviation
                effects.append(effect.reshape(len(LATE), -1))
        found = np.stack(effects, axis=2)
        inner = np.einsum("lij,lik->ljk", found, found) + np.eye(found.shape[2])
        return found, np.linalg.inv(inner)


def _grid(bounds: Range, count: int) -> np.ndarray:
    """Return figures between two ends, evenly by their logarithm; one if the ends are equal."""
    low, high = bounds
    return np.array([low]) if low == high else np.exp(np.linspace(log(low), log(high), count))


def _left(grid: np.ndarray, fits: np.ndarray, bounds: Range) -> Range:
    """Return the range of those that fit, and of their neighbours."""
    places = np.flatnonzero(fits)
    if len(places) == 0:
        return bounds
    first, last = max(0, places[0] - 1), min(len(grid) - 1, places[-1] + 1)
    return float(grid[first]), float(grid[last])


def _widened(found: Range, known: Range, least: float) -> Range:
    """Return a range at least so wide about its middle, inside what was known."""
    middle = sqrt(found[0] * found[1])
    low = min(found[0], middle * exp(-least))
    high = max(found[1], middle * exp(least))
    return max(known[0], low), min(known[1], high)
