# SPDX-License-Identifier: Apache-2.0
"""One ExecuteImpact goal from acceptance to result. Reads messages, needs no ROS to import."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isnan, nan
from typing import Any

import numpy as np
import pinocchio as pin

from impact_predictor.exceptions import PredictionError
from impact_predictor.feasible_sets import impulse_set
from impact_predictor.inverse_inertia import crb
from impact_predictor.predict import predict
from impact_predictor.prediction import Prediction
from impact_qp.controller import AFTER, Command, Phase, Plan
from impact_qp.exceptions import ControlError
from impact_qp.limits import Contact
from impact_robots import ArmDynamics, ArmState, Robot, RobotError

# Codes of impact_msgs/ExecuteImpact.
OK, BAD_GOAL, NOT_FEASIBLE, TIMEOUT, CANCELED, PREEMPTED = 1, 2, 3, 4, 5, 6
UNEXPECTED_IMPACT, INPUT_LOST, INACTIVE = 7, 8, 9
_AFTERS = ("retract", *AFTER)  # by the goal's constants; unknown: retract
_ESTIMATE_WAIT = 1.0  # for the detector's estimate, after the detection [s]


def plan_of(goal: Any, defaults: Plan, cap: float, base_frame: str) -> Plan:
    """Return what an ExecuteImpact goal asks for.

    Args:
        goal: message.
        defaults: for what it leaves open.
        cap: of the speed [m/s].
        base_frame: in which its pose must be; an empty frame counts as it.

    Raises:
        ControlError: says what was expected and got.
    """
    frame = goal.contact.header.frame_id
    if frame not in ("", base_frame):
        raise ControlError(f"contact: expected a pose in {base_frame}, got {frame!r}")
    speed = cap if isnan(goal.speed) else goal.speed
    if not 0.0 < speed <= cap:
        raise ControlError(f"speed: expected above 0 up to speed_cap {cap:g} m/s, got {speed:g}")
    if not 0 <= goal.after < len(_AFTERS):
        raise ControlError(f"after: expected 0 to {len(_AFTERS) - 1}, got {goal.after}")
    if goal.timeout <= 0.0:
        raise ControlError(f"timeout: expected above 0 s, got {goal.timeout:g}")
    return replace(
        defaults,
        contact=_contact(goal, defaults.contact),
        speed=speed,
        impact_limits=goal.impact_limits or defaults.impact_limits,
        after=_AFTERS[goal.after],
        press_force=goal.press_force,
    )


def _contact(goal: Any, known: Contact) -> Contact:
    """Return the goal's contact, what it leaves open as in ``known``."""
    position, turn = goal.contact.pose.position, goal.contact.pose.orientation
    point = np.array([position.x, position.y, position.z])
    quaternion = np.array([turn.x, turn.y, turn.z, turn.w])
    if not np.isfinite(point).all() or not abs(np.linalg.norm(quaternion) - 1.0) < 1e-3:
        raise ControlError("contact: expected a finite position and a unit quaternion")
    friction = known.friction if isnan(goal.friction_high) else goal.friction_high
    low, high = known.restitution
    low = low if isnan(goal.restitution_low) else goal.restitution_low
    high = high if isnan(goal.restitution_high) else goal.restitution_high
    try:
        return Contact(
            point,
            pin.Quaternion(quaternion).matrix()[:, 2],
            friction,
            (low, high),
            known.peak_factor,
            known.impact_duration,
        )
    except (PredictionError, RobotError) as error:
        raise ControlError(str(error)) from None


@dataclass(frozen=True)
class End:
    """How a goal ended."""

    code: int
    message: str


