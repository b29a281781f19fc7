# SPDX-License-Identifier: Apache-2.0
"""The impact-aware controller: approach, coast, retract, hold."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from impact_qp.acceleration import Acceleration, AccelerationSolver
from impact_qp.exceptions import ControlError
from impact_qp.limits import (
    Contact,
    ExistentialImpactLimit,
    ImpactLimit,
    NominalImpactLimit,
    RobustImpactLimit,
)
from impact_qp.program import SOLVERS
from impact_qp.tasks import OrientationTask, PostureTask, Task, VelocityTask
from impact_qp.velocity_filter import VelocityFilter
from impact_robots.dynamics import ArmDynamics, ArmState
from impact_robots.robot import Robot

IMPACT_LIMITS: dict[str, type[ImpactLimit] | None] = {
    "unaware": None,
    "robust": RobustImpactLimit,
    "existential": ExistentialImpactLimit,
    "nominal": NominalImpactLimit,
}
INTERFACES = ("torque", "velocity", "position")
VELOCITY_MARGIN = 0.02  # of robust limits; an arm follows velocities within 1 %, and then 1 %
STALLED = 0.25  # share of the highest approach speed near the surface
PLAUSIBLE = 1e3  # no arm has such positions [rad; m] or velocities [rad/s; m/s]


class Phase(Enum):
    """What the controller is doing."""

    APPROACH = "approach"
    COAST = "coast"
    RETRACT = "retract"
    HOLD = "hold"
    PRESS = "press"


AFTER = {"retract": Phase.RETRACT, "hold": Phase.HOLD, "press": Phase.PRESS}


@dataclass(frozen=True)
class Plan:
    """What the arm is to do; times in seconds, lengths in metres, speeds in m/s."""

    contact: Contact
    impact_limits: str = "robust"  # one of IMPACT_LIMITS
    interface: str = "torque"  # or "velocity", "position": what the robot is sent
    speed: float = 0.1  # reference along -normal
    ramp: float = 4.0  # [m/s^2]
    preview: float = 0.02  # T_p
    generators: int = 8
    activation_distance: float = 0.2  # impact limits act below this gap
    coast_time: float = 0.1
    retract_speed: float = 0.1
    retract_distance: float = 0.05
    overrun: float = 0.03  # retract when nothing was hit this far behind the surface
    stall_time: float = 0.1  # retract when the arm stopped that long near it, unexplained
    solver: str = "quadprog"  # or "daqp"
    after: str = "retract"  # or "hold", "press": what follows the impact
    press_force: float = 0.0  # to press with, along -normal [N]

    def __post_init__(self) -> None:
        """Check the choices."""
        for name, choices in (
            ("impact_limits", IMPACT_LIMITS),
            ("interface", INTERFACES),
            ("solver", SOLVERS),
            ("after", AFTER),
        ):
            value = getattr(self, name)
            if value not in choices:
                raise ControlError(f"{name}: expected one of {', '.join(choices)}, got {value!r}")
        if self.after == "press" and not 0.0 < self.press_force < np.inf:
            raise ControlError(f"press_force: expected a number > 0 [N], got {self.press_force}")
        if self.after == "press" and self.interface != "torque":
            raise ControlError("after: expected the torque interface to press with")


class Command(NamedTuple):
    """What one cycle sends and tells; arrays of shape (n,)."""

    torque: np.ndarray  # u, gravity included [N.m]
    driver_torque: np.ndarray  # what the driver is sent: without gravity if it adds it [N.m]
    velocity: np.ndarray  # for a velocity interface [rad/s]
    position: np.ndarray  # for a position interface [rad]
    ddq: np.ndarray  # [rad/s^2]
    reference_torque: np.ndarray  # M qddot + h: what the joint sensors should read [N.m]
    phase: Phase
    active: tuple[str, ...]
    relaxed: tuple[str, ...]
    slack: float  # [m/s] for the one-row limits
    normal_speed: float  # of the contact point along the normal [m/s]
    speed_bound: float  # of the impact limit, NaN without one [m/s]
    gap: float  # [m]
    due: bool  # the impact: the surface is that near, or was hit a moment ago


def _impact_limit(robot: Robot, plan: Plan) -> ImpactLimit | None:
    """Return the plan's impact limit, none if it is unaware."""
    kind = IMPACT_LIMITS[plan.impact_limits]
    if kind is None:
        return None
    options: dict[str, Any] = {"preview": plan.preview, "generators": plan.generators}
    if kind is RobustImpactLimit and plan.interface != "torque":
        options["margin"] = VELOCITY_MARGIN
    return kind(robot, plan.contact, **options)


