# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Records all topics, in a process of its own until interrupted: `python -m recording BAG`."""

import sys

import rclpy
from rclpy.signals import SignalHandlerOptions

from impact_bringup.experiments.recorder import Recorder
from impact_ros.node.spin import spin

if __name__ == "__main__":
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    recorder = Recorder(sys.argv[1])
    spin([recorder])
    recorder.destroy_node()
    sys.exit(str(recorder.skipped) if recorder.skipped else 0)
