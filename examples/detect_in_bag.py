# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which impacts a recording holds: python examples/detect_in_bag.py BAG (or CSV)."""

import sys
from pathlib import Path

from impact_analysis.detection.detect_run import detect
from impact_bags.bag_recording import TopicChoice
from impact_bags.open_recording import open_recording
from impact_detector import ModelTorque
from impact_detector.parameters import DetectorParameters
from impact_robots import load_robot
from impact_ros.parameters import from_values

robot = load_robot("panda")
recording = open_recording(Path(sys.argv[1]), robot, TopicChoice())
reference = "desired" if recording.has_reference else "model"  # torque to compare with
parameters = from_values(DetectorParameters, {"reference": reference})
result = detect(recording, parameters, robot, ModelTorque(robot))
print(f"{result.samples} states, {len(result.detections)} impacts")
for found, judged in zip(result.detections, result.assessments, strict=True):
    since = (found.impact_time - result.first_time) * 1e-9
    delay = (found.detection_time - found.impact_time) * 1e-6
    print(f"contact at {since:.4f} s, detected {delay:.1f} ms later, link {judged.location.link or 'unknown'}")
