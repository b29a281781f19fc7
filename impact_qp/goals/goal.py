# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One ExecuteImpact goal from acceptance to result. Reads messages, needs no ROS to import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.prediction.predict import predict
from impact_predictor.prediction.prediction import Prediction
from impact_predictor.sets.feasible_sets import impulse_set
from impact_qp.control.approach import highest_press_force
from impact_qp.control.command import Command
from impact_qp.control.phases import Phase
from impact_qp.control.plan import Plan
from impact_qp.guards.takeover import cannot_be_made_safe
from impact_qp.limits import ApproachSpeedLimit, ImpactLimit
from impact_robots import ArmDynamics, PointState, Robot
from impact_robots.exceptions import OutOfRangeError

# Codes of impact_msgs/ExecuteImpact, and of Strike and LearnSurface (UNSAFE).
OK, BAD_GOAL, NOT_FEASIBLE, TIMEOUT, CANCELED, PREEMPTED = 1, 2, 3, 4, 5, 6
UNEXPECTED_IMPACT, INPUT_LOST, INACTIVE, UNSAFE, INTERNAL_ERROR = 7, 8, 9, 11, 255
_ESTIMATE_WAIT = 1.0  # for the detector's estimate, after the detection [s]


@dataclass(frozen=True)
class End:
    """Result of a goal."""

    code: int
    message: str

    @property
    def success(self) -> bool:
        """Whether the goal was reached."""
        return self.code == OK


