# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Control of a whole robot by one quadratic program per cycle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from impact_qp.exceptions import ControlError
from impact_qp.limits import Limit, SpeedBound
from impact_qp.limits.impact_limits.contact import NO_BOUND
from impact_qp.program.build import ProgramBuilder
from impact_qp.program.program import NoSolutionFound, QuadraticProgram, Solution, solve
from impact_qp.tasks import OrientationTask, Task
from impact_qp.whole_body.arrival import ArrivalsLimit
from impact_qp.whole_body.arrivals_limit import WorstCaseArrivalsLimit
from impact_qp.whole_body.body_limits import JointBounds
from impact_qp.whole_body.body_tasks import (
    AcrossPositionTask,
    AxialVelocityTask,
    ComTask,
    JointPostureTask,
)
from impact_qp.whole_body.impact_rows import CentroidalBounds
from impact_qp.whole_body.one_impulse_each import ExistentialArrivalsLimit
from impact_qp.whole_body.planning import JOINT_LOAD
from impact_qp.whole_body.standing import StandingLimit
from impact_qp.whole_body.targets import Phases, WholeBodyTargets
from impact_robots import ArmDynamics, Robot, RobotState

MODES = ("position", "torque")
NO_FORCE = 3.0  # on a palm, up to which it is noise to the torque mode [N]
_STANDS = 10.0  # acceleration below which the robot can stand [rad/s^2]
AWARENESS = ("robust", JOINT_LOAD, "nominal", "existential", "unaware")


class WholeBodyCommand(NamedTuple):
    """Command of a cycle."""

    positions: np.ndarray  # of the joints, for the position mode, shape (n,) [rad]
    velocities: np.ndarray  # of the joints, shape (n,) [rad/s]
    torques: np.ndarray  # of the motors, for the torque mode, shape (n,) [N.m]
    solved: bool  # false: the last command is held
    bound: SpeedBound  # on the palms' common speed; infinite: unbounded, NaN: not computed
    active: tuple[str, ...]  # rows and bounds that bind
    sole_wrenches: np.ndarray  # planned, about the soles' origins, world axes, (k, 6) [N; N.m]


class _Palm:
    """The tasks of one palm."""

    def __init__(self, frame: str) -> None:
        self.axial, self.across = AxialVelocityTask(frame), AcrossPositionTask(frame)
        self.turn = OrientationTask(stiffness=60.0, damping=15.0, weight=20.0, frame=frame)
        self.tasks = self.axial, self.across, self.turn


def _impact_limit(
    name: str, robot: Robot, palms: int, centroidal: CentroidalBounds | None
) -> ArrivalsLimit | None:
    """Return the impact limit of a name of :data:`AWARENESS`."""
    if name == "unaware":
        return None
    if name == "existential":
        return ExistentialArrivalsLimit(robot, palms, centroidal=centroidal)
    return WorstCaseArrivalsLimit(
        robot,
        palms,
        along_normal=name == "nominal",
        by_load=name == JOINT_LOAD,
        centroidal=centroidal,
    )


