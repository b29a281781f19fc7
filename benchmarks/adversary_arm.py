# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A rigid arm that closes the control loop: cheap enough for a million cycles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from impact_robots import ArmDynamics, PointState, Robot, Surface

FOLLOWS = 0.01  # time constant of a velocity-controlled joint [s]
POSITION_GAIN = 50.0  # of a position-controlled joint [1/s]
WALL_STIFFNESS, WALL_DAMPING = 3e4, 60.0  # [N/m], [N.s/m]
GRAVITY = np.array([0.0, 0.0, 9.81])  # [m/s^2]
VISCOUS = 0.5  # friction of each joint [N.m.s/rad]
COULOMB, COULOMB_SPEED = 0.3, 0.01  # [N.m], below this speed it goes to zero [rad/s]


class SimulatedArm:
    """State of one arm between its commands; may be blocked, and may have a wall ahead.

    With torques: rigid links and the apparent motor inertia, friction, soft walls. With velocities
    or positions: joints that follow with a lag, and stop dead at walls.
    """

    def __init__(self, robot: Robot, interface: str, *walls: Surface | None) -> None:
        """Create an arm; ``reset`` puts it somewhere."""
        self.robot, self.interface = robot, interface
        self.walls = [each for each in walls if each is not None]
        self.blocked = False  # somebody holds it
        self.disturbance = np.zeros(robot.dof)  # torque that no model knows, shape (n,) [N.m]
        self.friction = 1.0  # fraction that is left
        self.payload = 0.0  # that nobody announced [kg]
        self.payload_at = np.zeros(3)  # beside the contact point, in its axes [m]
        self.gain = 1.0  # of the motion over what the driver is sent, velocities and positions
        self.hits: list[tuple[Surface, PointState]] = []  # what it met, and how it was then
        self._dynamics = ArmDynamics(robot)
        self._motor = np.diag(robot.apparent_motor_inertia)
        self.reset(np.array(robot.stance), np.zeros(robot.dof))

    def reset(self, q: np.ndarray, dq: np.ndarray) -> None:
        """Put the arm at ``q`` [rad] with ``dq`` [rad/s], each of shape (n,)."""
        self.q, self.dq = np.array(q, dtype=float), np.array(dq, dtype=float)
        self._origin = self.q.copy()  # from where a gain acts on positions
        self.state: PointState = self._dynamics(self.q, self.dq)
        self.touches = False
        self._inside: list[Surface] = []

    def step(self, values: np.ndarray, period: float) -> None:
        """Move for ``period`` [s] under the last command that its driver was sent, shape (n,)."""
        inside = [each for each in self.walls if each.gap(self.state.position) < 0.0]
        self.hits += [(each, self.state) for each in inside if each not in self._inside]
        self._inside, self.touches = inside, bool(inside)
        if self.blocked:
            self.dq = np.zeros_like(self.dq)
        elif self.interface == "torque":
            self.dq = self.dq + period * self._acceleration(values)
        else:
            self.dq = self._follow(values, period)
        self.q = self.q + period * self.dq
        self.state = self._dynamics(self.q, self.dq)

    def _acceleration(self, values: np.ndarray) -> np.ndarray:
        state, J = self.state, self.state.J[:3]
        torque, inertia = values + self.unmodelled() - state.h, state.M + self._motor
        if self.robot.driver_compensates_gravity:
            torque += state.g
        if self.payload:
            J_load = J + np.cross(state.J[3:], state.rotation @ self.payload_at, axis=0)
            torque = torque - self.payload * (J_load.T @ (GRAVITY + state.drift[:3]))
            inertia = inertia + self.payload * (J_load.T @ J_load)
        for wall in self._inside:
            depth, speed = -wall.gap(state.position), float(wall.normal @ state.velocity)
            torque += max(0.0, WALL_STIFFNESS * depth - WALL_DAMPING * speed) * (wall.normal @ J)
        return np.linalg.solve(inertia, torque)

    def unmodelled(self) -> np.ndarray:
        """Return the torques that no model knows, shape (n,) [N.m]."""
        friction = VISCOUS * self.dq + COULOMB * np.tanh(self.dq / COULOMB_SPEED)
        return self.disturbance - self.friction * friction

    def push(self, normal: np.ndarray) -> float:
        """Return how fast these accelerate the contact point along a normal [m/s^2]."""
        if self.interface != "torque":
            return 0.0
        ddq = np.linalg.solve(self.state.M + self._motor, self.unmodelled())
        return float(normal @ self.state.J[:3] @ ddq)

    def _follow(self, values: np.ndarray, period: float) -> np.ndarray:
        if self.interface == "velocity":
            aim = self.gain * values
        else:
            command = self._origin + self.gain * (values - self._origin)
            aim = POSITION_GAIN * (command - self.q)
        dq = self.dq + min(1.0, period / FOLLOWS) * (aim - self.dq)
        for wall in self._inside:
            row = wall.normal @ self.state.J[:3]
            into = min(0.0, float(row @ dq))
            dq = dq - row * (into / float(row @ row))
        return dq


def carried(
    start: np.ndarray, to: np.ndarray, begun: float, seconds: float
) -> Callable[[float], tuple[np.ndarray, np.ndarray]]:
    """Return where a person who carries an arm has it at a time: positions and velocities, (n,).

    Args:
        start: positions where it is taken, shape (n,) [rad].
        to: where it is let go, shape (n,) [rad].
        begun: when it is taken [s].
        seconds: duration [s].
    """

    def path(now: float) -> tuple[np.ndarray, np.ndarray]:
        x = min(1.0, (now - begun) / seconds)
        q = start + (to - start) * (3.0 * x**2 - 2.0 * x**3)
        return q, (to - start) * (6.0 * x - 6.0 * x**2) / seconds * (x < 1.0)

    return path
