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

from impact_bags.exceptions import RecordingError
from impact_bags.reading.reader import BagReader, TopicInfo
from impact_bags.typestore import impact_typestore
from impact_bags.writing.writer import BagWriter

__all__ = ["BagReader", "BagWriter", "RecordingError", "TopicInfo", "impact_typestore"]
