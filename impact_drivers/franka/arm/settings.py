# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Settings of an arm and conditions that stop it. Needs no ROS to import."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from pathlib import Path

import numpy as np

from impact_drivers.exceptions import DriverError
from impact_drivers.franka.arm.collision_behavior import (
    HIGHEST_FORCE,
    HIGHEST_TORQUE,
    LOW_FORCE,
    LOW_TORQUE,
    STANDING_FORCE,
    STANDING_TORQUE,
    CollisionBehavior,
)
from impact_robots.yaml_file import read_mapping
from impact_ros.parameters import from_values, of_node, parameter

NODE = "franka"


@dataclass(frozen=True)
class ArmSettings:
    """Settings of one arm, fixed while it is connected."""

    torque_thresholds: tuple[float, ...] = parameter(
        LOW_TORQUE,
        "External torques beyond which the arm stops itself (set_collision_behavior), but for the"
        " time of a hit that may raise them.",
        unit="N.m",
        low=0.0,
    )
    force_thresholds: tuple[float, ...] = parameter(
        LOW_FORCE,
        "External force and moment beyond which the arm stops itself, likewise.",
        unit="N; N.m",
        low=0.0,
    )
    raise_thresholds: bool = parameter(
        False,
        "Raise the thresholds for the time of each hit to what it is predicted to need: the arm"
        " then does not stop for a person either.",
    )
    threshold_reserve: float = parameter(
        0.25, "Fraction added to what a hit is predicted to need.", low=0.0, high=2.0
    )
    highest_torque_thresholds: tuple[float, ...] = parameter(
        HIGHEST_TORQUE, "No hit raises the thresholds of torque beyond.", unit="N.m", low=0.0
    )
    highest_force_thresholds: tuple[float, ...] = parameter(
        HIGHEST_FORCE, "No hit raises those of force and moment beyond.", unit="N; N.m", low=0.0
    )
    hit_torque_thresholds: tuple[float, ...] = parameter(
        (nan,) * 7,
        "Thresholds of torque for the time of a hit, as `plan --reflex` scales them from recorded"
        " gentle hits; only with raise_thresholds. NaN: what the hit is predicted to need.",
        unit="N.m",
    )
    hit_force_thresholds: tuple[float, ...] = parameter(
        (nan,) * 6, "Those of force and moment, likewise.", unit="N; N.m"
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
        0.1, "Brake when the node is silent for longer.", unit="s", low=0.01, high=1.0
    )
    least_success_rate: float = parameter(
        0.95,
        "Fraction of the last 100 commands, above which must have reached the arm before it"
        " approaches and while it moves.",
        low=0.0,
        high=1.0,
    )
    success_cycles: int = parameter(
        20, "Brake when the fraction was not above that for so many cycles in a row.", low=1
    )
    request_age: float = parameter(
        0.5,
        "The loop refuses to begin requests that are older.",
        unit="s",
        low=0.01,
        high=10.0,
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
        """Check the numbers of entries, and that the standing thresholds are low.

        Raises:
            DriverError: too few or too many entries, or too high, with the name.
        """
        for name, count in (
            ("torque_thresholds", 7),
            ("force_thresholds", 6),
            ("highest_torque_thresholds", 7),
            ("highest_force_thresholds", 6),
            ("hit_torque_thresholds", 7),
            ("hit_force_thresholds", 6),
            ("load_center", 3),
            ("load_inertia", 9),
        ):
            if len(getattr(self, name)) != count:
                raise DriverError(
                    f"{name}: expected {count} numbers, got {len(getattr(self, name))}"
                )
        for name, most in (
            ("torque_thresholds", STANDING_TORQUE),
            ("force_thresholds", STANDING_FORCE),
        ):
            if any(value > top for value, top in zip(getattr(self, name), most, strict=True)):
                raise DriverError(
                    f"{name}: expected at most {list(most)}, got {list(getattr(self, name))};"
                    " raise_thresholds raises them for a hit"
                )
        self._check_hit()

    def _check_hit(self) -> None:
        """Check that thresholds for a hit are neither below the low ones nor above the highest.

        Raises:
            DriverError: one is, or only some are given.
        """
        low, high = self.low_thresholds, self._highest
        both = (
            ("hit_torque_thresholds", self.hit_torque_thresholds, low.torque, high.torque),
            ("hit_force_thresholds", self.hit_force_thresholds, low.force, high.force),
        )
        if np.isnan([value for _, values, _, _ in both for value in values]).all():
            return
        for name, values, least, most in both:
            highest = np.maximum(least, most)
            if not ((least <= values) & (values <= highest)).all():
                raise DriverError(
                    f"{name}: expected {least.tolist()} to {highest.tolist()}, got {list(values)}"
                )

    @property
    def _highest(self) -> CollisionBehavior:
        return CollisionBehavior(self.highest_torque_thresholds, self.highest_force_thresholds)

    @property
    def hit_thresholds(self) -> CollisionBehavior | None:
        """Thresholds given for a hit; None: predicted for each."""
        if np.isnan(self.hit_torque_thresholds).any():
            return None
        return CollisionBehavior(self.hit_torque_thresholds, self.hit_force_thresholds)

    @property
    def low_thresholds(self) -> CollisionBehavior:
        """Thresholds in force outside hits."""
        return CollisionBehavior(self.torque_thresholds, self.force_thresholds)

    def with_hit_thresholds(self, thresholds: CollisionBehavior) -> ArmSettings:
        """Return the settings that raise the thresholds to these for the time of each hit.

        Raises:
            DriverError: one is below the low ones, or above the highest.
        """
        torque, force = tuple(thresholds.torque.tolist()), tuple(thresholds.force.tolist())
        return replace(
            self,
            raise_thresholds=True,
            hit_torque_thresholds=torque,
            hit_force_thresholds=force,
        )

    def raised_for(self, need: CollisionBehavior) -> CollisionBehavior:
        """Return the thresholds for a hit: those given, else by its predicted observations."""
        given = self.hit_thresholds
        if given is not None:
            return given
        return self.low_thresholds.raised(need, self.threshold_reserve, self._highest)


def read_settings(path: str | Path) -> ArmSettings:
    """Read settings from a YAML file, or a parameter file of the node; the rest by default.

    Raises:
        ImpactError: no such file, or an entry that does not fit.
    """
    mapping = read_mapping(Path(path))
    return from_values(ArmSettings, of_node(mapping, NODE) or mapping)
