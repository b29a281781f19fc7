# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The flexible-joint arm in MuJoCo, in contact with one plane."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt

import numpy as np

from impact_robots.compiling.direct_call import direct
from impact_robots.robot import Robot
from impact_robots.state.contact_frame import OWN, ContactPoint
from impact_sim.exceptions import SimulationError
from impact_sim.plant.arm_links import links_of, room_for_motion
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.flexible_arm import FlexibleArm
from impact_sim.plant.mujoco_model import CONTACT_SITE, build_mujoco_model
from impact_sim.plant.step_records import MOVING, ORIGIN, TWIST, Plane, Steps, Touching
from impact_sim.plant.torque_loop import LOOPS, PERIOD, TorqueLoop
from impact_sim.plant.wall_numbers import body_of, plane_of

FREE_STEP = 50e-6  # integration step away from the surface [s]
CONTACT_STEP = 10e-6  # and close to it [s]


class FlexibleJointPlant(FlexibleArm):
    """State and integration of one flexible-joint arm.

    Attributes:
        looks_at_motion: whether the small steps of cycles have positions, velocities and torques.
    """

    looks_at_motion = True

    def __init__(
        self,
        robot: Robot,
        wall: CompliantWall | None = None,
        *,
        contact_step: float = CONTACT_STEP,
        contact: ContactPoint = OWN,
    ) -> None:
        """Build the model; ``reset`` puts it somewhere.

        Args:
            robot: the arm.
            wall: the wall in front of it.
            contact_step: integration step close to the surface [s].
            contact: point that may hit it.

        Raises:
            RobotError: there is no such point.
        """
        import mujoco  # loads slowly

        model = build_mujoco_model(robot, contact)
        contacts = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
        model.opt.disableflags |= int(contacts)  # of MuJoCo's own, which look for nothing here
        super().__init__(robot, model, mujoco.MjData(model))
        self.wall = wall
        self.contact_step = contact_step
        self.contact = contact
        self._site = self.model.site(CONTACT_SITE).id
        self._jacobian = np.zeros((3, self.model.nv))
        self._motion = room_for_motion(robot.dof, self.model.opt.gravity)
        point = self._motion[-MOVING:]
        self._position = point[ORIGIN : ORIGIN + 3]
        self._point_velocity = point[TWIST + 3 : TWIST + 6]
        self._motor_torque = np.zeros(self.model.nv)
        self._step = 0.0  # of MuJoCo's, once it is set [s]
        self._flight = Steps.empty(LOOPS, robot.dof)  # of a cycle in the air, overwritten
        self.contact_force = np.zeros(3)  # on the robot, base axes [N]
        self._touching = self._touching_point()
        self._body_of: CompliantWall | None = None  # the wall whose body this is
        self._body = body_of(None)
        self._compiled_wall: tuple[CompliantWall | None, Plane | None] = None, plane_of(None)
        nothing = Steps.empty(0, robot.dof)  # compiled here, not in a loop
        small_steps, cycle = _compiled()
        start = self._touching, plane_of(None)
        self._small_steps = direct(small_steps, *start, 0.0, 0.0, nothing)
        loop = TorqueLoop(robot).numbers(np.zeros(robot.dof))
        self._cycle = direct(cycle, start[0], loop, start[1], 0.0, 0.0, 1, -1.0, nothing)

    def reset(self, q: np.ndarray, dq: np.ndarray | None = None) -> None:
        """Put the arm at ``q`` [rad] with ``dq`` [rad/s], springs loaded by gravity."""
        import mujoco  # loads slowly

        self.check(q)  # before anything moves
        mujoco.mj_resetData(self.model, self.data)
        self.place(q, dq)
        mujoco.mj_forward(self.model, self.data)
        self._look_at_point()
        self._wall_body()[:2] = self._wall_body()[3:] = 0.0
        self.contact_force = np.zeros(3)

    @property
    def time(self) -> float:
        """Simulated time since ``reset`` [s]."""
        return float(self.data.time)

    @property
    def contact_position(self) -> np.ndarray:
        """Contact point in base axes, shape (3,) [m]."""
        return self._position.copy()

    @property
    def contact_velocity(self) -> np.ndarray:
        """Velocity of the contact point in base axes, shape (3,) [m/s]."""
        return self._point_velocity.copy()

    @property
    def contact_speed(self) -> float:
        """Speed of the contact point [m/s]."""
        return sqrt(self._point_velocity.dot(self._point_velocity))

    @property
    def gap(self) -> float:
        """Distance from the contact point to the wall [m], infinite without a wall."""
        if self.wall is None:
            return float("inf")
        return self.wall.surface.gap(self._position) + float(self._wall_body()[0])

    @property
    def wall_motion(self) -> tuple[float, float]:
        """How far the wall's face was pushed back or yielded [m], and how fast it moves [m/s]."""
        back, speed = self._wall_body()[:2].tolist()
        return back, speed

    @property
    def cover_compression(self) -> float:
        """Largest compression of the tool's cover since ``reset``, 0 without one [m]."""
        return float(self._wall_body()[4])

    def apply_motor_torque(self, torque: np.ndarray) -> None:
        """Hold the actuators' torque tau_act, shape (n,) [N.m], until the next call."""
        self._motor_torque[self._motor] = torque
        self._applied[:] = self._motor_torque

    def advance_free(self, duration: float) -> None:
        """Integrate ``duration`` [s] without the surface."""
        import mujoco  # loads slowly

        self._set_step(FREE_STEP)
        mujoco.mj_step(self.model, self.data, nstep=round(duration / FREE_STEP))
        self._push_back(0.0, duration)
        self._look_at_point()
        self.contact_force = np.zeros(3)

    def advance_contact(self, steps: int = 1) -> Steps:
        """Integrate small steps with the wall's force; leaves ``contact_force`` of the last one.

        Args:
            steps: of ``contact_step``, at least 1.
        """
        self._set_step(self.contact_step)
        found = Steps.empty(steps, self.robot.dof)
        self._integrate(found)
        return self._watched(found)

    def advance_cycle(self, loop: TorqueLoop, desired: np.ndarray, *, near: bool) -> Steps:
        """Integrate a driver's cycle of 1 ms under a torque loop, all of it compiled.

        Args:
            loop: which drives the arm.
            desired: torque of the cycle, gravity included, shape (n,) [N.m].
            near: whether the surface may be touched; then there are rows of small steps, perhaps
                without motion, else one a period of the loop, without velocities of the point,
                until the next call.

        Raises:
            SimulationError: ``compiled`` is False.
        """
        return self._advance_periods(loop, desired, LOOPS, near=near)

    def advance_cycle_within(
        self, loop: TorqueLoop, desired: np.ndarray, clearance: float
    ) -> Iterator[tuple[bool, Steps]]:
        """Integrate a cycle, in small steps in those periods that begin within a clearance.

        Yields parts of the cycle: whether they are of small steps, and these, as of
        ``advance_cycle``.

        Args:
            loop: which drives the arm.
            desired: torque of the cycle, gravity included, shape (n,) [N.m].
            clearance: from the surface [m].

        Raises:
            SimulationError: ``compiled`` is False.
        """
        left = LOOPS
        while left:
            near = self.gap <= clearance
            steps = self._advance_periods(loop, desired, left, near=near, clearance=clearance)
            left -= len(steps.time) // (round(PERIOD / self.contact_step) if near else 1)
            yield near, steps

    def _advance_periods(
        self,
        loop: TorqueLoop,
        desired: np.ndarray,
        periods: int,
        *,
        near: bool,
        clearance: float = -1.0,
    ) -> Steps:
        """Integrate some periods of a cycle, fewer if one begins across a clearance above 0 [m]."""
        if (plane := self._plane()) is None:
            raise SimulationError("advance_cycle: the wall's law is not one that is compiled")
        self._set_step(length := self.contact_step if near else FREE_STEP)
        steps = round(PERIOD / length)
        found = self._flight
        if near or periods < LOOPS:
            rows, motion = periods * (steps if near else 1), not near or self.looks_at_motion
            found = Steps.empty(rows, self.robot.dof, motion=motion)
        figures = self.time, length, steps if near else -steps, clearance
        numbers = loop.numbers(desired)
        done, self.data.time = self._cycle(self._touching, numbers, plane, *figures, found)
        return self._watched(found.first(done))

    @property
    def compiled(self) -> bool:
        """Whether whole cycles are compiled: with the laws of the suite."""
        return self._plane() is not None

    def _set_step(self, length: float) -> None:
        """Let MuJoCo's steps be ``length`` long [s]; to look that up takes as long as ten lines."""
        if self._step != length:
            self.model.opt.timestep = self._step = length

    def _watched(self, steps: Steps) -> Steps:
        """Return what was integrated, after all has looked at it."""
        self._watch(steps)
        self.contact_force = steps.force[-1].copy()
        return steps

    def _watch(self, steps: Steps) -> None:
        """Look at what was integrated; ``contact_force`` is still that before."""

    def _integrate(self, steps: Steps) -> None:
        """Integrate and fill ``steps``."""
        if (plane := self._plane()) is None:
            self._plain_steps(steps)
        else:
            arguments = plane, self.time, self.contact_step, steps
            self.data.time = self._small_steps(self._touching, *arguments)

    def weigh(self) -> None:
        """Take over what was changed in the masses of MuJoCo's model."""
        self._touching = self._touching_point()

    def _touching_point(self) -> Touching:
        """Return the arm, its state in MuJoCo's memory."""
        return Touching(
            self.model._address,
            self.data._address,
            self._qpos,
            self._qvel,
            self._motor,
            self._spring,
            self._motor_torque,
            links_of(self.model, self._motor, self._spring, self._site),
            self._motion,
        )

    def _plane(self) -> Plane | None:
        """Return the wall in plain numbers; none: its law is not one of those that are compiled."""
        if self._compiled_wall[0] is not self.wall:
            cover = self.robot.cover_at(self.contact.frame or self.robot.contact_frame)
            self._compiled_wall = self.wall, plane_of(self.wall, self._wall_body(), cover)
        return self._compiled_wall[1]

    def _wall_body(self) -> np.ndarray:
        """Return what the wall's face moves with, as of ``Plane.body``; another wall is at rest."""
        if self._body_of is not self.wall:
            self._body_of, self._body = self.wall, body_of(self.wall)
        return self._body

    def _push_back(self, force: float, duration: float) -> None:
        """Integrate what the wall's face moves with under a force [N] for some time [s]."""
        body = self._wall_body()
        body[1] += duration * body[2] * force
        body[0] += duration * body[1]

    def _plain_steps(self, steps: Steps) -> None:
        """Integrate with any law, and fill ``steps``."""
        import mujoco  # loads slowly

        for k in range(len(steps.time)):
            steps.time[k] = self.time
            steps.q[k], steps.dq[k], steps.torque[k] = self.q, self.dq, self.joint_torque
            self._look_at_point()
            steps.velocity[k] = self._point_velocity
            mujoco.mj_step1(self.model, self.data)
            self._look_at_point()
            steps.force[k] = force = self._force()
            self._applied[:] = self._motor_torque
            if np.count_nonzero(force):
                self._applied += self._jacobian.T @ force
            mujoco.mj_step2(self.model, self.data)
            if self.wall is not None:
                self._push_back(float(self.wall.surface.normal @ force), self.contact_step)
        self._look_at_point()

    def _look_at_point(self) -> None:
        """Find where the point was at the last step's beginning, and how it moves there now."""
        import mujoco  # loads slowly

        mujoco.mj_jacSite(self.model, self.data, self._jacobian, None, self._site)
        self._position[:] = self.data.site_xpos[self._site]
        self._point_velocity[:] = self._jacobian @ self._qvel

    def _force(self) -> np.ndarray:
        """Return the force of the wall on the point as it is now, base axes, (3,) [N]."""
        penetration = -self.gap
        if self.wall is None or penetration <= 0.0:
            return np.zeros(3)
        growth = self.wall.growth(penetration, self.wall_motion[0])
        self._wall_body()[0] += growth
        speed = self.wall_motion[1]
        return self.wall.force_within(penetration - growth, self._point_velocity, speed)


def _compiled() -> tuple[Callable[..., float], Callable[..., tuple[int, float]]]:
    """Return what integrates small steps, and cycles."""
    from impact_sim.plant.small_steps import (  # numba alone takes a quarter of a second
        cycle,
        small_steps,
    )

    return small_steps, cycle
