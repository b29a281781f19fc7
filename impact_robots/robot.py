# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The frozen description of one robot, used by all packages of the suite."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, fields, replace
from functools import cached_property
from zlib import crc32

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from impact_robots.description.floating_base import BASE_VELOCITIES, floating_position
from impact_robots.description.joint_ranges import KNOWN_JOINTS, JointRanges
from impact_robots.description.keys import (
    ARMS_ONLY,
    BY_NAME,
    OPTIONAL,
    TORQUE_NOISE,
    VELOCITY_NOISE,
    missing_line,
    needed_by,
)
from impact_robots.description.loops import LoopJoint
from impact_robots.description.named_contact import Cover, MountedTool, NamedContact
from impact_robots.exceptions import RobotError
from impact_robots.validation import finite_array

LOCKED = 1e6  # inertia of a motor that does not move [kg.m^2]
FAR = 1.5  # times a limit: values beyond that are rather in degrees


def read_only(values: ArrayLike) -> np.ndarray:
    """Return a float copy of ``values`` that cannot be written to."""
    array = np.array(values, dtype=float)
    array.setflags(write=False)
    return array


@dataclass(frozen=True)
class JointLimits:
    """Hardware limits, each an array of shape (n,) in the robot's joint order.

    Velocity, acceleration, jerk, torque and torque rate are symmetric: the value bounds the
    magnitude. NaN is unknown, see :meth:`Robot.require`.
    """

    position_lower: np.ndarray  # [rad]
    position_upper: np.ndarray  # [rad]
    velocity: np.ndarray  # [rad/s]
    acceleration: np.ndarray  # [rad/s^2]
    jerk: np.ndarray  # [rad/s^3]
    torque: np.ndarray  # [N.m]
    torque_rate: np.ndarray  # [N.m/s]
    impulsive_torque: np.ndarray  # largest tolerated change of joint torque by an impact [N.m]
    torque_range: np.ndarray  # largest measured torque, gravity included; NaN: not limited [N.m]

    def __post_init__(self) -> None:
        """Store read-only copies."""
        for field in fields(self):
            object.__setattr__(self, field.name, read_only(getattr(self, field.name)))

    @cached_property
    def rows(self) -> tuple[tuple[float, float, float], ...]:
        """Lowest and highest position [rad] and velocity [rad/s] of each joint, plain floats."""
        columns = (self.position_lower, self.position_upper, self.velocity)
        return tuple(zip(*(column.tolist() for column in columns), strict=True))

    def outside(self, q: np.ndarray) -> np.ndarray:
        """Return which positions [rad] are outside, both of shape (..., n)."""
        found: np.ndarray = (q < self.position_lower) | (q > self.position_upper)
        return found

    def far_outside(self, q: np.ndarray) -> np.ndarray:
        """Return which positions [rad] are so far outside that they may be degrees, (..., n)."""
        farthest = np.maximum(np.abs(self.position_lower), np.abs(self.position_upper))
        found: np.ndarray = self.outside(q) & (np.abs(q) > FAR * farthest)
        return found


