# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Plan of a motion, and whether the arm can hit the announced surface."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot, inf

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.drive import drive_of
from impact_predictor.people.person_task import PersonTask
from impact_qp.exceptions import ControlError
from impact_qp.interface import INTERFACES, CommandInterface
from impact_qp.limits import IMPACT_LIMITS, Contact, ImpactLimit
from impact_qp.limits.approach_cap import ApproachCapLimit
from impact_qp.limits.impact_limits.payload import limit_of
from impact_qp.limits.impact_limits.registry import AUTO, SELECTABLE
from impact_qp.limits.impact_limits.strictest import StrictestLimit
from impact_qp.limits.planned_speed import PlannedSpeedLimit
from impact_qp.program.program import SOLVERS
from impact_robots.description.joint_ranges import JOINT_RANGES
from impact_robots.entry import unit_hint
from impact_robots.robot import Robot
from impact_robots.state.state import PointState

_TOUCHING = 1e-3  # distance behind a surface within which an arm is in contact [m]
_AROUND = 2.0  # largest distance of a point of the surface from the base, over the reach


def geometry_refusal(plan: Plan, robot: Robot, state: PointState) -> str:
    """Return why the surface of a plan cannot be approached from a state, "" if it can.

    The given point must be near the arm, the surface in front of the contact point with its
    normal towards it, and the place hit by an approach along the normal within reach.

    Args:
        plan: of the motion.
        robot: the arm.
        state: of the arm, now.
    """
    contact, reach = plan.contact, longest_reach(robot)
    if refusal := surface_refusal(contact, robot, state):
        return refusal
    gap = contact.gap(state.position)
    place = float(np.linalg.norm(state.position - gap * contact.normal))
    if not place <= reach:
        return (
            f"contact: expected a surface within the arm's reach of {reach:.2f} m, got one that is"
            f" hit {place:.2f} m from the base, {gap:.3g} m away along its normal"
        )
    return ""


def surface_refusal(contact: Contact, robot: Robot, state: PointState) -> str:
    """Return why a surface cannot be where it is announced, "" if it can.

    The given point must be near the arm, and the contact point in front of the surface.

    Args:
        contact: announced.
        robot: the arm.
        state: of the arm, now.
    """
    distance, farthest = hypot(*contact.point), _AROUND * longest_reach(robot)  # no overflow
    if not distance <= farthest:
        return (
            f"contact: expected a point of the surface within {farthest:.2f} m of the base, got one"
            f" {distance:.4g} m away{unit_hint(distance, farthest, 'm')}"
        )
    gap = contact.gap(state.position)
    if gap <= -_TOUCHING:
        return (
            f"contact: expected a surface in front of the contact point, got one with the contact"
            f" point {-gap:.3f} m behind the surface; the normal points out of it, towards the arm"
        )
    return ""


def longest_reach(robot: Robot) -> float:
    """Return an upper bound of the distance from the base to the contact point [m]."""
    model = robot.model
    frame = model.frames[model.getFrameId(robot.contact_frame)]
    offsets = [np.linalg.norm(placement.translation) for placement in model.jointPlacements]
    return float(sum(offsets) + np.linalg.norm(frame.placement.translation))


AFTERS = ("retract", "hold", "press")


