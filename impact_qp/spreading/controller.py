# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One arm's controller by reference spreading: one command for each measured state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isfinite, sqrt

import numpy as np

from impact_qp.build import ProgramBuilder
from impact_qp.exceptions import ControlError
from impact_qp.limits.approach_cap import ApproachCapLimit
from impact_qp.limits.braking import BrakingLimit
from impact_qp.limits.command_torque import CommandTorqueLimit
from impact_qp.limits.one_cycle import OneCycleLimit
from impact_qp.limits.torque import KEPT
from impact_qp.program import NoSolutionFound, solve
from impact_qp.references import Knot, Quintics, ReferenceState
from impact_qp.spreading.command import SpreadCommand
from impact_qp.spreading.force import force_acceleration
from impact_qp.spreading.friction import TASKS
from impact_qp.spreading.modes import Mode, StopReason, Variant, fade, mode_at
from impact_qp.spreading.plan import SpreadPlan
from impact_qp.spreading.watch import SpreadWatch
from impact_qp.tasks import OrientationTask
from impact_qp.tasks.redundancy import RedundancyTask
from impact_qp.tasks.tracking import TrackingTask
from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_robots.state import PointState, RobotState

_SINGULAR = 1e-8  # damping of the reference's joint velocities, where the arm is singular
_BRAKING = 20.0  # of the joints where the program has no solution [1/s]
_UNBELIEVABLE = 1e3  # no arm has such positions [rad; m] or velocities [rad/s; m/s]


