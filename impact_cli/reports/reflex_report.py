# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Collision thresholds for a hit: as text, JSON, YAML of the FR3's node, and service calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import yaml

from impact_analysis.franka.observed_hits import RecordedPeaks
from impact_analysis.present.plain import plain
from impact_analysis.present.table import aligned
from impact_predictor.reflex.stopping_push import StoppingPush, stopping_push
from impact_predictor.reflex.thresholds import FARTHEST, Thresholds, growth
from impact_robots.robot import Robot
from impact_robots.state.state import RobotState

SERVICE = "/service_server/set_full_collision_behavior"
TYPE = "franka_msgs/srv/SetFullCollisionBehavior"
_HEAD = """\
# Written by `impact plan --reflex`: collision thresholds for one kind of hit; entries of
# config/franka.yaml, or --arm of `impact hit`. In force only for the time of a hit: meanwhile the
# arm stops for a person only above the pushes that `plan --reflex` prints.
"""


@dataclass(frozen=True, eq=False)
class ReflexPlan:
    """Collision thresholds for a hit."""

    robot: Robot
    state: RobotState  # of the arm at the hit
    speed: float  # of the hit [m/s]
    vendor: Thresholds
    thresholds: Thresholds  # for the hit
    hits: Sequence[RecordedPeaks]  # empty: predicted
    warnings: list[str]

    @property
    def push(self) -> StoppingPush:
        """What still stops the arm in the hit."""
        return stopping_push(self.robot, self.state, self.thresholds.torque)

    @property
    def vendors_push(self) -> StoppingPush:
        """What stops it with the vendor's thresholds."""
        return stopping_push(self.robot, self.state, self.vendor.torque)

    @property
    def used(self) -> list[RecordedPeaks]:
        """The recorded hits that are fast enough to say something of this one."""
        return [each for each in self.hits if self.speed <= FARTHEST * each.observed.speed]

    def distance(self, hit: RecordedPeaks) -> float:
        """Return the largest difference of a joint from a recorded hit [rad]."""
        return float(np.abs(self.state.q - hit.q).max())


def reflex_document(plan: ReflexPlan) -> dict[str, Any]:
    """Return the JSON document."""
    document: dict[str, Any] = plain(
        {
            "robot": plan.robot.name,
            "q_rad": plan.state.q,
            "speed_mps": plan.speed,
            "source": "recordings" if plan.hits else "prediction",
            "hits": [_hit(plan, each) for each in plan.hits],
            "vendor_torque_nm": plan.vendor.torque,
            "vendor_force": plan.vendor.force,
            "torque_thresholds_nm": plan.thresholds.torque,
            "force_thresholds": plan.thresholds.force,
            "push_that_stops_N": plan.push._asdict(),
            "push_that_stops_N_vendor": plan.vendors_push._asdict(),
            "parameters": _parameters(plan),
            "service_calls": service_calls(plan),
            "warnings": plan.warnings,
        }
    )
    return document


def _hit(plan: ReflexPlan, hit: RecordedPeaks) -> dict[str, Any]:
    ratio, used = plan.speed / hit.observed.speed, hit in plan.used
    return {
        "recording": hit.recording,
        "time_s": hit.time,
        "q_rad": hit.q,
        "speed_mps": hit.observed.speed,
        "speed_ratio": ratio,
        "growth": growth(ratio) if used else None,  # None: too slow, not used
        "observed_torque_nm": hit.observed.torque,
        "observed_force": hit.observed.force,
        "torque_by": hit.torque_by,
        "force_by": hit.force_by,
    }


def reflex_yaml(plan: ReflexPlan) -> str:
    """Return a parameter file of the node ``franka``."""
    document = {"/**/franka": {"ros__parameters": _parameters(plan)}}
    return _HEAD + yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=100)


def _parameters(plan: ReflexPlan) -> dict[str, Any]:
    return {
        "raise_thresholds": True,
        "hit_torque_thresholds": _rounded(plan.thresholds.torque),
        "hit_force_thresholds": _rounded(plan.thresholds.force),
    }


def service_calls(plan: ReflexPlan) -> dict[str, str]:
    """Return calls of franka_ros2's service, for the hit and back to the vendor's thresholds."""
    return {"hit": _call(plan.thresholds), "back": _call(plan.vendor)}


def _call(thresholds: Thresholds) -> str:
    """Return a call that sets contact and collision, with acceleration and without, alike."""
    values = {"torque": thresholds.torque, "force": thresholds.force}
    entries = [
        f"{side}_{kind}_thresholds_{phase}: {_rounded(values[kind])}"
        for kind in values
        for phase in ("acceleration", "nominal")
        for side in ("lower", "upper")
    ]
    return f'ros2 service call {SERVICE} {TYPE} "{{{", ".join(entries)}}}"'


def _rounded(values: Iterable[float]) -> list[float]:
    """Return thresholds rounded up to 0.01 N.m or N."""
    return [ceil(100.0 * value - 1e-6) / 100.0 for value in values]


def reflex_text(plan: ReflexPlan) -> str:
    """Return thresholds, pushes, warnings and service calls."""
    fast, count = plan.used, len(plan.hits)
    how = f"from {len(fast)} of {count} recorded hits" if count else "predicted"
    torque, force = plan.thresholds
    pushes = [
        (each.tool, each.forearm, each.elbow_across) for each in (plan.vendors_push, plan.push)
    ]
    return "\n".join(
        [
            f"{plan.robot.name}, hit at {plan.speed:.3f} m/s: collision thresholds {how}",
            *(_hit_line(plan, each) for each in plan.hits),
            f"  torques, joint 1 to {len(torque)} [N.m]",
            *_rows(".1f", plan.vendor.torque, torque),
            "  force along, moment about x, y, z [N], [N.m]",
            *_rows(".1f", plan.vendor.force, force),
            "what still stops the arm by its torques: pushes above [N]",
            *_rows(".0f", *pushes, head=("tool", "forearm", "elbow, across the upper arm")),
            "warnings",
            *(f"  {line}" for line in plan.warnings),
            "franka_ros2, while the arm stands: before the hit, then back",
            *(f"  {call}" for call in service_calls(plan).values()),
        ]
    )


def _hit_line(plan: ReflexPlan, hit: RecordedPeaks) -> str:
    """Return what a recorded hit says."""
    ratio = plan.speed / hit.observed.speed
    use = f"times {ratio:.2f} and {growth(ratio):g}" if hit in plan.used else "too slow, not used"
    return (
        f"  {hit.recording}, {hit.time:.3f} s: {hit.observed.speed:.3f} m/s, {use};"
        f" by {hit.torque_by}; pose within {plan.distance(hit):.2f} rad"
    )


def _rows(
    form: str, vendors: Iterable[float], raised: Iterable[float], *, head: Sequence[str] = ()
) -> list[str]:
    """Return the vendor's values and those for the hit, in columns."""
    rows = (("the vendor's", vendors), ("for the hit", raised))
    lines = [[name, *(format(value, form) for value in values)] for name, values in rows]
    return [f"    {line}" for line in aligned([["", *head], *lines] if head else lines)]
