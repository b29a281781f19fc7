# SPDX-License-Identifier: Apache-2.0
"""One ExecuteImpact goal from acceptance to result. Reads messages, needs no ROS to import."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pinocchio as pin

from impact_predictor.exceptions import PredictionError
from impact_predictor.feasible_sets import impulse_set
from impact_predictor.inverse_inertia import crb
from impact_predictor.predict import predict
from impact_predictor.prediction import Prediction
from impact_qp.controller import Command
from impact_qp.exceptions import ControlError
from impact_qp.limits import Contact, ImpactLimit
from impact_qp.parameters import ControllerParameters
from impact_qp.phases import Phase
from impact_qp.plan import AFTERS, Plan
from impact_qp.press import highest_press_force
from impact_qp.takeover import cannot_be_made_safe
from impact_robots import ArmDynamics, ArmState, Robot, RobotError

# Codes of impact_msgs/ExecuteImpact.
OK, BAD_GOAL, NOT_FEASIBLE, TIMEOUT, CANCELED, PREEMPTED = 1, 2, 3, 4, 5, 6
UNEXPECTED_IMPACT, INPUT_LOST, INACTIVE = 7, 8, 9
_AFTERS = ("retract", *AFTERS)  # by the goal's constants; unknown: retract
STRICTNESS = ("unaware", "existential", "nominal", "robust")  # impact limits, from the loosest on
LONGEST = 3600.0  # time-out of a goal [s]
_ESTIMATE_WAIT = 1.0  # for the detector's estimate, after the detection [s]


def plan_of(goal: Any, settings: ControllerParameters, robot: Robot, state: ArmState) -> Plan:
    """Return what an ExecuteImpact goal asks for, within what the node's parameters allow.

    What is left open (0 or NaN) is the parameters'.

    Args:
        goal: message.
        settings: of the node.
        robot: the arm.
        state: of the arm, now.

    Raises:
        ControlError: says what was expected and got.
    """
    if not 0 <= goal.after < len(_AFTERS):
        raise ControlError(f"after: expected 0 to {len(_AFTERS) - 1}, got {goal.after}")
    if _given(goal.timeout) and not 0.0 < goal.timeout <= LONGEST:
        raise ControlError(f"timeout: expected above 0 up to {LONGEST:g} s, got {goal.timeout:g}")
    defaults = settings.plan()
    plan = replace(
        defaults,
        contact=_contact(goal, defaults.contact, robot, settings.goal_may_widen),
        speed=_speed(goal.speed, settings),
        impact_limits=_impact_limits(goal.impact_limits, settings),
        after=_AFTERS[goal.after],
        press_force=goal.press_force,
    )
    reach = _reach(robot)
    gap = plan.contact.gap(state.position)
    if not abs(gap) <= 2.0 * reach:
        raise ControlError(
            f"contact: expected a surface within the arm's reach of {reach:.2f} m, got one"
            f" {gap:.4g} m away"
        )
    return plan


def _given(value: float) -> bool:
    """Tell whether a number of a goal says something: 0 is what a goal is made with."""
    return not (isnan(value) or value == 0.0)


def _speed(asked: float, settings: ControllerParameters) -> float:
    """Return the approach speed [m/s]: NaN asks for the highest safe one, 0 leaves it open."""
    cap = settings.speed_cap
    if isnan(asked):
        return cap
    if not _given(asked):
        return min(settings.speed, cap)
    if not 0.0 < asked <= cap:
        raise ControlError(f"speed: expected above 0 up to speed_cap {cap:g} m/s, got {asked:g}")
    return asked


def _impact_limits(asked: str, settings: ControllerParameters) -> str:
    """Return which impact limits hold: at least as strict as the node's."""
    own = settings.impact_limits
    if not asked or asked not in STRICTNESS:
        return asked or own  # the plan says what it expected
    if settings.goal_may_widen or STRICTNESS.index(asked) >= STRICTNESS.index(own):
        return asked
    allowed = ", ".join(STRICTNESS[STRICTNESS.index(own) :])
    raise ControlError(
        f"impact_limits: expected one of {allowed} (the node's are {own} and goal_may_widen is"
        f" false), got {asked!r}"
    )


