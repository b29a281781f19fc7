# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The arm as MJCF: rigid joints with motor inertia, or motors and springs as in the plant.

Rigid, each joint's armature is its motor inertia, so the equations of motion are those of M + B.
Flexible, the motors turn beside the arm, each with its inertia as armature, and a fixed tendon with
stiffness and damping of the joint couples motor and link: the model of
:mod:`impact_sim.plant.mujoco_model` in other coordinates, so that a joint's position is the link's.

Each joint has a sensor of the torque that passes into the link, gravity included, as an arm with
joint torque sensors has; the actuator torque differs, since it also accelerates the motor. Its z
axis is opposite to the joint's, because MuJoCo reports the torque on the link and
``mujoco_ros2_control`` publishes the negative.

A tool's head on a handle that gives is one more body, which slides along the strike, with the
handle's stiffness and damping. Nothing drives or measures that slide.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

import numpy as np
import pinocchio as pin

from impact_robots.mujoco_links import joint_axis
from impact_robots.robot import Robot
from impact_robots.state.contact_frame import contact_rotation
from impact_robots.state.frames import frame_index
from impact_robots.state.quaternions import quaternion_wxyz
from impact_robots.tools.hammer import HANDLE, SMALL
from impact_robots.tools.tool import ToolCase
from impact_sim.plant.mujoco_model import CONTACT_SITE

TIP = "tip"  # the geom at the contact point, the only one of the arm with contacts
TIP_RADIUS = 1e-3  # [m]
_LINK_RADIUS = 0.03  # as drawn [m]
_ROTOR_MASS, _ROTOR_INERTIA = 1e-6, 1e-12  # nothing beside the armature [kg], [kg.m^2]
_NO_CONTACTS = {"contype": "0", "conaffinity": "0", "mass": "0"}  # contacts only by explicit pairs


@dataclass(frozen=True)
class ExportedArm:
    """The arm, and the exported model of its joints."""

    robot: Robot
    flexible: bool = False  # motors and springs instead of rigid joints
    torque_loop: bool = True  # False: motors follow the command, so they have B_rho, not B_theta
    handle: ToolCase | None = None  # of the tool, whose head the robot has not; None: nothing gives

    def __post_init__(self) -> None:
        """Refuse an arm without the required fields.

        Raises:
            RobotError: its YAML lacks motor inertias, or stiffness and damping of its joints, or
                its tool has a cover.
        """
        motor = "apparent_motor_inertia" if self.torque_loop else "reflected_motor_inertia"
        springs = ("joint_stiffness", "joint_damping") if self.flexible else ()
        self.robot.require("export", motor, "driver_compensates_gravity", *springs)
        self.robot.require_no_cover("export")

    @property
    def motor_inertia(self) -> np.ndarray:
        """Armature of the motors, shape (n,) [kg.m^2]."""
        robot = self.robot
        return robot.apparent_motor_inertia if self.torque_loop else robot.reflected_motor_inertia

    @property
    def motors(self) -> tuple[str, ...]:
        """Names of the joints that the actuators drive, in joint order."""
        names = self.robot.joint_names
        return tuple(f"{name}_motor" for name in names) if self.flexible else names

    def positions(self, q: np.ndarray) -> dict[str, float]:
        """Return the MJCF's joints at rest with link positions ``q``, shape (n,) [rad].

        Springs are loaded by gravity unless the driver compensates it: MuJoCo's gravity
        compensation acts on the links, so that it does not load the springs.
        """
        robot, theta = self.robot, q
        if self.flexible and not robot.driver_compensates_gravity:
            gravity = pin.computeGeneralizedGravity(robot.model, robot.model.createData(), q)
            theta = q + gravity / robot.joint_stiffness
        motors = dict(zip(self.motors, theta.tolist(), strict=True))
        return motors | dict(zip(robot.joint_names, q.tolist(), strict=True))


def numbers(values: Iterable[float]) -> str:
    """Return numbers as MJCF wants them, to the last digit."""
    return " ".join(repr(float(value)) for value in values)


def add_arm(root: Element, arm: ExportedArm) -> None:
    """Add bodies with their joints, the contact point, actuators and sensors to an MJCF root."""
    robot = arm.robot
    world = SubElement(root, "worldbody")
    bodies = [world]
    for index in range(robot.dof):
        bodies.append(_add_body(bodies[robot.model.parents[index + 1]], arm, index))
    _add_tip(bodies, arm)
    if arm.flexible:
        _add_motors(root, world, arm)
    actuators, sensors = SubElement(root, "actuator"), SubElement(root, "sensor")
    for name, motor, limit in zip(robot.joint_names, arm.motors, robot.limits.torque, strict=True):
        bounds = {"ctrllimited": "true", "ctrlrange": numbers([-limit, limit])}
        known = bounds if np.isfinite(limit) else {}
        SubElement(actuators, "motor", {"name": motor, "joint": motor, **known})
        for kind in ("force", "torque"):
            SubElement(sensors, kind, {"name": f"{name}_{kind}", "site": name})


