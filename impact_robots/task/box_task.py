# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A push or a grab of a box by arms with plates: the motion, and the known data of the box.

The true box and its position are in a scenario of ``impact_sim``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

import numpy as np

from impact_robots.cell import RobotCell, turned
from impact_robots.description.joint_ranges import JOINT_RANGES
from impact_robots.dynamics import ArmDynamics
from impact_robots.entry import entry
from impact_robots.exceptions import TaskError
from impact_robots.robot import Robot

_Task = TypeVar("_Task", bound="BoxTask")  # that one, or a scenario
UNAWARE = "unaware"
IMPACT_LIMITS_OF_BOXES = (UNAWARE, "joint_load", "robust")
ARM_JOINTS = 7  # six for the plate's pose; how the first one moves is a task of its own
FLAT = 2e-3  # by how much a plate may be turned against a face [rad], or off it [m]

STILL = (0.0, 0.0, 0.0)

Range = tuple[float, float]


class BoxRanges(NamedTuple):
    """Ranges of a box; None: the usual range about the task's value."""

    mass: Range | None = None  # [kg]; none: up to 30 % heavier
    friction: Range | None = None  # of the plates [-]; none: from half of it
    restitution: Range | None = None  # [-]; none: 0 to 0.3
    stiffness: Range | None = None  # of a plate's contact [N/m]; none: a quarter to four times
    velocity: tuple[float, float, float] = STILL  # before the impact, world axes [m/s]

    def over(self, other: BoxRanges) -> BoxRanges:
        """Return these where they say something, another's where not."""
        said = {
            name: value
            for name, value in self._asdict().items()
            if value != BoxRanges._field_defaults[name]
        }
        return other._replace(**said)


@dataclass(frozen=True)
class BoxTask:
    """What hits what, and how fast; world axes, one row an arm.

    The box stands on its support, and faces the plates at the impact: where they are and its size
    say where it is.
    """

    name: str
    title: str
    note: str
    cell: RobotCell  # which arms, and where they stand
    object: str  # what the box stands for
    box_size: Annotated[tuple[float, float, float], entry("Edges", unit="m", above=0.0)]
    box_yaw: float  # by which it is turned about the vertical [rad]
    box_mass: Annotated[float, entry("Of the box", unit="kg", above=0.0)]
    ranges: BoxRanges  # that impact limits count on
    support_z: float  # height of table or pedestal [m]
    q_impact: tuple[tuple[float, ...], ...]  # [rad]
    dq_impact: tuple[tuple[float, ...], ...]  # right before it [rad/s]
    q_start: tuple[tuple[float, ...], ...]  # at rest, where the run-up begins [rad]
    v_minus: tuple[tuple[float, float, float], ...]  # of the plates, right before [m/s]
    run_up: Annotated[float, entry("Time from rest to the impact", unit="s", above=0.0)]
    references: tuple[str, ...]  # files of the arms' references, base axes; empty: planned
    clamp_force: Annotated[float, entry("Of each arm, after a grab's impact", unit="N", low=0.0)]
    plate: Annotated[tuple[float, float], entry("Edges of a plate", unit="m", above=0.0)]
    plate_friction: Annotated[float, entry("Of plates and box", low=0.0)]
    support_friction: Annotated[float, entry("Of box and support", low=0.0)]
    contact_frequency: Annotated[float, entry("Of the box on a plate", unit="rad/s", above=0.0)]
    detector: str  # whose detection status the controller uses
    detection_threshold: Annotated[float, entry("Of that detector, in its unit", above=0.0)]
    impact_limits: Annotated[str, entry("That the arms keep", choices=IMPACT_LIMITS_OF_BOXES)]
    joint_ranges: Annotated[str, entry("Joints that joint_load counts on", choices=JOINT_RANGES)]
    peak_factor: Annotated[float, entry("Peak over mean contact force, for robust", above=0.0)]
    impact_duration: Annotated[float, entry("Of the impact, for robust", unit="s", above=0.0)]

    def __post_init__(self) -> None:
        """Check that there are references for all arms, or for none.

        Raises:
            TaskError: there are not.
        """
        arms, files = len(self.bases), len(self.references)
        if files not in (0, arms):
            raise TaskError(
                f"{self.name}: references: expected {arms} files, one an arm, got {files}"
            )

    def with_absolute_paths(self: _Task) -> _Task:
        """Return the task with absolute paths of its files."""
        files = tuple(str(Path(each).resolve()) for each in self.references)
        return replace(self, cell=self.cell.with_absolute_paths(), references=files)

    @property
    def robots(self) -> tuple[Robot, ...]:
        """The arms, each with the axes of the world at its base."""
        return self.cell.load()

    @property
    def bases(self) -> tuple[tuple[float, float, float], ...]:
        """Of the arms in the world [m]."""
        return self.cell.bases

    @property
    def arm_names(self) -> tuple[str, ...]:
        """Namespaces of the arms; of a single one it may be empty."""
        return self.cell.names

    @property
    def kind(self) -> str:
        """``push`` by one arm, ``grab`` by two."""
        return "push" if len(self.bases) == 1 else "grab"

    @property
    def velocities(self) -> np.ndarray:
        """Velocities of the plates right before the impact, shape (arms, 3) [m/s]."""
        return np.array(self.v_minus)

    @property
    def reference_speed(self) -> float:
        """Normal speed of the plates right before the impact, the mean of the arms [m/s]."""
        speeds = [v @ self.direction(arm) for arm, v in enumerate(self.velocities)]
        return float(np.mean(speeds))

    def contact_point(self, arm: int) -> np.ndarray:
        """Return where an arm's plate touches at the impact, world axes, shape (3,) [m]."""
        at = ArmDynamics(self.robots[arm]).position(np.array(self.q_impact[arm]))
        return at + np.array(self.bases[arm])

    @property
    def box_rotation(self) -> np.ndarray:
        """Axes of the box as it is expected, in the world, shape (3, 3)."""
        return turned(self.box_yaw)

    def face(self, arm: int) -> np.ndarray:
        """Return the axis along which a plate faces the box, into it, axes of the box, (3,).

        Raises:
            TaskError: the plate does not lie flat on a face.
        """
        robot = self.robots[arm]
        state = ArmDynamics(robot)(np.array(self.q_impact[arm]), np.zeros(robot.dof))
        faces = self.box_rotation.T @ state.rotation[:, 2]
        axis = np.zeros(3)
        axis[np.argmax(np.abs(faces))] = np.sign(faces[np.argmax(np.abs(faces))])
        if (off := float(np.linalg.norm(faces - axis))) > FLAT:
            raise TaskError(
                f"{self.name}: q_impact: expected plates flat on the box, got {off:.3g} rad off"
            )
        return axis

    def direction(self, arm: int) -> np.ndarray:
        """Return the axis along which a plate faces the box, into it, world axes, shape (3,).

        Raises:
            TaskError: the plate does not lie flat on a face.
        """
        return np.asarray(self.box_rotation @ self.face(arm))

    @property
    def box_position(self) -> np.ndarray:
        """Where the box's centre is expected, world axes, shape (3,) [m].

        Raises:
            TaskError: plates are not flat on its faces.
        """
        half, turn = np.array(self.box_size) / 2.0, self.box_rotation
        arms = range(len(self.bases))
        centres = np.array(
            [self.contact_point(arm) + turn @ (self.face(arm) * half) for arm in arms]
        )
        if np.abs(np.ptp(centres[:, :2], axis=0)).max() > FLAT:
            raise TaskError(f"{self.name}: q_impact: expected plates on both sides of the box")
        return np.array([*centres.mean(axis=0)[:2], self.support_z + half[2]])