def _reach(robot: Robot) -> float:
    """Return an upper bound of the distance from the base to the contact point [m]."""
    model = robot.model
    frame = model.frames[model.getFrameId(robot.contact_frame)]
    offsets = [np.linalg.norm(placement.translation) for placement in model.jointPlacements]
    return float(sum(offsets) + np.linalg.norm(frame.placement.translation))


def _contact(goal: Any, known: Contact, robot: Robot, may_widen: bool) -> Contact:
    """Return the goal's contact, what it leaves open as in ``known``."""
    frame, base = goal.contact.header.frame_id, robot.base_frame
    if frame not in ("", base):
        raise ControlError(f"contact: expected a pose in {base}, got {frame!r}")
    position, turn = goal.contact.pose.position, goal.contact.pose.orientation
    point = np.array([position.x, position.y, position.z])
    quaternion = np.array([turn.x, turn.y, turn.z, turn.w])
    if not np.isfinite(point).all() or not abs(np.linalg.norm(quaternion) - 1.0) < 1e-3:
        raise ControlError("contact: expected a finite position and a unit quaternion")
    if not frame and not point.any() and turn.w == 1.0:
        raise ControlError("contact: expected a pose, got the one that a goal is made with")
    try:
        return Contact(
            point,
            pin.Quaternion(quaternion).matrix()[:, 2],
            _friction(goal, known.friction, may_widen),
            _restitution(goal, known.restitution, may_widen),
            known.peak_factor,
            known.impact_duration,
        )
    except (PredictionError, RobotError) as error:
        raise ControlError(str(error)) from None


def _friction(goal: Any, own: float, may_widen: bool) -> float:
    """Return the highest coefficient of friction that must be expected."""
    low, high = goal.friction_low, goal.friction_high
    if _given(low) and _given(high) and low > high:
        raise ControlError(f"friction: expected low up to high, got {low:g} and {high:g}")
    given = [value for value in (low, high) if _given(value)]
    if not given:
        return own
    if given[-1] < own and not _given(high):
        return own  # only a lower end, and below what must be expected anyway
    return _at_least("friction_high", given[-1], own, may_widen)


def _restitution(goal: Any, own: tuple[float, float], may_widen: bool) -> tuple[float, float]:
    """Return the range of coefficients of restitution that must be expected."""
    low = own[0]
    if _given(goal.restitution_low):
        low = _at_least("restitution_low", goal.restitution_low, own[0], may_widen)
    high = max(own[1], low)
    if _given(goal.restitution_high):
        high = _at_least("restitution_high", goal.restitution_high, own[1], may_widen)
    return low, high


def _at_least(name: str, value: float, own: float, may_widen: bool) -> float:
    """Return a goal's number unless it makes impacts look more harmless than the node's own.

    A higher lowest restitution is the stricter one too: the least of all impulses, which
    existential limits count on, grows with it.
    """
    if 0.0 <= value < own and not may_widen:
        raise ControlError(
            f"{name}: expected at least the node's {own:g} (goal_may_widen is false), got {value:g}"
        )
    return value


@dataclass(frozen=True)
class End:
    """How a goal ended."""

    code: int
    message: str

    @property
    def success(self) -> bool:
        """Whether the goal was reached."""
        return self.code == OK


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

    def refusal(self, limit: ImpactLimit | None, state: ArmState) -> End | None:
        """Return why the goal cannot be carried out from a state, none if it can.

        Args:
            limit: of the impact, none if there is none.
            state: of the arm.
        """
        contact, still = self.plan.contact, state._replace(dq=np.zeros(self.robot.dof))
        bound = inf if limit is None else limit.speed_bound(still).speed
        gap = contact.gap(state.position)
        if bound <= 0.0:
            return End(NOT_FEASIBLE, f"no speed is safe here: bound {bound:.4f} m/s")
        if gap <= 0.0:
            return End(NOT_FEASIBLE, f"the contact point is {-gap:.3f} m behind the surface")
        if reason := cannot_be_made_safe(self.robot, limit, state, gap):
            return End(NOT_FEASIBLE, reason)
        if self.plan.after != "press":
            return None
        most, what = highest_press_force(
            self.robot, limit, still, contact.rotation[:, 2], self.plan.preview
        )
        force = self.plan.press_force
        if force <= most:
            return None
        said = f"press_force: expected up to {most:.1f} N here ({what}), got {force:g}"
        return End(NOT_FEASIBLE, said)

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
