# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Registry of detectors on joint states: name, factory, statistic and settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from impact_detector.detectors.detector import StateDetector
from impact_detector.exceptions import unknown_name
from impact_detector.signals.sample import FORCE, from_seconds
from impact_robots import Robot, RobotError
from impact_robots.registry import Registry
from impact_ros.messages import NANOSECONDS

_SLOW = from_seconds(0.05)  # allowed step between samples of a detector that is recommended


def too_slow(name: str, largest_gap: int, period: int) -> str:
    """Return the message for a detector that needs a higher rate, with those that need a lower one.

    One that needs a controller's desired velocities is no replacement for one that does not.

    Args:
        name: of the detector.
        largest_gap: between its samples [ns].
        period: usual time between samples [ns].
    """
    needed, got = NANOSECONDS / largest_gap, NANOSECONDS / period
    gaps = {
        each: kind.detector.largest_gap
        for each, kind in DETECTORS.items()
        if each != name and not kind.detector.needs_reference_velocity
    }
    enough = max(period, _SLOW)
    slow = {each: gap or 0 for each, gap in gaps.items() if gap is None or gap >= enough}
    others = [*sorted(slow, key=lambda each: -slow[each]), FORCE]
    rate = f"{got:.0f}" if got >= 10.0 else f"{got:.2g}"
    return f"{name} needs at least {needed:.0f} Hz, got {rate} Hz: use {' or '.join(others)}"


@dataclass(frozen=True)
class Setup:
    """Settings of a detector; each kind uses some of them."""

    robot: Robot
    threshold: float  # of its statistic [its unit]
    rearm_time: float = 0.5  # [s]
    bias_samples: int = 50  # quiet samples whose mean error is removed
    noise_multiples: bool = False  # the threshold is in standard deviations of learnt noise
    joint_numbers: tuple[int, ...] = ()  # from 1, of joints that are used; empty: the robot's
    normal: tuple[float, ...] = ()  # of the surface, base axes; empty, or NaN: unknown

    @property
    def joints(self) -> tuple[int, ...]:
        """Indices of the joints that are used, from 0.

        Raises:
            RobotError: a number that the robot has no joint for.
        """
        return detection_joints(self.robot, self.joint_numbers)


@dataclass(frozen=True)
class DetectorKind:
    """A detector that the node and the commands can select by name.

    Its number in messages is ``DETECTOR_`` and its name in impact_msgs/ImpactEvent, else
    ``DETECTOR_UNKNOWN``.
    """

    name: str
    detector: type[StateDetector]
    make: Callable[[Setup], StateDetector]  # raises DetectorError for values out of their range
    statistic: str  # description of it, for parameters and options
    unit: str  # of the statistic
    threshold: float  # default [unit]
    own_parameter: str = ""  # name of the threshold's parameter; empty: see below

    @property
    def parameter(self) -> str:
        """Name of the parameter with its threshold."""
        return self.own_parameter or f"{self.name}_threshold"


DETECTORS: Registry[DetectorKind] = Registry("detector", unknown_name)


def detection_joints(robot: Robot, numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return joints counted from 1 as indices; the robot's own for none.

    Raises:
        RobotError: a number that the robot has no joint for.
    """
    if any(not 1 <= number <= robot.dof for number in numbers):
        got = ",".join(str(number) for number in numbers)
        raise RobotError(f"joints: expected numbers from 1 to {robot.dof}, got {got}")
    return tuple(number - 1 for number in numbers) or robot.detection_joints
