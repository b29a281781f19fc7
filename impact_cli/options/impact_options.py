# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Options of robot, state and surface: shared by `predict`, `sets`, `plan`, `map`, `compare`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from impact_cli.options.number_options import bounds, not_negative, number, numbers, open_bounds
from impact_drivers.exceptions import DriverError
from impact_drivers.franka.arm.fr3_model import NAME as FR3
from impact_drivers.franka.arm.fr3_model import write_fr3
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.joint_load.materials import MATERIALS
from impact_predictor.prediction.robot_contacts import RobotContact
from impact_robots import (
    COMPOSITES,
    ArmDynamics,
    PointState,
    Robot,
    Surface,
    floating_position,
    load_robot,
    robot_from_urdf,
)
from impact_robots.description.payload import carrying
from impact_robots.exceptions import RobotError, UsageError
from impact_robots.surface import ANY_STIFFNESS, USUAL_FRICTION, USUAL_RESTITUTION


@dataclass(frozen=True)
class GivenImpact:
    """A robot in a state, and the surface at its contact point."""

    robot: Robot
    state: PointState
    surface: Surface
    held: tuple[str, ...] = ()  # joints that are locked as friction holds their motors

    @property
    def contact(self) -> RobotContact:
        """Return the contact point."""
        return RobotContact(self.state, self.surface)


def add_impact_options(parser: argparse.ArgumentParser, *, moving: bool = True) -> None:
    """Add the options of :func:`read_impact`; ``moving``: with those of the velocity."""
    add_arm_and_surface_options(parser)
    add = parser.add_argument
    add("--composite", choices=COMPOSITES, help=_COMPOSITE)
    add("--q", type=numbers, metavar="Q,..", help=_POSITIONS)
    if moving:
        add("--dq", type=numbers, metavar="DQ,..", help=_VELOCITIES)
        add("--speed", type=number, metavar="V", help=_SPEED)
    else:
        parser.set_defaults(dq=None, speed=0.0)


def add_arm_and_surface_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :func:`read_robot` and :func:`read_surface`."""
    add = parser.add_argument
    add("--robot", default=None, help="name of a robot, or its YAML (default: panda)")
    add("--urdf", metavar="PATH", help="URDF of any robot; with --robot it replaces that robot's")
    add("--contact", default="", metavar="FRAME", help="contact frame (default: the tool's)")
    add("--payload", type=bounds, metavar="KG", help=PAYLOAD)
    add("--b-theta", type=not_negative, metavar="B", help=_MOTOR.format("apparent"))
    add("--b-rho", type=not_negative, metavar="B", help=_MOTOR.format("reflected"))
    add_surface_options(parser)


def add_surface_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :func:`read_surface`."""
    add = parser.add_argument
    parser.set_defaults(unsaid=EXACTLY_ZERO)
    add(
        "--normal",
        type=numbers,
        default=(-1.0, 0.0, 0.0),
        metavar="X,Y,Z",
        help="outward normal of the surface, base axes (default: -1,0,0)",
    )
    add("--friction", type=bounds, metavar="MU", help=_COEFFICIENT)
    add("--restitution", type=bounds, metavar="E", help=_COEFFICIENT)
    add("--stiffness", type=open_bounds, metavar="K", help=_STIFFNESS)
    add("--material", choices=tuple(MATERIALS), help=_MATERIAL)


EXACTLY_ZERO = ((0.0, 0.0), (0.0, 0.0), ANY_STIFFNESS)
USUAL = (USUAL_FRICTION, USUAL_RESTITUTION, ANY_STIFFNESS)  # defaults where limits depend on them
_COEFFICIENT = "range low,high or one exact value (default: 0,0.3; 0 in `predict`)"
_MOTOR = "{} motor inertia of a bare URDF, one number or one per joint [kg.m^2]"
_MOTORS = {"b_theta": "apparent_motor_inertia", "b_rho": "reflected_motor_inertia"}
_COMPOSITE = (
    "links of the composite rigid body: moving (without base), all, or base to contact (default:"
    " that of the contact in the robot's YAML, else moving)"
)
PAYLOAD = "mass at the contact frame besides the tool, or low,high [kg] (default: the YAML's)"
_STIFFNESS = "contact stiffness, or low,high; high may be inf [N/m] (default: any); for joint loads"
_MATERIAL = "material of the surface: sets the defaults of friction, restitution and stiffness"
_POSITIONS = (
    "joint positions [rad] (default: the stance); for a floating base, its position and quaternion"
    " x,y,z,w may come first (default: at the origin)"
)
_VELOCITIES = (
    "joint velocities before the impact; for a floating base, its linear and angular velocity in"
    " its own axes may come first (default: at rest)"
)
_SPEED = "approach speed along the normal instead of --dq, without turning the tool (default: 0.1)"


def read_impact(arguments: argparse.Namespace, *, anywhere: bool = False) -> GivenImpact:
    """Return the robot, its state and the surface of the options.

    Args:
        arguments: the options.
        anywhere: positions outside the limits are taken, too.

    Raises:
        UsageError: vectors of the wrong length, positions outside the limits, or velocities given
            twice.
        RobotError: the robot cannot be loaded, or the normal is invalid.
        OutOfRangeError: friction, restitution or stiffness is out of its range.
    """
    robot = read_robot(arguments)
    dynamics = ArmDynamics(robot, arguments.composite or robot.composite_of(robot.contact_frame))
    if arguments.q is None:
        robot.require(f"{arguments.command} without --q", "stance")
    q = robot.positions(robot.stance) if arguments.q is None else _positions(arguments.q, robot)
    if not anywhere:
        check_positions(robot, q)
    still = dynamics(q, np.zeros(robot.nv))
    surface = read_surface(arguments, still.position)
    if arguments.dq is None:
        speed = 0.1 if arguments.speed is None else arguments.speed
        dq = approach_velocities(still, surface.rotation, speed, robot)
    elif arguments.speed is None:
        dq = _velocities(arguments.dq, robot)
    else:
        raise UsageError("expected --dq or --speed, got both")
    return GivenImpact(robot, dynamics(q, dq), surface)


