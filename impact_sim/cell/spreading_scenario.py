# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One experiment in which plates hit a box: an arm pushes it along a table, or two grab it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from impact_robots.dynamics import ArmDynamics
from impact_robots.robot import Robot
from impact_sim.cell.layout import ARMS, BoxObject, CellLayout, PairContact, Support
from impact_sim.cell.poses import robot_named
from impact_sim.exceptions import ScenarioError
from impact_sim.motor_friction import MotorFriction

UNAWARE = "unaware"
IMPACT_LIMITS_OF_BOXES = (UNAWARE, "joint_load", "robust")
STREAM = 1  # of the random numbers of a seed, as of the other scenarios' variation
FLAT = 2e-3  # by how much a plate may be turned against a face [rad], or off it [m]


@dataclass(frozen=True)
class SpreadingScenario:
    """What hits what, and how fast; base axes are the world's, one row an arm.

    The box stands on the middle of its support, and faces the plates at the impact: where they are
    and its size say where it is.
    """

    name: str
    title: str
    note: str
    robot: str
    bases: tuple[tuple[float, float, float], ...]  # of the arms in the world [m]
    object: str  # what the box stands for
    box_size: tuple[float, float, float]  # [m]
    box_mass: float  # [kg]
    support_z: float  # height of table or pedestal [m]
    pedestal_half: tuple[float, float] | None  # half edges of a pedestal [m]; none: a table
    q_impact: tuple[tuple[float, ...], ...]  # [rad]
    dq_impact: tuple[tuple[float, ...], ...]  # right before it [rad/s]
    q_start: tuple[tuple[float, ...], ...]  # at rest, where the run-up begins [rad]
    v_minus: tuple[tuple[float, float, float], ...]  # of the plates, right before [m/s]
    run_up: float  # time from rest to the impact [s]
    clamp_force: float  # of each arm, after a grab's impact [N]
    box_offset: tuple[float, float, float]  # of the box from where it is expected [m]
    variation: dict[str, Any]  # box: largest displacement along x, y, z from trial to trial [m]
    plate: tuple[float, float]  # edges [m]
    plate_friction: float  # of plates and box [-]
    support_friction: float  # of box and support [-]
    contact_frequency: float  # natural, of the box on a contact's spring [rad/s]
    contact_damping: float  # damping ratio of the same [-]
    motor_friction: dict[str, Any]  # coulomb [N.m], viscous [N.m.s/rad]; one number or one a joint
    detector: str  # whose verdict the controller obeys
    detection_threshold: float  # of that detector [its unit]
    impact_limits: str  # that the arms' speeds keep, one of IMPACT_LIMITS_OF_BOXES
    after_contact: float  # how long a trial goes on after the first touch [s]

    @property
    def kind(self) -> str:
        """``push`` by one arm, ``grab`` by two."""
        return "push" if len(self.bases) == 1 else "grab"

    @property
    def arm_names(self) -> tuple[str, ...]:
        """Namespaces of the arms; of a single one it is empty."""
        return ("",) if self.kind == "push" else ARMS

    @property
    def velocities(self) -> np.ndarray:
        """Velocities of the plates right before the impact, shape (arms, 3) [m/s]."""
        return np.array(self.v_minus)

    @property
    def reference_speed(self) -> float:
        """Normal speed of the plates right before the impact, the mean of the arms [m/s]."""
        speeds = [v @ self.direction(arm) for arm, v in enumerate(self.velocities)]
        return float(np.mean(speeds))

    def of_trial(self, trial: int) -> SpreadingScenario:
        """Return the scenario of a trial: all are alike."""
        return self

    def contact_point(self, arm: int) -> np.ndarray:
        """Return where an arm's plate touches at the impact, world axes, shape (3,) [m]."""
        at = ArmDynamics(robot_named(self.robot)).position(np.array(self.q_impact[arm]))
        return at + np.array(self.bases[arm])

    def direction(self, arm: int) -> np.ndarray:
        """Return the axis of the box along which a plate faces it, into it, shape (3,).

        Raises:
            ScenarioError: the plate does not lie flat on a face.
        """
        robot = robot_named(self.robot)
        state = ArmDynamics(robot)(np.array(self.q_impact[arm]), np.zeros(robot.dof))
        faces = state.rotation[:, 2]
        axis = np.zeros(3)
        axis[np.argmax(np.abs(faces))] = np.sign(faces[np.argmax(np.abs(faces))])
        if (turned := float(np.linalg.norm(faces - axis))) > FLAT:
            raise ScenarioError(
                f"{self.name}: q_impact: expected plates flat on the box, got {turned:.3g} rad off"
            )
        return axis

    @property
    def box_position(self) -> np.ndarray:
        """Where the box's centre is expected, world axes, shape (3,) [m].

        Raises:
            ScenarioError: plates are not flat on its faces.
        """
        half = np.array(self.box_size) / 2.0
        arms = range(len(self.bases))
        centres = np.array([self.contact_point(arm) + self.direction(arm) * half for arm in arms])
        if np.abs(np.ptp(centres[:, :2], axis=0)).max() > FLAT:
            raise ScenarioError(f"{self.name}: q_impact: expected plates on both sides of the box")
        return np.array([*centres.mean(axis=0)[:2], self.support_z + half[2]])

    def layout(self, robot: Robot, displacement: np.ndarray | None = None) -> CellLayout:
        """Return the cell, with the box where it really is.

        Args:
            robot: every arm.
            displacement: of the box from ``box_offset``, see :meth:`drawn`, shape (3,) [m].

        Raises:
            ScenarioError: plates are not flat on the box.
            SimulationError: a number that no cell has.
        """
        expected = self.box_position
        at = expected + np.array(self.box_offset)
        at = at if displacement is None else at + displacement
        x, y = expected[:2].tolist()
        friction = self.motor_friction and MotorFriction.of(robot.dof, **self.motor_friction)
        springs = self.contact_frequency, self.contact_damping
        return CellLayout(
            robot,
            self.bases,
            BoxObject(self.box_size, self.box_mass, tuple(at.tolist())),
            Support(self.support_z, self.pedestal_half, (x, y)),
            self.plate,
            PairContact(self.plate_friction, *springs),
            PairContact(self.support_friction, *springs),
            friction or None,
        )

    def drawn(self, seed: int) -> np.ndarray:
        """Return the box's displacement in a trial, uniform within ``variation``, (3,) [m]."""
        largest = np.array(self.variation.get("box", (0.0, 0.0, 0.0)), dtype=float)
        return largest * np.random.default_rng([seed, STREAM]).uniform(-1.0, 1.0, 3)

    def renamed(self, name: str) -> SpreadingScenario:
        """Return the same under another name."""
        return replace(self, name=name)