def _add_body(parent: Element, arm: ExportedArm, index: int) -> Element:
    """Add one link with its joint and its sensor's site."""
    robot, name = arm.robot, arm.robot.joint_names[index]
    placement = robot.model.jointPlacements[index + 1]
    place, turn = placement.translation, quaternion_wxyz(placement.rotation)
    if index > 0 and np.linalg.norm(place) > TIP_RADIUS:
        look = {"type": "capsule", "size": numbers([_LINK_RADIUS]), "rgba": "0.7 0.7 0.75 1"}
        ends = {"fromto": numbers([0.0, 0.0, 0.0, *place])}
        SubElement(parent, "geom", {**ends, **look, **_NO_CONTACTS})
    borne = {"gravcomp": "1"} if robot.driver_compensates_gravity else {}
    at = {"pos": numbers(place), "quat": numbers(turn)}
    body = SubElement(parent, "body", {"name": f"{name}/link", **at, **borne})
    inertia = robot.model.inertias[index + 1]
    own = numbers(inertia.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
    mass = {"pos": numbers(inertia.lever), "mass": numbers([inertia.mass]), "fullinertia": own}
    SubElement(body, "inertial", mass)
    _, axis = joint_axis(robot.model, index + 1)
    SubElement(body, "joint", _joint(arm, index) | _limits(robot, index))
    sensor = {"name": name, "quat": numbers(quaternion_wxyz(contact_rotation(-axis)))}
    SubElement(body, "site", sensor | {"size": numbers([TIP_RADIUS])})
    return body


def _joint(arm: ExportedArm, index: int) -> dict[str, str]:
    """Return a link's joint, which has the motor's inertia and friction if it is rigid."""
    import mujoco  # loads slowly

    kind, axis = joint_axis(arm.robot.model, index + 1)
    motor = {} if arm.flexible else {"armature": numbers([arm.motor_inertia[index]])}
    motor |= {} if arm.flexible else joint_friction(arm.robot, index)
    turns = "hinge" if kind is mujoco.mjtJoint.mjJNT_HINGE else "slide"
    return {"name": arm.robot.joint_names[index], "type": turns, "axis": numbers(axis), **motor}


def joint_friction(robot: Robot, index: int, dry: str = "frictionloss") -> dict[str, str]:
    """Return what is known of a joint's friction; ``dry``: the format's name of the dry one."""
    known = {dry: robot.coulomb_friction, "damping": robot.viscous_friction}
    return {name: numbers([each[index]]) for name, each in known.items() if each is not None}


def _limits(robot: Robot, index: int) -> dict[str, str]:
    """Return the stops of a joint, if there are any."""
    bounds = [robot.limits.position_lower[index], robot.limits.position_upper[index]]
    known = bool(np.isfinite(bounds).all())
    return {"limited": "true", "range": numbers(bounds)} if known else {}


def _add_tip(bodies: list[Element], arm: ExportedArm) -> None:
    """Add the contact point, as a site and a small sphere; on a handle if one gives."""
    robot = arm.robot
    frame = robot.model.frames[frame_index(robot.model, robot.contact_frame)]
    body, place = bodies[frame.parentJoint], numbers(frame.placement.translation)
    if arm.handle is not None:
        body = _add_head(body, frame.placement, arm)
        place = numbers(np.zeros(3))
    at = {"pos": place, "size": numbers([TIP_RADIUS])}
    look = {"type": "sphere", "rgba": "0.8 0.1 0.1 1"}
    SubElement(body, "geom", {"name": TIP, **at, **look, **_NO_CONTACTS})
    SubElement(body, "site", {"name": CONTACT_SITE, **at})


def _add_head(flange: Element, placement: pin.SE3, arm: ExportedArm) -> Element:
    """Add a head that slides on its handle along the strike, the z axis of its placement."""
    assert arm.handle is not None  # of a tool that gives
    turn = {"quat": numbers(quaternion_wxyz(placement.rotation))}
    borne = {"gravcomp": "1"} if arm.robot.driver_compensates_gravity else {}
    at = {"pos": numbers(placement.translation), **turn, **borne}
    head = SubElement(flange, "body", {"name": f"{HANDLE}/head", **at})
    mass = {"pos": "0 0 0", "mass": numbers([arm.handle.mass])}
    SubElement(head, "inertial", mass | {"diaginertia": numbers([SMALL] * 3)})
    spring = {
        "stiffness": numbers([arm.handle.stiffness]),
        "damping": numbers([arm.handle.damping]),
    }
    SubElement(head, "joint", {"name": HANDLE, "type": "slide", "axis": "0 0 1", **spring})
    return head


def _add_motors(root: Element, world: Element, arm: ExportedArm) -> None:
    """Add a motor beside the arm for each joint, and the spring between them."""
    robot, tendons = arm.robot, SubElement(root, "tendon")
    for index, (name, motor) in enumerate(zip(robot.joint_names, arm.motors, strict=True)):
        body = SubElement(world, "body", {"name": f"{motor}/rotor", "gravcomp": "1"})
        inertia = {"diaginertia": numbers([_ROTOR_INERTIA] * 3), "mass": numbers([_ROTOR_MASS])}
        SubElement(body, "inertial", {"pos": "0 0 0", **inertia})
        armature = {"name": motor, "armature": numbers([arm.motor_inertia[index]])}
        SubElement(body, "joint", _joint(arm, index) | armature | joint_friction(robot, index))
        spring = {
            "stiffness": numbers([robot.joint_stiffness[index]]),
            "damping": numbers([robot.joint_damping[index]]),
            "springlength": "0",
        }
        tendon = SubElement(tendons, "fixed", {"name": f"{name}/spring", **spring})
        SubElement(tendon, "joint", {"joint": name, "coef": "1"})
        SubElement(tendon, "joint", {"joint": motor, "coef": "-1"})