def read_surface(arguments: argparse.Namespace, point: np.ndarray) -> Surface:
    """Return the surface through a point, shape (3,) [m].

    Raises:
        UsageError: the normal is no vector.
        RobotError: the normal has no length.
        OutOfRangeError: friction, restitution or stiffness is out of its range.
    """
    return Surface(point, sized(arguments.normal, 3, "--normal"), *_coefficients(arguments))


def _coefficients(arguments: argparse.Namespace) -> list[tuple[float, float]]:
    """Return ranges of friction, restitution and stiffness; options override the material."""
    given = arguments.friction, arguments.restitution, arguments.stiffness
    known = arguments.unsaid
    if arguments.material is not None:
        material = MATERIALS.named(arguments.material)
        known = material.friction, material.restitution, material.stiffness()
    return [
        default if value is None else value for value, default in zip(given, known, strict=True)
    ]


def read_robot(arguments: argparse.Namespace) -> Robot:
    """Return the robot with the requested contact frame.

    Raises:
        UsageError: motor inertias of a robot with a YAML.
        RobotError: the robot cannot be loaded.
        OutOfRangeError: it cannot carry the payload.
    """
    motors = {key: vars(arguments).get(option) for option, key in _MOTORS.items()}
    if arguments.urdf is not None and arguments.robot is None:
        given = {key: _one_or_all(value) for key, value in motors.items() if value is not None}
        bare = robot_from_urdf(arguments.urdf, contact_frame=arguments.contact, **given)
        return carrying(bare, arguments.payload or 0.0)
    for option, key in _MOTORS.items():
        if motors[key] is not None:
            raise UsageError(
                f"--{option.replace('_', '-')}: only for --urdf without a robot, whose YAML gives"
                f" its {key}"
            )
    name = "panda" if arguments.robot is None else arguments.robot
    options = {"contact_frame": arguments.contact, "payload": arguments.payload}
    if arguments.urdf is None:
        return named_robot(name, **options)
    return load_robot(name, urdf=arguments.urdf, **options)


def named_robot(name: str, **options: Any) -> Robot:
    """Return a robot by name or YAML; the FR3 by its maker's URDF, of the package franky-sim.

    Args:
        name: as of :func:`~impact_robots.load_robot`.
        **options: of the same, without a URDF.

    Raises:
        RobotError: the robot cannot be loaded.
        OutOfRangeError: it cannot carry the payload.
    """
    if name != FR3:
        return load_robot(name, **options)
    try:
        with TemporaryDirectory() as folder:
            return load_robot(write_fr3(Path(folder)), **options)
    except DriverError as error:
        raise RobotError(f"{error}: install it, or give a URDF (--urdf PATH)") from None


def _one_or_all(values: tuple[float, ...]) -> np.ndarray:
    """Return a list with one number as a number."""
    return np.array(values[0] if len(values) == 1 else values)


def sized(values: tuple[float, ...], size: int, option: str) -> np.ndarray:
    """Return the ``size`` finite numbers of an option.

    Raises:
        UsageError: wrong count, or not all finite.
    """
    if len(values) != size or not np.all(np.isfinite(values)):
        raise UsageError(f"{option}: expected {size} finite numbers, got {_listed(values)}")
    return np.array(values)


def _positions(values: tuple[float, ...], robot: Robot) -> np.ndarray:
    """Return q from joint positions, after the pose of a floating base if given."""
    if len(values) != robot.model.nq:
        return robot.positions(sized(values, robot.dof, "--q"))
    q = sized(values, robot.model.nq, "--q")
    return q if robot.base == "fixed" else floating_position(q[:3], q[3:7], q[7:])


def check_positions(robot: Robot, q: np.ndarray) -> None:
    """Refuse joint positions outside the limits; q may begin with the pose of a floating base.

    Raises:
        UsageError: names joints and positions.
    """
    if wrong := robot.outside_limits(q[-robot.dof :]):
        raise UsageError(wrong)


def _velocities(values: tuple[float, ...], robot: Robot) -> np.ndarray:
    """Return joint velocities, after those of a floating base if given."""
    if len(values) == robot.nv:
        return sized(values, robot.nv, "--dq")
    return robot.on_velocities(sized(values, robot.dof, "--dq"))


def _listed(values: tuple[float, ...]) -> str:
    return f"{len(values)} ({','.join(f'{value:g}' for value in values)})"


def approach_velocities(
    state: PointState, rotation: np.ndarray, speed: float, robot: Robot
) -> np.ndarray:
    """Return the joint velocities of least norm that move the contact point against the normal.

    The tool does not turn if the arm can do that; a floating base does not move.

    Args:
        state: of the arm.
        rotation: from contact axes to base axes, shape (3, 3).
        speed: along -normal [m/s].
        robot: the arm.

    Returns:
        shape (nv,) [rad/s].
    """
    joints = slice(robot.nv - robot.dof, None)
    wanted = np.append(-speed * rotation[:, 2], np.zeros(3))
    dq = np.linalg.pinv(state.J[:, joints], rcond=1e-4) @ wanted
    if abs(contact_jacobian(state, rotation)[2, joints] @ dq + speed) < 1e-6 * abs(speed):
        return robot.on_velocities(dq)
    J = rotation.T @ state.J[:3]
    back = np.linalg.pinv(J[:, joints], rcond=1e-4) @ np.array([0.0, 0.0, -speed])
    return robot.on_velocities(back)