@dataclass
class GoalRun:
    """Watches the commands that carry out a goal, until it has an end."""

    robot: Robot
    plan: Plan
    timeout: float  # without contact [s]
    started: int | None = None  # stamp of its first command [ns]
    impact_time: int | None = None  # stamp of the detection's state [ns]
    contact_speed: float = nan  # towards the surface, in the cycle before the detection [m/s]
    speed_bound: float = nan  # there [m/s]
    estimate: Any = None  # of the detector, impact_msgs/ImpactEstimate
    before: ArmState | None = None  # in the cycle before the detection
    _last: tuple[Command, np.ndarray, np.ndarray] | None = field(default=None, repr=False)

    def refusal(self, bound: float, gap: float) -> End | None:
        """Return why the goal cannot be carried out from here, none if it can.

        Args:
            bound: the highest safe speed here [m/s]; NaN or infinite: no limit.
            gap: distance to the surface [m].
        """
        if bound <= 0.0:
            return End(NOT_FEASIBLE, f"no speed is safe here: bound {bound:.4f} m/s")
        if gap <= 0.0:
            return End(NOT_FEASIBLE, f"the contact point is {-gap:.3f} m behind the surface")
        return None

    def add(
        self, stamp: int, q: np.ndarray, dq: np.ndarray, command: Command, impact: bool
    ) -> End | None:
        """Take one cycle, and whether the detector holds that it hit; return the end, if it is."""
        self.started = stamp if self.started is None else self.started
        last, self._last = self._last, (command, q, dq)
        waited = (stamp - self.started) * 1e-9
        if self.impact_time is not None:
            return self._after_impact(stamp, command)
        if command.phase is Phase.APPROACH:
            late = waited > self.timeout
            return End(TIMEOUT, f"no contact within {self.timeout:g} s") if late else None
        if last is None:
            return End(INACTIVE, f"the controller does not approach: {command.phase.value}")
        if not impact:
            return End(TIMEOUT, f"no impact up to {-command.gap:.3f} m behind the surface")
        return self._impact(stamp, *last)

    def _impact(self, stamp: int, before: Command, q: np.ndarray, dq: np.ndarray) -> End | None:
        """Note the impact that ended the approach."""
        self.impact_time, self.before = stamp, ArmDynamics(self.robot)(q, dq)
        self.contact_speed, self.speed_bound = -before.normal_speed, before.speed_bound
        if before.due:
            return None
        return End(UNEXPECTED_IMPACT, f"impact {before.gap:.3f} m before the surface")

    def _after_impact(self, stamp: int, command: Command) -> End | None:
        """Wait until the arm has done what follows, and the estimate is there."""
        since = (stamp - (self.impact_time or stamp)) * 1e-9
        wanted = Phase.PRESS if self.plan.after == "press" else Phase.HOLD
        done = command.phase is wanted
        if done and (self.estimate is not None or since > _ESTIMATE_WAIT):
            return End(OK, "" if self.estimate is not None else "no estimate of the impact came")
        return None

    def take_estimate(self, estimate: Any, time: int) -> None:
        """Take the detector's estimate of an impact at ``time`` [ns], if it is this one's."""
        if self.impact_time is None or self.estimate is not None:
            return
        if abs(time - self.impact_time) * 1e-9 < 0.1:
            self.estimate = estimate

    def prediction(self) -> Prediction | None:
        """Return what the impact was predicted to do, none without one."""
        if self.before is None:
            return None
        contact = self.plan.contact
        try:
            return predict(
                self.before,
                self.robot,
                contact.rotation,
                friction=contact.friction,
                restitution=sum(contact.restitution) / 2,
            )
        except PredictionError:
            return None

    def holds_impulse(self, impulse: np.ndarray) -> bool:
        """Tell whether an impulse, base axes (3,) [N.s], was no worse than announced."""
        if self.before is None or not np.isfinite(impulse).all():
            return False
        contact = self.plan.contact
        R = contact.rotation
        speed = -float(R[:, 2] @ self.before.velocity)
        try:
            announced = impulse_set(
                crb(self.before, R), contact.friction, contact.restitution, -speed, 8, True
            )
        except PredictionError:
            return False
        return bool(announced.contains_in_hull_with_zero(R.T @ impulse))
