# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impacts in a recording (bag or CSV): python examples/detect_in_bag.py RECORDING."""

import sys
from pathlib import Path

from impact_analysis.detection.detect_run import detect
from impact_bags.bag_recording import TopicChoice
from impact_bags.open_recording import open_recording
from impact_detector.parameters import DetectorParameters
from impact_detector.signals.model_torque import ModelTorque
from impact_robots import load_robot

if len(sys.argv) != 2:
    sys.exit(__doc__)
robot = load_robot("panda")
recording = open_recording(Path(sys.argv[1]), robot, TopicChoice())
reference = "desired" if recording.has_reference else "model"  # torques to compare with
parameters = DetectorParameters(detectors=("fused", "momentum"), reference=reference)
result = detect(recording, parameters, robot, ModelTorque(robot))
print(f"{result.name}: {result.judged} of {result.samples} samples judged")
for found, assessment in zip(result.detections, result.assessments, strict=True):
    time, delay = found.impact_time - result.first_time, found.detection_time - found.impact_time
    print(f"{found.detector}: impact at {time * 1e-9:.4f} s, detected {delay * 1e-6:.1f} ms later,")
    print(f"  on {assessment.location.link or 'an unknown link'}")
