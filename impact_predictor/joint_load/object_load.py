# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The load of every joint of robots whose plates hit one free object, whatever the delay.

The object is six more coordinates, without a spring or a motor, beside those of the arms: the small
motion of arms and object is that of one arm, and the same integration serves. A plate is in contact
at its four corners, each with a quarter of the contact's stiffness and damping. The object's
support is left out, as its friction force is at most of the order of the object's weight. Plates
in the same state of a robot, as the palms of a humanoid, are of one robot.

A plate may be late: it begins as far from the object as it would go in its delay. The object, hit
by the others, comes at it, so that it arrives sooner and hits harder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from impact_predictor.contact_force.linear_contact import LinearContact
from impact_predictor.joint_load.drive import drive_of
from impact_predictor.joint_load.elastic_arm import ElasticArm, elastic_arm
from impact_predictor.joint_load.load import (
    DURATION,
    JointLoad,
    LoadContact,
    NormalLaw,
    joint_load,
)
from impact_predictor.joint_load.load_case import normal_law
from impact_predictor.multicontact.bodies import FreeBody
from impact_predictor.multicontact.contacts import face_points
from impact_predictor.multicontact.object_impact import Plate
from impact_robots import Robot, RobotState, contact_rotation

LEAST_SHARE = 0.1  # of the highest approach speed, which every plate's restitution is taken at
SLOWEST = 1e-9  # below it nothing approaches [m/s]
CORNERS = 4  # of a plate
_TWIST = 6  # coordinates of the object


class FaceContact(NamedTuple):
    """Contact of a plate and a face of the object."""

    stiffness: float  # of all of the plate [N/m]
    restitution: float  # [-]
    friction: float  # [-]
    damping: float | None = None  # of a linear damper instead of the restitution [N.s/m]


class ArmLoad(NamedTuple):
    """Change of K (theta - q) of a plate's robot since contact, shape (n,) each [N.m]."""

    highest: np.ndarray  # at least 0
    lowest: np.ndarray  # at most 0
    settled_highest: np.ndarray  # the same, of the load some time after contact
    settled_lowest: np.ndarray