def unforeseen(error: BaseException) -> str:
    """Return an error that is none of the suite's in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


class Prepared(NamedTuple):
    """A prepared goal, and its start."""

    run: Any  # GoalRun, or what else watches a goal
    start: Callable[[], str]  # starts it without delay; returns why not


@dataclass
class GoalRun:
    """Watches the commands that execute a goal, until it ends."""

    robot: Robot
    plan: Plan
    timeout: float  # without contact [s]
    started: int | None = None  # stamp of its first command [ns]
    impact_time: int | None = None  # stamp of the detection's state [ns]
    contact_speed: float = nan  # towards the surface, in the cycle before the detection [m/s]
    speed_bound: float = nan  # there [m/s]
    estimate: Any = None  # of the detector, impact_msgs/ImpactEstimate
    before: PointState | None = None  # in the cycle before the detection
    cut: End | None = None  # why what follows the impact ended early
    _last: tuple[Command, np.ndarray, np.ndarray] | None = field(default=None, repr=False)

    def refusal(self, limit: ImpactLimit | None, state: PointState) -> End | None:
        """Return why the goal cannot be executed from a state, None if it can.

        Args:
            limit: of the impact, None if unaware.
            state: of the arm.
        """
        contact = self.plan.contact
        still = ArmDynamics(self.robot)(state.q, np.zeros(self.robot.dof))
        bound = inf if limit is None else limit.speed_bound(still).speed
        gap = contact.gap(state.position)
        if bound <= 0.0:
            return End(NOT_FEASIBLE, f"no speed is safe here: bound {bound:.4f} m/s")
        if gap <= 0.0:
            return End(NOT_FEASIBLE, f"the contact point is {-gap:.3f} m behind the surface")
        if reason := cannot_be_made_safe(self.robot, limit, state, gap, self.plan.sends.reaction):
            return End(NOT_FEASIBLE, reason)
        if self.plan.after != "press":
            return None
        again = bound if isinstance(limit, ApproachSpeedLimit) else inf
        highest, what = highest_press_force(
            self.robot, again, still, contact.normal, self.plan.preview
        )
        force = self.plan.press_force
        if force <= highest:
            return None
        reason = f"press_force: expected up to {highest:.1f} N here ({what}), got {force:g}"
        return End(NOT_FEASIBLE, reason)

    def add(
        self, stamp: int, q: np.ndarray, dq: np.ndarray, command: Command, impact: bool
    ) -> End | None:
        """Take one cycle, and whether an impact is detected; return the end, if reached."""
        self.started = stamp if self.started is None else self.started
        last, self._last = self._last, (command, q, dq)
        waited = (stamp - self.started) * 1e-9
        if self.impact_time is not None:
            if last is not None and self.cut is None:
                self.cut = self._cut(last[0].phase, command)
            return self._after_impact(stamp, command)
        if command.phase is Phase.APPROACH or (command.phase is Phase.COAST and not impact):
            late = waited > self.timeout
            return End(TIMEOUT, f"no contact within {self.timeout:g} s") if late else None
        if last is None:
            return End(INACTIVE, f"the controller does not approach: {command.phase.value}")
        return self._impact(stamp, *last) if impact else self._without_impact(command)

    def _without_impact(self, command: Command) -> End | None:
        """Return the end of a goal whose approach is over."""
        return End(TIMEOUT, f"no impact up to {-command.gap:.3f} m behind the surface")

    def _impact(self, stamp: int, before: Command, q: np.ndarray, dq: np.ndarray) -> End | None:
        """Store the impact that ended the approach."""
        self.impact_time, self.before = stamp, ArmDynamics(self.robot)(q, dq)
        self.contact_speed, self.speed_bound = -before.normal_speed, before.speed_bound
        if before.due:
            return None
        return End(UNEXPECTED_IMPACT, f"impact {before.gap:.3f} m before the surface")

    def _after_impact(self, stamp: int, command: Command) -> End | None:
        """Wait for the motion after the impact, and for the estimate."""
        since = (stamp - (self.impact_time or stamp)) * 1e-9
        presses = self.plan.after == "press" and self.cut is None
        done = command.phase is (Phase.PRESS if presses else Phase.HOLD)
        if not done or (self.estimate is None and since <= _ESTIMATE_WAIT):
            return None
        if self.cut is not None:
            return self.cut
        return End(OK, "" if self.estimate is not None else "no estimate of the impact came")

    def _cut(self, before: Phase, command: Command) -> End | None:
        """Return why the motion after the impact is not carried out, None if it is."""
        phase = command.phase
        if before is Phase.PRESS and phase is Phase.RETRACT:
            return End(TIMEOUT, "the surface is gone: it gave way while the arm pressed")
        if self.plan.after == "press" and phase.stands:
            return End(INACTIVE, f"the controller does not press: {phase.value}")
        if before is Phase.RETRACT and phase.stands and not self._is_back(command):
            return End(UNEXPECTED_IMPACT, f"the way back was cut short, {self._way_back(command)}")
        return None

    def _is_back(self, command: Command) -> bool:
        """Tell whether the arm went back as far as it was to."""
        return command.gap > self.plan.retract_distance

    def _way_back(self, command: Command) -> str:
        """Return where it ended."""
        return (
            f"{1e3 * command.gap:.1f} of {1e3 * self.plan.retract_distance:g} mm before the surface"
        )

    def take_estimate(self, estimate: Any, time: int) -> None:
        """Take the detector's estimate of an impact at ``time`` [ns], if it is of this goal."""
        if self.impact_time is None or self.estimate is not None:
            return
        if abs(time - self.impact_time) * 1e-9 < 0.1:
            self.estimate = estimate

    def prediction(self) -> Prediction | None:
        """Return the prediction of the impact, None without one."""
        if self.before is None:
            return None
        try:
            return predict(self.before, self.plan.contact, self.robot)
        except (PredictionError, OutOfRangeError):
            return None

    def holds_impulse(self, impulse: np.ndarray) -> bool:
        """Tell whether an impulse, base axes (3,) [N.s], was within the announced set."""
        if self.before is None or not np.isfinite(impulse).all():
            return False
        contact = self.plan.contact
        R, velocity = contact.rotation, -contact.approach_speed(self.before.velocity)
        W, friction = crb(self.before, R), contact.friction[1]
        try:
            announced = impulse_set(W, friction, contact.restitution, velocity, 8, True)
        except (PredictionError, OutOfRangeError):
            return False
        return bool(announced.contains_in_hull_with_zero(R.T @ impulse))