class WholeBodyController:
    """Follows the targets of phases within the robot's limits, position or torque by choice.

    In position mode the program integrates its own state, which starts at the first measured one,
    and the joints' positions are commanded; in torque mode it acts on the measured state. Measured
    forces on the palms are part of the dynamics. If a program has no solution, or a measurement is
    not finite, the last command is held.
    """

    def __init__(
        self,
        robot: Robot,
        q: np.ndarray,
        phases: Phases,
        *,
        mode: str = "position",
        impact_limits: str = "robust",
        period: float = 0.005,
        soles: Sequence[str] = ("left_sole", "right_sole"),
        palms: Sequence[str] = ("left_palm", "right_palm"),
        sole_friction: float = 0.7,
        solver: str = "daqp",
        tasks: Sequence[Task] = (),
        limits: Sequence[Limit] = (),
        centroidal: CentroidalBounds | None = None,
    ) -> None:
        """Set up, and compute the command that stands at the start.

        Args:
            robot: with a floating base.
            q: start at rest, shape (nq,): its centre of mass, base and posture are held.
            phases: targets of each cycle.
            mode: of :data:`MODES`.
            impact_limits: of :data:`AWARENESS`: which impulses must be safe.
            period: of control [s].
            soles: contacts that hold on a level floor.
            palms: contacts that move.
            sole_friction: assumed [-].
            solver: of ``impact_qp.program.program.SOLVERS``.
            tasks: further ones, as of angular momentum.
            limits: further ones, as of support and momentum.
            centroidal: bounds on the whole robot's motion after an impact; none: no such rows.

        Raises:
            ControlError: an invalid choice, a robot without a floating base, or a start at which it
                cannot stand.
            RobotError: the robot's YAML lacks required values.
        """
        for name, value, choices in (
            ("mode", mode, MODES),
            ("impact_limits", impact_limits, AWARENESS),
        ):
            if value not in choices:
                raise ControlError(f"{name}: expected one of {', '.join(choices)}, got {value!r}")
        if robot.base != "floating":
            raise ControlError(f"base: expected floating, got {robot.base}")
        self.robot, self.phases, self.mode, self.period = robot, phases, mode, period
        self._solver, self._frames = solver, tuple(palms)
        self._dynamics = ArmDynamics(robot, "all", compiled=True)
        self._palms = [_Palm(frame) for frame in palms]
        self._com, self._posture = ComTask(), JointPostureTask(robot.dof)
        self._base = OrientationTask(
            stiffness=80.0, damping=16.0, weight=50.0, frame=robot.base_frame
        )
        self._standing = StandingLimit(robot, soles, friction=sole_friction)
        self._impact = _impact_limit(impact_limits, robot, len(self._frames), centroidal)
        held: list[Limit] = [self._standing, JointBounds(robot, period), *limits]
        self._fixed_rows = sum(len(each.names) for each in held)
        held += [] if self._impact is None else [self._impact]
        own: list[Task] = [self._com, self._base, self._posture, *tasks]
        own += [task for palm in self._palms for task in palm.tasks]
        soften = any(each.yields for each in held)
        self._builder = ProgramBuilder(robot.nv, own, held, soften=soften)
        self._start = np.array(q, dtype=float)
        self._q: np.ndarray | None = None  # of the state that position mode integrates
        self._v = np.zeros(robot.nv)
        self._next = self._start, self._v  # state commanded by the last cycle
        self._bound_rows: tuple[int, tuple[int, ...]] = (0, ())  # of how many; of the last cycle
        self._begin(self._start)

    def update(
        self, time: float, q: np.ndarray, v: np.ndarray, palm_forces: np.ndarray
    ) -> WholeBodyCommand:
        """Return the command of a cycle.

        Args:
            time: [s].
            q: measured, shape (nq,): position [m] and quaternion x, y, z, w of the base, joints.
            v: measured, shape (nv,): linear and angular velocity of the base, in its own axes,
                joints [m/s, rad/s].
            palm_forces: measured, on the robot, world axes, shape (k, 3) [N].

        Raises:
            ControlError: not a force for each palm.
            RobotError: wrong number of positions or velocities.
        """
        expected = (len(self._frames), 3)
        if np.shape(palm_forces) != expected:
            got = np.shape(palm_forces)
            raise ControlError(f"palm_forces: expected shape {expected}, got {got}")
        if not np.isfinite(np.concatenate([q, v, np.ravel(palm_forces)])).all():
            return self.hold()
        state = self._state(q, v)
        points = tuple(state.at(frame) for frame in self._frames)
        self._aim(self.phases.targets(time, points, palm_forces))
        felt = palm_forces
        if self.mode == "torque":  # noise of a sensor that bears nothing would move the palms
            bears = np.linalg.norm(palm_forces, axis=1, keepdims=True) > NO_FORCE
            felt = np.where(bears, palm_forces, 0.0)
        self._standing.forces = tuple(zip(self._frames, felt, strict=True))
        try:
            found = self._solve(self.program(state))
        except NoSolutionFound:
            return self.hold()
        return self._command(state, found.x, found.active)

    @property
    def reference(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions (nq,) and velocities (nv,) at the end of the commanded cycle.

        Before the first cycle: the start.
        """
        return self._next

    def program(self, state: RobotState) -> QuadraticProgram:
        """Return the program at a state; rows of the impact without effect are left out."""
        program = self._builder.build(state)
        if self._impact is None:
            return program
        rows = self._fixed_rows + self._impact.used
        G, h, names = program.G[:rows], program.h[:rows], program.names[:rows]
        return program._replace(G=G, h=h, names=names)

    def _solve(self, program: QuadraticProgram) -> Solution:
        """Solve, beginning with the rows that bound in the last cycle if there are as many now.

        Raises:
            NoSolutionFound: there is none.
        """
        count, rows = self._bound_rows
        self._bound_rows = (0, ())
        found = solve(program, self._solver, rows if count == len(program.h) else None)
        self._bound_rows = (len(program.h), found.rows)
        return found

    def _begin(self, q: np.ndarray) -> None:
        """Set the held references to a state, and solve for standing there."""
        state = self._dynamics.state(q, np.zeros(self.robot.nv))
        _, self._start_com = state.whole()
        self._com.reference = self._start_com
        self._base.reference = state.at(self.robot.base_frame).rotation
        limits = self.robot.limits
        joints = q[-self.robot.dof :]
        self._posture.reference = np.clip(joints, limits.position_lower, limits.position_upper)
        for palm in self._palms:
            point = state.at(palm.axial.frame)
            palm.across.position, palm.turn.reference = point.position, point.rotation
        try:
            found = solve(self.program(state), self._solver)
        except NoSolutionFound as error:
            raise ControlError(f"start: expected a state to stand in, got {error}") from None
        worst = float(np.abs(found.x[: self.robot.nv]).max())
        if worst > _STANDS:
            raise ControlError(
                f"start: expected a state to stand in, got accelerations up to {worst:.3g} rad/s^2"
            )
        torques, wrenches = self._loads(state, found.x)
        none = np.zeros(self.robot.dof)
        self._last = WholeBodyCommand(
            joints.copy(), none, torques, True, NO_BOUND, found.active, wrenches
        )

    def _state(self, q: np.ndarray, v: np.ndarray) -> RobotState:
        """Return the state to control: the measured or the integrated one."""
        if self.mode == "torque":
            return self._dynamics.state(q, v)
        if self._q is None:
            self._q = np.array(q, dtype=float)
        return self._dynamics.state(self._q, self._v)

    def _aim(self, targets: WholeBodyTargets) -> None:
        """Set the tasks' references."""
        for palm, wanted in zip(self._palms, targets.palms, strict=True):
            if wanted.normal is not palm.axial.axis:
                palm.axial.axis = palm.across.axis = wanted.normal
            palm.axial.velocity = palm.across.velocity = wanted.velocity
            palm.across.position, palm.turn.reference = wanted.position, wanted.rotation
        self._com.reference = self._start_com if targets.com is None else targets.com
        if self._impact is not None:
            self._impact.arrivals = targets.arrivals

    def _command(
        self, state: RobotState, x: np.ndarray, active: tuple[str, ...]
    ) -> WholeBodyCommand:
        """Return the command of a solution, and advance to the next state."""
        ddq, first = x[: self.robot.nv], self.robot.nv - self.robot.dof
        torques, wrenches = self._loads(state, x)
        v = state.dq + self.period * ddq
        q = pin.integrate(self.robot.model, state.q, self.period * v)
        self._next = q, v
        if self.mode == "position":
            self._q, self._v = q, v
        bound = NO_BOUND if self._impact is None else self._impact.bound
        self._last = WholeBodyCommand(
            q[-self.robot.dof :], v[first:], torques, True, bound, active, wrenches
        )
        return self._last

    def _loads(self, state: RobotState, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return torques and soles' wrenches of a solution."""
        nv = self.robot.nv
        y = x[nv : nv + self._standing.variables]
        return self._standing.torques(state, x[:nv], y), self._standing.wrenches(state, y)

    def hold(self) -> WholeBodyCommand:
        """Return the last command, held: state and phases do not advance."""
        self._v = np.zeros(self.robot.nv)
        self._next = self._next[0], self._v
        velocities = np.zeros(self.robot.dof)
        self._last = self._last._replace(velocities=velocities, solved=False, active=())
        return self._last