class ObjectLoad:
    """Arms and an object at contact: built once, evaluated for many contacts and speeds."""

    def __init__(
        self,
        robots: Mapping[str, Robot],
        plates: Mapping[str, Plate],
        body: FreeBody,
        joint_scale: Mapping[str, np.ndarray] | None = None,
        interface: str = "torque",
    ) -> None:
        """Build the system.

        Args:
            robots: of the plates, by the plate's name; they give stiffness, damping and motor
                inertia of the joints.
            plates: by name, with their robots' velocities before the impact.
            body: the object, with its velocity before the impact.
            joint_scale: of stiffness, damping and motor inertia, by the plate's name, shape (3, n)
                each [-]; none: as in the YAML.
            interface: by which the joints are commanded, see :func:`drive_of`.

        Raises:
            PredictionError: the robot's YAML does not define the required fields.
        """
        self._columns = _columns(robots, plates)
        one_each = {own.start: name for name, own in self._columns.items()}.values()
        arms = {
            name: elastic_arm(
                robots[name],
                plates[name].arm.state.robot_state,
                drive_of(robots[name], interface),
            )
            for name in one_each
        }
        if joint_scale is not None:
            arms = {name: arm.scaled(joint_scale[name]) for name, arm in arms.items()}
        self._joints = {
            name: slice(own.stop - robots[name].dof, own.stop)
            for name, own in self._columns.items()
        }
        self._system = joined(list(arms.values()), body.inertia())
        self._corners = [
            self._corner(name, plate, body, point)
            for name, plate in plates.items()
            for point in face_points(plate.center, plate.axes, plate.half_extents)
        ]

    def _corner(
        self, name: str, plate: Plate, body: FreeBody, point: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return a corner's Jacobian and velocities of plate and object there, contact axes."""
        size = len(self._system.stiffness)
        R = contact_rotation(-plate.axes[:, 2])
        of_arm, of_body = R.T @ plate.arm.jacobian(point)[:3], R.T @ body.jacobian(point)[:3]
        J = np.zeros((3, size))
        J[:, self._columns[name]], J[:, size - _TWIST :] = of_arm, -of_body
        return J, of_arm @ plate.arm.velocity(), of_body @ body.velocity()

    def loads(
        self,
        contact: FaceContact,
        scale: float = 1.0,
        settled: float = DURATION,
        delays: Mapping[str, float | np.ndarray] | None = None,
        command: Mapping[str, np.ndarray] | None = None,
    ) -> dict[str, ArmLoad]:
        """Return the loads of each plate's robot within 30 ms of the last contact, by plate.

        Args:
            contact: of every plate.
            scale: of the robots' velocities before the impact; the object's stays [-].
            settled: time since the last plate's contact from which the remaining load is returned
                separately [s].
            delays: of plates whose contact is later than the first one, or of each corner, shape
                (4,), at least 0, by name: of an object that the others do not move [s].
            command: change since contact of the joints' commanded torque, by the plate's name, see
                :func:`.joint_load`, shape (m, n) each [N.m]; none: it is constant, that of a servo
                follows a position that goes on at its speed.

        Raises:
            PredictionError: the result is not finite, by implausible parameters.
        """
        speeds = [float(v_object[2] - scale * v_arm[2]) for _, v_arm, v_object in self._corners]
        fastest = max(speeds)
        if not fastest > SLOWEST:
            return {
                name: ArmLoad(*np.zeros((4, own.stop - own.start)))
                for name, own in self._joints.items()
            }
        late = np.concatenate(
            [np.broadcast_to((delays or {}).get(name, 0.0), CORNERS) for name in self._columns]
        )
        contacts = [
            LoadContact(
                *(J, scale * v_arm - v_object, _law(contact, speed, fastest), contact.friction),
                gap=float(late[k]) * max(speed, 0.0),
            )
            for k, ((J, v_arm, v_object), speed) in enumerate(
                zip(self._corners, speeds, strict=True)
            )
        ]
        duration = DURATION + float(late.max())
        load = joint_load(
            self._system,
            contacts,
            duration=duration,
            command=None if command is None else self._commands(command),
            with_history=True,
        )
        return self._by_arm(load, settled)

    def _commands(self, command: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the commands of all coordinates, a row for each 250 us."""
        rows = max(len(each) for each in command.values())
        commands = np.zeros((rows, len(self._system.stiffness)))
        for name, each in command.items():
            commands[:, self._joints[name]] = each
        return commands

    def _by_arm(self, load: JointLoad, settled: float) -> dict[str, ArmLoad]:
        """Return the load of each plate's robot, by the plate's name."""
        history = load.history
        assert history is not None  # asked for
        touched = history.force.reshape(len(history.time), -1, CORNERS).any(axis=2)
        first = history.time[touched.argmax(axis=0)][touched.any(axis=0)]
        later = history.load[history.time >= first.max(initial=0.0) + settled]
        ends = (
            *(load.highest, load.lowest),
            *(later.max(axis=0, initial=0.0), later.min(axis=0, initial=0.0)),
        )
        return {name: ArmLoad(*(each[own] for each in ends)) for name, own in self._joints.items()}


def _columns(robots: Mapping[str, Robot], plates: Mapping[str, Plate]) -> dict[str, slice]:
    """Return the coordinates of each plate's robot; plates in the same state have one robot."""
    found, known, end = dict[str, slice](), list[tuple[RobotState, slice]](), 0
    for name, plate in plates.items():
        state = plate.arm.state.robot_state
        own = next((own for other, own in known if other is state), None)
        if own is None:
            own = slice(end, end + robots[name].nv)
            known.append((state, own))
            end = own.stop
        found[name] = own
    return found


def _law(contact: FaceContact, speed: float, fastest: float) -> NormalLaw:
    """Return a corner's law, with the restitution at the plate's own speed of approach."""
    corner = contact.stiffness / CORNERS
    if contact.damping is not None:
        return LinearContact(corner, contact.damping / CORNERS)
    return normal_law(corner, contact.restitution, max(speed, LEAST_SHARE * fastest))


def joined(arms: Sequence[ElasticArm], inertia: np.ndarray) -> ElasticArm:
    """Return arms and an object as one system whose last coordinates nothing drives.

    Args:
        arms: at the configuration at contact.
        inertia: of the object, shape (m, m) [kg; kg.m^2].
    """
    from scipy.linalg import block_diag  # loads slowly

    zero, one = np.zeros(len(inertia)), np.ones(len(inertia))

    def all_of(name: str, of_object: np.ndarray) -> np.ndarray:
        return np.concatenate([*(getattr(arm, name) for arm in arms), of_object])

    inverses = [*(arm.M_inverse for arm in arms), np.linalg.inv(inertia)]
    return ElasticArm(
        M_inverse=np.ascontiguousarray(block_diag(*inverses)),
        stiffness=all_of("stiffness", zero),
        damping=all_of("damping", zero),
        motor_inertia=all_of("motor_inertia", one),
        ratio=all_of("ratio", one),
        damping_time=all_of("damping_time", zero),
        servo_stiffness=all_of("servo_stiffness", zero),
        servo_damping=all_of("servo_damping", zero),
        loop_stiffness=all_of("loop_stiffness", zero),
        loop_damping=all_of("loop_damping", zero),
        share=arms[0].share,
    )