class ImpactController:
    """One cycle per measured state; holds no clock and no I/O."""

    def __init__(self, robot: Robot, plan: Plan, *, period: float = 1e-3) -> None:
        """Create the controller for a control period [s]; ``reset`` before the first cycle."""
        self.robot, self.plan, self.period = robot, plan, period
        self._dynamics = ArmDynamics(robot)
        self._filter = VelocityFilter(period)
        self._velocity_task = VelocityTask()
        self._orientation_task = OrientationTask()
        self._posture_task = PostureTask(robot.dof)
        self._tasks: tuple[Task, ...] = (
            self._velocity_task,
            self._orientation_task,
            self._posture_task,
        )
        self.impact_limit = _impact_limit(robot, plan)
        self._solver = AccelerationSolver(
            robot, period, self._tasks, self.impact_limit, plan.solver
        )
        self._normal = plan.contact.rotation[:, 2].copy()
        self._motor, self._nothing = robot.apparent_motor_inertia, np.zeros(robot.dof)
        self._position = np.zeros(robot.dof)  # last commanded, once started
        self._sent: np.ndarray = np.zeros(robot.dof)  # last torque beyond gravity
        self._hangs: np.ndarray | None = None  # gravity torque, where the driver has none
        self.let_go()
        self.reset()

    def reset(self) -> None:
        """Start over: the next state is where the approach begins."""
        self._forget_motion()
        self._phase, self._started, self._positioned = Phase.APPROACH, False, False
        self._fastest = self._stalled = 0.0
        self._phase_time = 0.0
        self._stopping = False
        self._speed = 0.0

    def take_over(self, other: ImpactController) -> None:
        """Begin where another controller of the same robot has left it; ``reset`` before."""
        self._sent, self._hangs = other._sent, other._hangs
        self._forget_motion()
        if other._started:
            self._position, self._positioned = other._position, True

    def let_go(self) -> None:
        """Go on from ``rest``, which the robot was sent instead of this controller's command."""
        self._sent = np.zeros(self.robot.dof)
        self._forget_motion()

    def _forget_motion(self) -> None:
        """Forget the last cycle, but for the torque sent: its rate is limited from there on."""
        self._solver.reset()
        self._solver.torque_limit.previous = self._sent
        self._filter.reset()
        self._ddq = np.zeros(self.robot.dof)
        self._velocity = np.zeros(self.robot.dof)

    def rest(self) -> np.ndarray | None:
        """Return what leaves the arm to gravity compensation, or to zero velocity, (n,).

        With a driver that does not compensate gravity: the gravity torque at the last state. With
        a position interface the last commanded position, none if there was none.
        """
        if self.plan.interface == "position":
            return self._position if self._started else None
        return np.zeros(self.robot.dof) if self._hangs is None else self._hangs

    def stop(self) -> None:
        """Brake and hold, from the next cycle on, until ``reset``."""
        self._stopping = True

    def update(
        self, q: np.ndarray, dq: np.ndarray, *, impact: bool = False, ready: bool = True
    ) -> Command:
        """Return the command for one measured state.

        Args:
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            impact: the detector holds that the arm has hit something.
            ready: the detector would see an impact; without it the arm does not approach.

        Raises:
            ControlError: the state is not n finite numbers, or beyond what any arm does; the
                controller is as before.
        """
        if not self._usable(q) or not self._usable(dq):
            raise ControlError(
                f"state: expected {self.robot.dof} finite positions and velocities"
                f" below {PLAUSIBLE:g}"
            )
        state = self._dynamics(q, self._estimate(q, dq, impact))
        gap = self.plan.contact.gap(state.position)
        self._watch_for_stall(state, gap, ready)
        phase = self._next_phase(gap, impact)
        self._phase_time += self.period
        if phase is not self._phase or not self._started:
            self._enter(phase, state)
        command = self._command(state, gap, ready)
        self._remember(command, state)
        return command

    def _estimate(self, q: np.ndarray, dq: np.ndarray, impact: bool) -> np.ndarray:
        """Return the joint velocities to plan from, shape (n,) [rad/s].

        With a torque interface the filtered measurement; right after an impact the measurement
        itself, because velocities jump. A velocity- or position-controlled arm follows the command
        with the lag of its own loop, which must not be fed back: there the last command.
        """
        if self.plan.interface != "torque" and self._started:
            return self._velocity
        if impact or self._phase is Phase.COAST:
            self._filter.reset()
        return self._filter.update(q, dq, self._ddq)

    def _usable(self, values: np.ndarray) -> bool:
        if np.shape(values) != (self.robot.dof,):
            return False
        return float(values.dot(values)) < PLAUSIBLE**2  # NaN: no

    def _next_phase(self, gap: float, impact: bool) -> Phase:
        """Return the phase of this cycle."""
        phase, plan = self._phase, self.plan
        if self._stopping:
            return Phase.HOLD
        if phase is Phase.APPROACH and impact:
            return Phase.COAST if plan.interface == "torque" else AFTER[plan.after]
        coasted = phase is Phase.COAST and self._phase_time >= plan.coast_time
        blocked = self._stalled >= plan.stall_time
        missed = phase is Phase.APPROACH and (gap < -plan.overrun or blocked)
        if coasted:
            return AFTER[plan.after]
        lost = phase is Phase.PRESS and gap < -plan.overrun
        if missed or lost:
            return Phase.RETRACT
        retracted = phase is Phase.RETRACT and gap > plan.retract_distance
        return Phase.HOLD if retracted else phase

    def _watch_for_stall(self, state: ArmState, gap: float, ready: bool) -> None:
        """Count how long the arm has been stopped near the surface, as by a missed impact [s]."""
        if self._phase is not Phase.APPROACH or gap > self.plan.overrun or not ready:
            self._fastest = self._stalled = 0.0
            return
        speed = -float(self._normal.dot(state.velocity))
        self._fastest = max(self._fastest, speed)
        slow = speed < STALLED * self._fastest
        self._stalled = self._stalled + self.period if slow else 0.0

    def _enter(self, phase: Phase, state: ArmState) -> None:
        """Start a phase from this state."""
        if not (self._started or self._positioned):
            self._position = state.q
        self._started = True
        self._phase, self._phase_time, self._speed = phase, 0.0, 0.0
        self._orientation_task.reference = state.rotation
        self._posture_task.reference = state.q
        self._velocity = state.dq

    def _command(self, state: ArmState, gap: float, ready: bool) -> Command:
        """Return the command of the present phase."""
        limit = self.impact_limit if self._impact_limit_acts(gap) else None
        press = self._press(state)
        self._solver.torque_limit.added = press
        if self._phase is Phase.COAST:
            result = self._coast(state)
        else:
            self._set_reference(ready)
            result = self._solver.solve(state, impact=limit is not None)
        ddq, dt = result.ddq, self.period
        torque, reference = self._torques(state, ddq, press)
        step = ddq * dt
        compensated = state.g if self.robot.driver_compensates_gravity else 0.0
        return Command(
            torque=torque,
            driver_torque=torque - compensated,
            velocity=self._velocity + step,
            position=self._position + (self._velocity + step * 0.5) * dt,
            ddq=ddq,
            reference_torque=reference,
            phase=self._phase,
            active=result.active,
            relaxed=result.relaxed,
            slack=result.slack,
            normal_speed=float(self._normal.dot(state.velocity)),
            speed_bound=float("nan") if limit is None else limit.bound.speed,
            gap=gap,
            due=self._is_due(gap),
        )

    def _is_due(self, gap: float) -> bool:
        """Return whether contact is meant now: the surface may be off by the overrun."""
        near = self._phase is Phase.APPROACH and gap <= self.plan.overrun
        return near or self._phase is Phase.COAST

    def _impact_limit_acts(self, gap: float) -> bool:
        """Return whether the impact limit is in force."""
        near = gap < self.plan.activation_distance
        moving = self._phase in (Phase.APPROACH, Phase.PRESS)  # pressing may lose the surface
        return moving and near and self.impact_limit is not None

    def _coast(self, state: ArmState) -> Acceleration:
        """Return the acceleration that gravity compensation alone leaves: u = g."""
        inertia = state.M + np.diag(self.robot.apparent_motor_inertia)
        ddq = np.linalg.solve(inertia, state.g - state.h)
        return Acceleration(ddq, active=(), slack=0.0, relaxed=())

    def _set_reference(self, ready: bool) -> None:
        """Ramp the reference velocity towards the phase's speed along the normal."""
        plan = self.plan
        approach = -plan.speed if ready else 0.0
        targets = {Phase.APPROACH: approach, Phase.RETRACT: plan.retract_speed}
        change, most = targets.get(self._phase, 0.0) - self._speed, plan.ramp * self.period
        step = min(max(change, -most), most)
        self._speed += step
        self._velocity_task.reference = self._speed * self._normal
        self._velocity_task.feedforward = step / self.period * self._normal

    def _press(self, state: ArmState) -> np.ndarray:
        """Return the torques that press on the surface, zero in other phases, (n,) [N.m]."""
        if self._phase is not Phase.PRESS:
            return self._nothing
        return -self.plan.press_force * self._normal.dot(state.J[:3])

    def _torques(
        self, state: ArmState, ddq: np.ndarray, press: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return u and the links' share of it, each of shape (n,) [N.m].

        u = (M + B_theta) qddot + h + press, clipped to torque and rate; the links' share is
        without B_theta and not clipped.
        """
        links = state.M.dot(ddq) + state.h + press
        lower, upper = self._solver.torque_limit.box(state)
        return np.minimum(np.maximum(links + self._motor * ddq, lower), upper), links

    def _remember(self, command: Command, state: ArmState) -> None:
        """Keep what the next cycle's rates are measured from."""
        self._sent = command.torque - state.g
        self._solver.joint_limit.previous = command.ddq
        self._solver.torque_limit.previous = self._sent
        self._ddq = command.ddq
        self._velocity, self._position = command.velocity, command.position
        if self.plan.interface == "torque" and not self.robot.driver_compensates_gravity:
            self._hangs = state.g
