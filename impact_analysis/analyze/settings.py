# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The settings of an analysis, beyond the recordings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from impact_analysis.analyze.comparing.identify import CONTACT, ESTIMATES
from impact_bags.bag_recording import TopicChoice
from impact_detector.estimators.gross_methods import GROSS_METHODS, RELEASE
from impact_detector.parameters import DetectorParameters
from impact_detector.signals.sample import FUSED
from impact_predictor.laws.friction_law import FRICTION_LAWS
from impact_robots import Robot, contact_rotation, load_robot
from impact_robots.description.loader import absolute
from impact_robots.description.payload import carrying
from impact_robots.exceptions import UsageError
from impact_robots.surface import Coefficient
from impact_robots.validation import friction_range, restitution_range
from impact_ros.parameters import from_values

Vector = tuple[float, float, float]
Bounds = tuple[float, float]  # low, high


@dataclass(frozen=True)
class AnalysisSettings:
    """Options of an analysis; None: found from the recordings."""

    robot: str = "panda"  # name, or path of its YAML
    urdf: str = ""  # replaces the robot's own
    joint_prefix: str = ""  # of joint names
    payload: Coefficient | None = None  # at the contact point, or low, high [kg]; None: the robot's
    payload_centre: Vector | None = None  # if measured, in the contact frame [m]; None: declared
    normal: Vector | None = None  # outward, base axes; None: as announced in the recording
    wrench_normal: Vector | None = None  # the same in the force sensor's axes; None: base axes
    friction: Coefficient | None = None  # assumed, or low, high [-]; None: the identified one
    restitution: Coefficient | None = None  # assumed, or low, high [-]; None: the identified one
    law: str = "coulomb"  # of friction, of the predictions that are compared
    method: str = RELEASE  # of the gross velocity
    friction_estimate: str = CONTACT  # how it is identified
    restitution_estimate: str = CONTACT  # the same
    state_topic: str = ""  # of measured joint states; empty: found by type
    reference_topic: str = ""  # of desired ones
    wrench_topic: str = ""  # of forces; empty: all, of which the fastest is used
    object_topic: str = ""  # of the pose or velocity of what is hit; empty: found by its name
    thresholds: Mapping[str, Any] = field(default_factory=dict)  # of detectors, by parameter
    normals: Mapping[str, Vector] = field(default_factory=dict)  # by recording, before ``normal``

    def __post_init__(self) -> None:
        """Check the choices.

        Raises:
            OutOfRangeError: friction or restitution is out of its range.
            UsageError: a value is none of its choices.
            RobotError: a normal is none.
        """
        named: dict[str, Collection[str]] = {
            "law": FRICTION_LAWS,
            "method": GROSS_METHODS,
            "friction_estimate": ESTIMATES,
            "restitution_estimate": ESTIMATES,
        }
        for name, choices in named.items():
            if getattr(self, name) not in choices:
                expected = ", ".join(choices)
                raise UsageError(f"{name}: expected one of {expected}, got {getattr(self, name)!r}")
        for vector in (self.normal, self.wrench_normal, *self.normals.values()):
            if vector is not None:
                contact_rotation(vector)
        self.assumed  # noqa: B018 - says what is wrong with them

    @property
    def assumed(self) -> tuple[Bounds | None, Bounds | None]:
        """Lowest and highest friction and restitution that are assumed [-]; None: none is.

        Raises:
            OutOfRangeError: one is out of its range.
        """
        friction, restitution = self.friction, self.restitution
        return (
            None if friction is None else friction_range(friction),
            None if restitution is None else restitution_range(restitution),
        )

    def load_robot(self) -> Robot:
        """Return the robot.

        Raises:
            RobotError: there is none of that name.
            OutOfRangeError: it cannot carry the payload.
        """
        robot = load_robot(
            self.robot,
            urdf=self.urdf or None,
            joint_prefix=self.joint_prefix or None,
            payload=self.payload,
        )
        centre = self.payload_centre
        return robot if centre is None else carrying(robot, robot.payload, centre)

    def with_absolute_paths(self) -> AnalysisSettings:
        """Return the settings with absolute paths of the robot's files."""
        urdf = self.urdf and str(Path(self.urdf).resolve())
        return replace(self, robot=absolute(self.robot), urdf=urdf)

    def as_declared(self) -> AnalysisSettings:
        """Return the settings without a payload that was measured and not declared."""
        if self.payload_centre is None:
            return self
        return replace(self, payload=None, payload_centre=None)

    def topics(self, arm: str = "") -> TopicChoice:
        """Return the topics that the user has named, of one arm's namespace if there is one."""
        wrench = self.wrench_topic if self.wrench_topic.startswith(f"/{arm}") else ""
        return TopicChoice(self.state_topic, self.reference_topic, wrench=wrench, namespace=arm)

    def of_recording(self, name: str) -> AnalysisSettings:
        """Return the settings with the normal that ``normals`` has for a recording."""
        normal = self.normals.get(name, self.normals.get(PurePath(name).stem, self.normal))
        return replace(self, normal=normal)

    def detector(self, name: str = FUSED) -> DetectorParameters:
        """Return the node's parameters with one detector: defaults but for ``thresholds``."""
        nan = (float("nan"),) * 3
        values = {
            "robot": self.robot,
            "urdf": self.urdf,
            "joint_prefix": self.joint_prefix,
            **({} if self.payload is None else {"payload": self.payload}),
            "detectors": (name,),
            "contact_normal": self.normal or nan,
            "wrench_normal": self.wrench_normal or self.normal or nan,
            "estimate_method": self.method,
        }
        return from_values(DetectorParameters, {**values, **self.thresholds})

    def as_json(self) -> dict[str, Any]:
        """Return the settings as plain values; a range of no width is one number."""
        friction, restitution = map(_plain, self.assumed)
        return asdict(self) | {"friction": friction, "restitution": restitution}


def _plain(bounds: Bounds | None) -> float | Bounds | None:
    return bounds[0] if bounds is not None and bounds[0] == bounds[1] else bounds