@dataclass(frozen=True)
class Plan:
    """Plan of a motion; times in seconds, lengths in metres, speeds in m/s."""

    contact: Contact
    impact_limits: str = "robust"  # one of IMPACT_LIMITS, or "auto", see `resolved`
    also_limits: tuple[str, ...] = ()  # additional kinds: the node's own beside a goal's
    joint_ranges: str = "announced"  # or "nominal": of impact limits on joint loads
    interface: str = "torque"  # or "velocity", "position": command to the robot
    speed: float = 0.1  # reference along -normal
    highest_speed: float = inf  # along -normal, a row of the program
    speed_cap: float = inf  # of the contact point, in every phase and direction
    ramp: float = 4.0  # [m/s^2]
    preview: float = 0.02  # T_p
    generators: int = 8
    activation_distance: float = 0.2  # impact limits act below this gap
    coast_time: float = 0.1
    retract_speed: float = 0.1
    retract_distance: float = 0.05
    overrun: float = 0.03  # retract when nothing was hit this far behind the surface
    stall_time: float = 0.1  # retract or brake when the arm is blocked for that long
    solver: str = "quadprog"  # or "daqp"
    hold_distance: float = 0.05  # a pushed arm holds its new position beyond it
    after: str = "retract"  # or "hold", "press": motion after the impact
    press_force: float = 0.0  # to press with, along -normal [N]
    person: PersonTask | None = None  # who may be hit: bounds the speed in every direction
    strike: float | None = None  # planned speed with a tool, instead of the limits along -normal

    def __post_init__(self) -> None:
        """Check the choices."""
        if not set(self.also_limits) <= set(IMPACT_LIMITS):
            known, got = ", ".join(IMPACT_LIMITS), ", ".join(self.also_limits)
            raise ControlError(f"also_limits: expected some of {known}, got {got}")
        for name, choices in (
            ("impact_limits", SELECTABLE),
            ("joint_ranges", JOINT_RANGES),
            ("interface", INTERFACES),
            ("solver", SOLVERS),
            ("after", AFTERS),
        ):
            value = getattr(self, name)
            if value not in choices:
                raise ControlError(f"{name}: expected one of {', '.join(choices)}, got {value!r}")
        if self.strike is not None and self.person is not None:
            raise ControlError("person: expected none where a tool strikes")
        if self.strike is not None and self.sends.servo:
            raise ControlError("interface: expected torques of an arm that strikes with a tool")
        for name, unit in (("highest_speed", "m/s"), ("hold_distance", "m")):
            if not getattr(self, name) > 0.0:
                value = getattr(self, name)
                raise ControlError(f"{name}: expected above 0 {unit}, got {value:g}")
        if not self.speed_cap >= 0.0:
            raise ControlError(f"speed_cap: expected at least 0 m/s, got {self.speed_cap:g}")
        if self.after == "press" and not 0.0 < self.press_force < inf:
            raise ControlError(f"press_force: expected a number > 0 [N], got {self.press_force}")
        if self.after == "press" and self.sends.servo:
            raise ControlError("after: expected the torque interface to press with")

    @property
    def sends(self) -> type[CommandInterface]:
        """The command interface, and its properties."""
        return INTERFACES[self.interface]

    def resolved(self, robot: Robot) -> Plan:
        """Return the plan with impact limits by name.

        "auto" is "joint_load" if the robot's YAML defines the required fields (stiffness, damping
        and motor inertia of the joints; a servo's if the arm is not sent torques), else "robust".
        """
        if self.impact_limits != AUTO:
            return self
        return replace(self, impact_limits="joint_load" if self._knows(robot) else "robust")

    def approach_cap(self) -> tuple[ApproachCapLimit, ...]:
        """Return the limit of the speed of approach alone, if there is one."""
        if self.highest_speed == inf:
            return ()
        into = -self.contact.normal
        return (ApproachCapLimit(into, self.highest_speed, preview=self.preview),)

    def prepare(self, robot: Robot) -> None:
        """Compile or load the code of all impact limits of goals: up to a minute, once."""
        from impact_predictor.compiled import coulomb, mobility  # noqa: F401  what it reports
        from impact_qp.compiled import existential_rows  # noqa: F401  and worst_speed

        if self._knows(robot):
            from impact_predictor.joint_load.load import warm_up  # loads slowly

            warm_up()

    def _knows(self, robot: Robot) -> bool:
        """Tell whether the loads of the robot's joints can be predicted."""
        try:
            drive_of(robot, self.interface)
        except PredictionError:
            return False
        return True

    def impact_limit(self, robot: Robot, period: float) -> ImpactLimit | None:
        """Return the impact limit for a robot and a control period [s], None if unaware."""
        usual = self._usual_limit(robot, period)
        if self.strike is None:
            return usual
        options = {"preview": self.preview, "period": period}
        return PlannedSpeedLimit(robot, self.contact, self.strike, usual, **options)

    def _usual_limit(self, robot: Robot, period: float) -> ImpactLimit | None:
        """Return the limit without a strike, see :meth:`impact_limit`."""
        person = ("person",) if self.person is not None else ()
        names = dict.fromkeys((self.resolved(robot).impact_limits, *self.also_limits, *person))
        kinds = [kind for name in names if (kind := IMPACT_LIMITS[name].limit) is not None]
        if len(kinds) > 1:
            return StrictestLimit([self._limit(kind, robot, period) for kind in kinds])
        return self._limit(kinds[0], robot, period) if kinds else None

    def _limit(self, kind: type[ImpactLimit], robot: Robot, period: float) -> ImpactLimit:
        """Return a limit of one kind."""
        return limit_of(
            kind,
            self.interface,
            robot,
            self.contact,
            preview=self.preview,
            generators=self.generators,
            joint_ranges=self.joint_ranges,
            period=period,
            **({"person": self.person} if kind.of_person else {}),
        )
