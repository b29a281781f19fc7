# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The load of every joint of arms whose plates hit one free object at once.

The object is six more coordinates, without a spring or a motor, beside those of the arms: the small
motion of arms and object is that of one arm, and the same integration serves. A plate is in contact
at its four corners, each with a quarter of the contact's stiffness and damping. The object's
support is left out, as its friction force is at most of the order of the object's weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.elastic_arm import ElasticArm, elastic_arm
from impact_predictor.joint_load.load import DURATION, LoadContact, NormalLaw, joint_load
from impact_predictor.joint_load.load_case import normal_law
from impact_predictor.multicontact.bodies import FreeBody
from impact_predictor.multicontact.contacts import face_points
from impact_predictor.multicontact.object_impact import Plate
from impact_robots import Robot, contact_rotation

LEAST_SHARE = 0.1  # of the highest approach speed, which every plate's restitution is taken at
SLOWEST = 1e-9  # below it nothing approaches [m/s]
CORNERS = 4  # of a plate
_TWIST = 6  # coordinates of the object


class FaceContact(NamedTuple):
    """Contact of a plate and a face of the object."""

    stiffness: float  # of all of the plate [N/m]
    restitution: float  # [-]
    friction: float  # [-]


class ArmLoad(NamedTuple):
    """Change of K (theta - q) of one arm since contact, shape (n,) each [N.m]."""

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
    ) -> None:
        """Build the system.

        Args:
            robots: the arms, by name, with as many joints each; they give stiffness, damping and
                motor inertia of these.
            plates: of the arms, by name, with their velocities before the impact.
            body: the object, with its velocity before the impact.
            joint_scale: of stiffness, damping and motor inertia, by the arm's name, shape (3, n)
                each [-]; none: as in the YAML.

        Raises:
            PredictionError: the robot's YAML does not define the required fields.
        """
        arms = [elastic_arm(robots[n], each.arm.state.robot_state) for n, each in plates.items()]
        if joint_scale is not None:
            arms = [arm.scaled(joint_scale[n]) for n, arm in zip(plates, arms, strict=True)]
        self._names, self._n = tuple(plates), robots[next(iter(plates))].dof
        self._system = joined(arms, body.inertia())
        self._corners = [
            self._corner(number, plate, body, point)
            for number, plate in enumerate(plates.values())
            for point in face_points(plate.center, plate.axes, plate.half_extents)
        ]

    def _corner(
        self, number: int, plate: Plate, body: FreeBody, point: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return a corner's Jacobian and velocities of arm and object there, contact axes."""
        n, size = self._n, len(self._system.stiffness)
        R = contact_rotation(-plate.axes[:, 2])
        of_arm, of_body = R.T @ plate.arm.jacobian(point)[:3], R.T @ body.jacobian(point)[:3]
        J = np.zeros((3, size))
        J[:, n * number : n * number + n], J[:, size - _TWIST :] = of_arm, -of_body
        return J, of_arm @ plate.arm.velocity(), of_body @ body.velocity()

    def loads(
        self, contact: FaceContact, scale: float = 1.0, settled: float = DURATION
    ) -> dict[str, ArmLoad]:
        """Return the loads of each arm within 30 ms of contact, by name.

        Args:
            contact: of every plate.
            scale: of the arms' velocities before the impact; the object's stays [-].
            settled: time since contact from which the remaining load is returned separately [s].

        Raises:
            PredictionError: the result is not finite, by implausible parameters.
        """
        speeds = [float(v_object[2] - scale * v_arm[2]) for _, v_arm, v_object in self._corners]
        fastest = max(speeds)
        if not fastest > SLOWEST:
            return dict.fromkeys(self._names, ArmLoad(*np.zeros((4, self._n))))
        contacts = [
            LoadContact(
                J, scale * v_arm - v_object, _law(contact, speed, fastest), contact.friction
            )
            for (J, v_arm, v_object), speed in zip(self._corners, speeds, strict=True)
        ]
        load = joint_load(self._system, contacts, with_history=True)
        assert load.history is not None  # asked for
        later = load.history.load[load.history.time >= settled]
        ends = (
            *(load.highest, load.lowest),
            *(later.max(axis=0, initial=0.0), later.min(axis=0, initial=0.0)),
        )
        n = self._n
        return {
            name: ArmLoad(*(each[n * k : n * (k + 1)] for each in ends))
            for k, name in enumerate(self._names)
        }


def _law(contact: FaceContact, speed: float, fastest: float) -> NormalLaw:
    """Return a corner's law, with the restitution at the plate's own speed of approach."""
    corner = contact.stiffness / CORNERS
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
        share=arms[0].share,
        loop_stiffness=all_of("loop_stiffness", zero),
        loop_damping=all_of("loop_damping", zero),
    )
