# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings: rosbag2 folders and files (MCAP and sqlite3), read and written without ROS.

Example:
    with BagWriter("run") as writer:
        writer.write("/impact", "impact_msgs/msg/ImpactEvent", event, time_ns=1_000_000)
    with BagReader("run") as reader:
        for topic, time_ns, message in reader.messages(["/impact"]):
            print(topic, time_ns, message.statistic)
"""

from impact_analysis.bag_reader import BagReader, TopicInfo
from impact_analysis.bag_writer import BagWriter
from impact_analysis.exceptions import RecordingError
from impact_analysis.typestore import impact_typestore

__all__ = ["BagReader", "BagWriter", "RecordingError", "TopicInfo", "impact_typestore"]
