# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What an arm is told before it moves, and what stops it. Needs no ROS to import."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from impact_drivers.exceptions import DriverError
from impact_robots.yaml_file import read_mapping
from impact_ros.parameters import from_values, parameter


@dataclass(frozen=True)
class ArmSettings:
    """Settings of one arm, fixed while it is connected."""

    torque_thresholds: tuple[float, ...] = parameter(
        [87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0],
        "External torques beyond which the arm stops itself (set_collision_behavior).",
        unit="N.m",
        low=0.0,
    )
    force_thresholds: tuple[float, ...] = parameter(
        [250.0, 250.0, 250.0, 80.0, 80.0, 80.0],
        "External force and moment beyond which the arm stops itself.",
        unit="N; N.m",
        low=0.0,
    )
    load_mass: float = parameter(
        0.1, "Of what is mounted on the flange (set_load).", unit="kg", low=0.0
    )
    load_center: tuple[float, ...] = parameter(
        [0.0, 0.0, 0.05], "Its centre of mass in the axes of the flange.", unit="m"
    )
    load_inertia: tuple[float, ...] = parameter(
        [3.6e-5, 0.0, 0.0, 0.0, 3.6e-5, 0.0, 0.0, 0.0, 3.6e-5],
        "Its inertia about the centre of mass, by columns.",
        unit="kg.m^2",
    )
    deadman: float = parameter(
        0.1, "Brake when the node has said nothing for longer.", unit="s", low=0.01, high=1.0
    )
    least_success_rate: float = parameter(
        0.95,
        "Share of the last 100 commands that must have reached the arm before it may approach.",
        low=0.0,
        high=1.0,
    )
    longest_period: float = parameter(
        0.002,
        "Brake when two states of an approach are further apart.",
        unit="s",
        low=0.001,
        high=0.02,
    )
    realtime: bool = parameter(
        True, "Refuse to run without a real-time kernel, as libfranka does by default."
    )

    def __post_init__(self) -> None:
        """Check how many numbers there are.

        Raises:
            DriverError: too few or too many; says of what.
        """
        for name, count in (
            ("torque_thresholds", 7),
            ("force_thresholds", 6),
            ("load_center", 3),
            ("load_inertia", 9),
        ):
            if len(getattr(self, name)) != count:
                raise DriverError(
                    f"{name}: expected {count} numbers, got {len(getattr(self, name))}"
                )


def read_settings(path: str | Path) -> ArmSettings:
    """Read settings from a YAML file, the rest by default.

    Raises:
        ImpactError: no such file, or an entry that does not fit.
    """
    return from_values(ArmSettings, read_mapping(Path(path)))