class SpreadingController:
    """Follows a :class:`SpreadPlan` with one arm; holds no clock and no I/O.

    Several arms have a controller each; :func:`~impact_qp.spreading.heard` says who hears of whose
    impact, and :func:`join` makes them stop together.
    """

    def __init__(self, robot: Robot, plan: SpreadPlan, *, period: float = 1e-3) -> None:
        """Create the controller.

        Args:
            robot: the arm.
            plan: what it is to do.
            period: of control [s].

        Raises:
            RobotError: a limit or another figure of the robot that it needs is unknown.
        """
        from impact_qp.compiled.motion_step import joint_velocity  # loads slowly
        from impact_qp.compiled.torque_box import torque_box, torques_of  # the same

        self._joint_velocity, self._torque_box = joint_velocity, torque_box
        self._torques_of = torques_of
        robot.require("impact_qp")
        self.robot, self.plan, self.period = robot, plan, period
        self._dynamics, self._timing = ArmDynamics(robot, compiled=True), plan.timing
        gains = plan.gains
        self._position = TrackingTask(stiffness=gains.position, weight=gains.position_weight)
        self._turn = OrientationTask(stiffness=gains.orientation, weight=gains.orientation_weight)
        self._turn.reference = plan.reference.rotation
        self._joint = RedundancyTask(stiffness=gains.joint, weight=gains.joint_weight)
        tasks = self._position, self._turn, self._joint
        self._cap = ApproachCapLimit(plan.guard.into, plan.guard.speed)
        limits = OneCycleLimit(robot, period), CommandTorqueLimit(robot), BrakingLimit(robot)
        self._builder = ProgramBuilder(robot.dof, tasks, (*limits, self._cap))
        self._watch = SpreadWatch(plan.guard, plan.contact)
        self.partners: tuple[SpreadingController, ...] = ()  # the other arms, see `join`
        self._step = KEPT * robot.limits.torque_rate * period
        self.reset()

    def reset(self) -> None:
        """Start over, with an arm that its driver holds against gravity alone."""
        self.impact_time: float | None = None  # when the impact was heard of [s]
        self._sent = np.zeros(self.robot.dof)  # last torque beyond gravity [N.m]
        self._gravity = np.zeros(self.robot.dof)  # that the driver must be sent too [N.m]
        self._stop: Quintics | None = None
        self._watch.reset()

    @property
    def stop(self) -> StopReason | None:
        """Why the arm brakes and holds; none: it does not."""
        return self._watch.stop

    def halt(self) -> None:
        """Brake and hold from the next cycle on, until ``reset``."""
        self._watch.halt()

    def settle(self) -> Iterator[np.ndarray]:
        """Yield what to send, once a period, until gravity alone is left, shape (n,) each [N.m].

        It is for an arm whose states are not known any more. If they come again, a stop begins
        where the arm is then.
        """
        while self._sent.any():
            self._sent = self._sent - np.clip(self._sent, -self._step, self._step)
            yield self._sent + self._gravity
        self._stop = None

    def update(
        self, time: float, q: np.ndarray, dq: np.ndarray, *, impact: bool = False
    ) -> SpreadCommand:
        """Return the command for one measured state.

        Args:
            time: of the plan [s].
            q: joint positions, shape (n,) [rad].
            dq: joint velocities, shape (n,) [rad/s].
            impact: the detector holds that this arm has hit something; the first time counts.

        Raises:
            ControlError: the time, or the state, is not finite numbers of the right shape.
        """
        self._check(time, q, dq)
        if impact and self.impact_time is None:
            self.impact_time = time
        point = self._dynamics(q, dq)
        mode = mode_at(self.plan.variant, self._timing, time, self.impact_time)
        stopped = any(each.stop for each in self.partners)
        if self._watch.look(mode, self.impact_time, point, stopped):
            mode = Mode.STOP
        self._cap.active = self.impact_time is None and self.plan.guard.speed < inf
        gamma = fade(mode, self._timing, time, self.impact_time)
        motion = self._follow(mode, gamma, time, point)
        self._watch.follow(mode, point.position, motion)
        added = self._force(mode, motion, point, time)
        ddq, active, solved = self._solve(point, added)
        return self._command(point, ddq, mode, motion, gamma, active, solved)

    def _check(self, time: float, q: np.ndarray, dq: np.ndarray) -> None:
        n = self.robot.dof
        for values in (q, dq):
            usable = getattr(values, "shape", None) == (n,)
            if not usable or not float(values.dot(values)) < _UNBELIEVABLE**2:
                raise ControlError(
                    f"state: expected {n} finite positions and velocities below {_UNBELIEVABLE:g}"
                )
        if not isfinite(time):
            raise ControlError(f"time: expected a finite number, got {time}")

    def _follow(self, mode: Mode, gamma: float, time: float, point: PointState) -> ReferenceState:
        """Set the tasks' references; return that of [p; xi]."""
        motion = self._reference(mode, time, point)(time)
        after, gains = mode in (Mode.INTERIM, Mode.POST), self.plan.gains
        position, turn, joint = self._position, self._turn, self._joint
        position.position, position.velocity = motion.position[:3], motion.velocity[:3]
        position.acceleration, position.fade = motion.acceleration[:3], gamma
        friction = self.plan.post_friction if after else self.plan.ante_friction
        if mode is Mode.STOP:
            friction = None
        known = np.zeros(TASKS) if friction is None else friction(time)
        position.feedforward, turn.feedforward = known[:3], known[3:6]
        joint.feedforward = float(known[6])
        turn.stiffness = gains.orientation_after if after else gains.orientation
        turn.damping = gamma * 2.0 * sqrt(turn.stiffness)
        joint.position, joint.velocity = float(motion.position[3]), float(motion.velocity[3])
        joint.acceleration, joint.fade = float(motion.acceleration[3]), gamma
        return motion

    def _reference(self, mode: Mode, time: float, point: PointState) -> Quintics:
        """Return the reference of a mode; that of a stop begins where and as fast as the arm is."""
        plan = self.plan
        if mode is Mode.STOP:
            if self._stop is None:
                position = np.append(point.position, point.q[0])
                velocity, still = np.append(point.velocity, point.dq[0]), np.zeros(4)
                within = self._watch.braking_time
                rest = position + velocity * within / 2
                self._stop = Quintics(
                    [
                        Knot(time, position, velocity, still),
                        Knot(time + within, rest, still, still),
                    ]
                )
            return self._stop
        if plan.variant is Variant.CONTINUOUS and plan.smooth is not None:
            return plan.smooth
        return plan.reference.ante if mode is Mode.ANTE else plan.reference.post

    def _force(
        self, mode: Mode, motion: ReferenceState, point: PointState, time: float
    ) -> np.ndarray:
        """Return what the force on the object asks of the joints, shape (n,) [rad/s^2]."""
        if mode not in (Mode.INTERIM, Mode.POST) or self._waits(time):
            return np.zeros(self.robot.dof)
        wrench = self.plan.force(motion)
        return force_acceleration(point, self.robot.apparent_motor_inertia, wrench)

    def _waits(self, time: float) -> bool:
        """Tell whether it is too early for the force: not all arms have hit, or just now."""
        settle = self.plan.guard.settle
        if settle is None or self.plan.variant not in (Variant.RS, Variant.NO_GAMMA):
            return False
        impacts = [each.impact_time for each in (self, *self.partners)]
        return any(each is None or time < each + settle for each in impacts)

    def _solve(
        self, point: PointState, added: np.ndarray
    ) -> tuple[np.ndarray, tuple[str, ...], bool]:
        """Return joint accelerations, what binds, and whether there is a solution."""
        program = self._builder.build(point.robot_state, added)
        try:
            solution = solve(program, guess=())
        except NoSolutionFound:
            return -_BRAKING * point.dq, (), False
        return solution.x[: self.robot.dof], solution.active, True

    def _feedback(self, state: RobotState) -> np.ndarray:
        """Return the feedback of all tasks, shape (7,) [m/s^2], [rad/s^2]."""
        position, turn = self._position.feedback(state), self._turn.feedback(state)
        return np.concatenate([position, turn, [self._joint.feedback(state)]])

    def _command(
        self,
        point: PointState,
        ddq: np.ndarray,
        mode: Mode,
        motion: ReferenceState,
        gamma: float,
        active: tuple[str, ...],
        solved: bool,
    ) -> SpreadCommand:
        """Return the command: the torque of the accelerations, its rate limited for each joint."""
        robot, state = self.robot, point.robot_state
        linear, first = motion.velocity[:3], float(motion.velocity[3])
        box = self._torque_box(state.g, self._sent, self._step, robot.limits.torque, False)
        motor_inertia = robot.apparent_motor_inertia
        torque, reference = self._torques_of(state.M, motor_inertia, state.h, ddq, box)
        self._sent = torque - state.g
        if not robot.driver_compensates_gravity:
            self._gravity = state.g
        return SpreadCommand(
            torque=torque,
            gravity=state.g,
            driver_torque=self._sent if robot.driver_compensates_gravity else torque,
            ddq=ddq,
            reference_torque=reference,
            mode=mode,
            reference=motion,
            joint_velocity=self._joint_velocity(point.J, linear, first, _SINGULAR),
            task_feedback=self._feedback(state),
            fade=gamma,
            velocity=point.velocity,
            active=active,
            solved=solved,
            stop=self.stop,
        )


def join(controllers: Sequence[SpreadingController]) -> None:
    """Make arms that hit one object stop when one of them does, and wait for the others' impacts.

    An arm that is updated before another one knows of it a cycle later.
    """
    for each in controllers:
        each.partners = tuple(other for other in controllers if other is not each)