@dataclass(frozen=True)
class Robot:
    """One robot with n joints, its tool and its contact points: an arm, if the base is fixed.

    Arrays have shape (n,) and follow ``joint_names``. ``model`` is a pinocchio model whose joint
    order is the same, behind a free-flyer if the base is floating; treat it as immutable. A value
    that is unknown is NaN (None for a flag), and must not be used before :meth:`require`.
    """

    name: str
    joint_names: tuple[str, ...]
    model: pin.Model
    urdf: str  # XML text, without the tool, for robot_description
    base_frame: str  # frame of the contact normal and of every vector "in base axes"
    contact_frame: str  # frame at the contact point of the tool
    limits: JointLimits
    reflected_motor_inertia: np.ndarray  # B_rho [kg.m^2]
    apparent_motor_inertia: np.ndarray  # B_theta, under the torque loop [kg.m^2]
    joint_stiffness: np.ndarray  # K [N.m/rad]
    joint_damping: np.ndarray  # D [N.m.s/rad]
    stance: np.ndarray  # a configuration ready for an impact [rad]
    detection_joints: tuple[int, ...]  # indices, from 0, of the torque-error detector's joints
    driver_compensates_gravity: bool | None  # the driver adds gravity to a commanded torque
    assumed: tuple[str, ...]  # entries without a source, see the YAML
    velocity_noise: float = VELOCITY_NOISE  # standard deviation of measured dq [rad/s]
    torque_noise: float = TORQUE_NOISE  # standard deviation of measured torques [N.m]
    joint_ranges: JointRanges = KNOWN_JOINTS  # of stiffness, damping and motor inertia
    loop_damping_time: np.ndarray | None = None  # D/K by the torque loop; none: theirs [s]
    servo_stiffness: np.ndarray | None = None  # of a position or velocity loop [N.m/rad]
    servo_damping: np.ndarray | None = None  # of the same [N.m.s/rad]
    coulomb_friction: np.ndarray | None = None  # of the joints under their loop [N.m]
    viscous_friction: np.ndarray | None = None  # of the same [N.m.s/rad]
    payload: tuple[float, float] = (0.0, 0.0)  # at the contact point; its middle in the model [kg]
    force_limits: tuple[tuple[str, float], ...] = ()  # limits of a peak contact force by name [N]
    base: str = "fixed"  # of :data:`~impact_robots.description.floating_base.BASES`
    contacts: tuple[NamedContact, ...] = ()  # where it hits, each a frame of the model
    passive: tuple[str, ...] = ()  # joints without a motor
    spring_stiffness: np.ndarray | None = None  # beside each joint, at rest at 0 [N.m/rad]
    loops: tuple[LoopJoint, ...] = ()  # that close chains of its links
    tool: MountedTool | None = None  # of the YAML, in the model
    flange_speed: float = np.inf  # highest of the flange's origin [m/s]

    def __post_init__(self) -> None:
        """Store read-only copies of the arrays."""
        for name in (
            "reflected_motor_inertia",
            "apparent_motor_inertia",
            "joint_stiffness",
            "joint_damping",
            "stance",
        ):
            object.__setattr__(self, name, read_only(getattr(self, name)))
        springs = np.zeros(self.dof) if self.spring_stiffness is None else self.spring_stiffness
        object.__setattr__(self, "spring_stiffness", read_only(springs))

    @property
    def dof(self) -> int:
        """Number of joints n."""
        return len(self.joint_names)

    @property
    def checksum(self) -> int:
        """Of all parameters: two robots with the same one are the same."""
        parts = [getattr(self, each.name) for each in fields(self) if each.name != "limits"]
        parts += [getattr(self.limits, each.name) for each in fields(self.limits)]
        return crc32(b"".join(map(pickle.dumps, parts)))

    @property
    def cover(self) -> Cover | None:
        """Cover of its tool, if that is what hits."""
        return self.cover_at(self.contact_frame)

    def cover_at(self, frame: str) -> Cover | None:
        """Return the cover over the origin of a frame: that of the tool, or none."""
        return self.tool.cover if self.tool and frame == self.tool.contact_frame else None

    def require_no_cover(self, who: str) -> None:
        """Refuse a cover of the tool for a caller that does not take it into account.

        Args:
            who: package, command or model.

        Raises:
            RobotError: the point that hits has a cover.
        """
        if self.cover is not None:
            raise RobotError(
                f"robot {self.name}: {who} does not take the cover of the tool into account;"
                " expected a tool without one"
            )

    @property
    def nv(self) -> int:
        """Number of velocities: n, and six more of a floating base, which come first."""
        return int(self.model.nv)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Of all velocities: those of a floating base in its own axes, then the joints."""
        return self.joint_names if self.base == "fixed" else (*BASE_VELOCITIES, *self.joint_names)

    def composite_of(self, frame: str) -> str:
        """Return which links are in the composite body of a frame, by its contact."""
        own = (each.composite for each in self.contacts if each.name == frame)
        return next(own, "moving")

    def positions(self, joints: ArrayLike) -> np.ndarray:
        """Return q, shape (nq,), of joint positions (n,) [rad]; a floating base is at the origin.

        Raises:
            OutOfRangeError: not n finite numbers.
        """
        joints = finite_array(joints, (self.dof,), "joints")
        if self.base == "fixed":
            return joints
        return floating_position(np.zeros(3), [0.0, 0.0, 0.0, 1.0], joints)

    def whole(
        self, q: np.ndarray, dq: np.ndarray, base_velocity: ArrayLike = (0.0,) * 6
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (nq,) and velocities (nv,) of joints' q and dq, both (n,).

        Joint values do not define the pose of a floating base: it is placed at the origin, so
        results are in the base's own axes.

        Args:
            q: of the joints, shape (n,).
            dq: of the joints, shape (n,).
            base_velocity: of a floating base, linear and angular in its own axes, shape (6,)
                [m/s, rad/s]; of a fixed one not used.
        """
        if self.base == "fixed":
            return q, dq
        return self.positions(q), np.append(np.asarray(base_velocity, dtype=float), dq)

    def on_velocities(self, joints: ArrayLike) -> np.ndarray:
        """Return an array over the joints, shape (n,), over all velocities, shape (nv,).

        The six of a floating base are 0.
        """
        values = np.asarray(joints, dtype=float)
        return values if self.base == "fixed" else np.append(np.zeros(6), values)

    def outside_limits(self, q: np.ndarray) -> str:
        """Return what is wrong with joint positions, shape (n,) [rad]; empty if within limits."""
        outside = self.limits.outside(q)
        if not outside.any():
            return ""
        names = ", ".join(np.array(self.joint_names)[outside])
        values = ", ".join(f"{value:g}" for value in q[outside])
        line = f"q: expected positions within the limits of {names}, got {values}"
        return f"{line}; is it in degrees?" if self.limits.far_outside(q).any() else line

    @property
    def damping_time(self) -> np.ndarray:
        """D/K that the torque loop takes the joints to have, shape (n,) [s]."""
        if self.loop_damping_time is not None:
            return self.loop_damping_time
        return self.joint_damping / self.joint_stiffness

    def with_joints(self, scale: np.ndarray) -> Robot:
        """Return the robot with scaled joints, whose torque loop still assumes the original ones.

        Args:
            scale: of stiffness, damping and both motor inertias, shape (3, n) [-].
        """
        stiffness, damping, inertia = scale
        return replace(
            self,
            joint_stiffness=self.joint_stiffness * stiffness,
            joint_damping=self.joint_damping * damping,
            apparent_motor_inertia=self.apparent_motor_inertia * inertia,
            reflected_motor_inertia=self.reflected_motor_inertia * inertia,
            loop_damping_time=self.damping_time,
        )

    def with_held_joints(self, held: np.ndarray) -> Robot:
        """Return the robot in an impact in which friction holds the motors of some joints.

        Their motors are so heavy that impact maps lock the joints.

        Args:
            held: which joints, shape (n,).
        """
        return replace(
            self,
            apparent_motor_inertia=np.where(held, LOCKED, self.apparent_motor_inertia),
            reflected_motor_inertia=np.where(held, LOCKED, self.reflected_motor_inertia),
        )

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Keys of the YAML whose values are unknown."""
        values = {**vars(self.limits), **vars(self)}
        found = (key for key in BY_NAME if key in values and _is_unknown(values[key]))
        return tuple(key for key in found if key not in OPTIONAL)

    def require_no_loops(self, who: str) -> None:
        """Refuse closed loops for a caller whose formulas do not support them.

        Args:
            who: package or command.

        Raises:
            RobotError: the robot has closed loops.
        """
        if self.loops:
            raise RobotError(
                f"robot {self.name}: {who} needs a robot without closed loops, got"
                f" {len(self.loops)}; impact_predictor.simultaneous_impact takes them"
            )

    def require_arm(self, who: str) -> None:
        """Refuse a robot that is no arm with a fixed base, without loops, driven at every joint.

        Args:
            who: package or command.

        Raises:
            RobotError: says what it is.
        """
        if self.base != "fixed" or self.passive or self.loops:
            raise RobotError(
                f"robot {self.name}: {who} needs a fixed base, a motor at every joint and no loop,"
                f" got a {self.base} base, {len(self.passive)} joints without a motor,"
                f" {len(self.loops)} loops"
            )

    def require(self, who: str, *keys: str) -> None:
        """Refuse to continue without required values of the robot.

        Args:
            who: package or command, see ``impact_robots.description.keys``.
            keys: of the YAML that are required; none: all that ``who`` requires.

        Raises:
            RobotError: names missing keys with their units, or the caller supports only arms
                with a fixed base.
        """
        if who in ARMS_ONLY:
            self.require_arm(who)
        unknown = tuple(key for key in keys or needed_by(who) if key in self.missing)
        if unknown:
            raise RobotError(missing_line(self.name, who, unknown))

    @cached_property
    def motor_inertias(self) -> dict[str, np.ndarray]:
        """Diagonals, shape (nv,) [kg.m^2], that an impact map may add to the mass matrix.

        Unknown motor inertias (NaN, or all zero) are left out.
        """
        motors = {
            "M+B_theta": self.apparent_motor_inertia,
            "M+B_rho": self.reflected_motor_inertia,
        }
        known = {
            name: read_only(self.on_velocities(each))
            for name, each in motors.items()
            if np.nan_to_num(each).any()
        }
        return {"M": read_only(np.zeros(self.nv)), **known}


def _is_unknown(value: object) -> bool:
    return value is None or (isinstance(value, np.ndarray) and bool(np.isnan(value).any()))
