# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the detector's node, and topics, from the options of a command."""

from __future__ import annotations

import argparse
from dataclasses import replace

from impact_analysis.detection.threshold_file import HOLD_FOR
from impact_bags.bag_recording import TopicChoice
from impact_bags.exceptions import RecordingError
from impact_bags.reading.recording import Recording
from impact_detector.parameters import DetectorParameters, thresholds
from impact_detector.signals.model_torque import ModelTorque
from impact_robots import Robot, RobotError
from impact_robots.description.actuation import PANDA_FRICTION
from impact_ros.parameters import from_values


def detector_parameters(args: argparse.Namespace) -> DetectorParameters:
    """Return the node's parameters: from the command line, else from the file of thresholds.

    Raises:
        ImpactError: a value that the node would refuse.
    """
    values = {
        name: getattr(args, name)
        for name in (
            "robot",
            "urdf",
            "joint_prefix",
            "detectors",
            "rearm_time",
            "force_threshold",
            "reference_excludes_gravity",
        )
    }
    for name in (*thresholds(), *HOLD_FOR):
        if (given := getattr(args, name)) not in (None, ()):
            values[name] = given
        elif name in args.thresholds:
            values[name] = args.thresholds[name]
    return from_values(DetectorParameters, values)


def model_torque(args: argparse.Namespace, robot: Robot) -> ModelTorque:
    """Return the model of the reference torque.

    Raises:
        RobotError: friction is known for another robot only.
    """
    if args.joint_friction and robot.name != "panda":
        raise RobotError(f"--joint-friction: known for panda only, got robot {robot.name!r}")
    friction = PANDA_FRICTION if args.joint_friction else None
    return ModelTorque(robot, friction=friction, tool=not args.no_tool)


def topic_choice(args: argparse.Namespace, arm: str = "") -> TopicChoice:
    """Return the topics that the user has named, of an arm by its namespace."""
    pairing = "" if args.pairing == "auto" else args.pairing
    return TopicChoice(args.state_topic, args.reference_topic, pairing, namespace=arm)


def with_reference(
    parameters: DetectorParameters, recording: Recording, wanted: str
) -> DetectorParameters:
    """Return the parameters with the reference that this recording can have.

    Raises:
        RecordingError: it does not have the ``wanted`` one.
    """
    if wanted == "desired" and not recording.has_reference:
        raise RecordingError.at(recording.name, "holds no desired torque (--reference desired)")
    desired = recording.has_reference and wanted != "model"
    return replace(parameters, reference="desired" if desired else "model")
