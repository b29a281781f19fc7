# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Options of `detect` and of commands that read recordings: robot, topics, detectors, reference."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from impact_analysis.detection.threshold_file import read_thresholds
from impact_cli.options.number_options import number, whole
from impact_detector.detectors.detector_kind import DETECTORS
from impact_detector.signals.reference_torque import RULES
from impact_detector.signals.sample import FUSED, TORQUE_ERROR


def add_recorded_robot_options(add: Callable[..., Any]) -> None:
    """Add the options of the robot of a recording."""
    add(
        "--robot",
        metavar="NAME|YAML",
        help="name of a robot, or its YAML (default: the YAML beside the recording, else panda)",
    )
    add("--urdf", default="", metavar="PATH", help="URDF that replaces the robot's own")
    add("--joint-prefix", default="", metavar="P", help="prefix of joint names, such as fr3_")


def add_detector_options(add: Callable[..., Any], default: str = FUSED) -> None:
    """Add the options that are parameters of the node, too; ``default`` is the detector."""
    add(
        "--detectors",
        type=_names,
        default=(),
        metavar="NAME,..",
        help=f"any of {', '.join(DETECTORS)}; the statistic of the first is shown (default:"
        f" {default})",
    )
    add(
        "--thresholds",
        type=read_thresholds,
        default={},
        metavar="YAML",
        help="file written by --learn -o; replaces the defaults below",
    )
    for kind in DETECTORS.values():
        option = "--" + kind.parameter.replace("_", "-")
        default = f"{kind.threshold:g}"
        if kind.name == TORQUE_ERROR:
            default += "; with --score the scenario's"
        text = f"{kind.statistic} [{kind.unit}] (default: {default})"
        add(option, type=number, metavar="T", help=text)
    add(
        "--joints",
        type=_numbers,
        default=(),
        metavar="5,6",
        help="joints whose torques are summed, from 1 (default: the robot's)",
    )
    add(
        "--rearm-time",
        type=number,
        default=0.5,
        metavar="S",
        help="time below the thresholds before the next impact is reported [s] (default: 0.5)",
    )
    add(
        "--bias-samples",
        type=whole,
        metavar="N",
        help="subtract the mean torque error of the last N samples without impact; 0: off (default:"
        " 50)",
    )
    add(
        "--force-threshold",
        type=number,
        default=float("nan"),
        metavar="N",
        help="also detect with the bag's force sensors: threshold of the norm [N] (default: off)",
    )


def add_reference_options(add: Callable[..., Any]) -> None:
    """Add the options of the reference torque and of the topics."""
    add(
        "--reference",
        choices=["auto", "desired", "model"],
        default="auto",
        help="reference torque (default: desired if recorded, else model)",
    )
    add(
        "--joint-friction",
        action="store_true",
        help="add the published friction of a Panda's joints to the model's torque",
    )
    add("--no-tool", action="store_true", help="leave the tool out of the model's torque")
    add(
        "--reference-excludes-gravity",
        action="store_true",
        help="add the model's gravity to the recorded desired torque (franka_ros2)",
    )
    add_joint_state_topics(add)
    add(
        "--pairing",
        choices=["auto", *RULES],
        default="auto",
        help="which desired torque belongs to a state: the one stamped before it (this suite) or"
        " with the same stamp (drivers)",
    )


def add_joint_state_topics(add: Callable[..., Any]) -> None:
    """Add the options that name a bag's topics of joint states."""
    add("--state-topic", default="", metavar="TOPIC", help="measured joint states in the bag")
    add("--reference-topic", default="", metavar="TOPIC", help="desired joint states in the bag")


def _numbers(text: str) -> tuple[int, ...]:
    """Return comma-separated integers."""
    try:
        return tuple(whole(part) for part in text.split(","))
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"expected joint numbers such as 5,6, got {text!r}"
        ) from None


def _names(text: str) -> tuple[str, ...]:
    """Return comma-separated names."""
    return tuple(text.split(","))
