# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the command line."""

from __future__ import annotations

from impact_bags.exceptions import AnalysisError


class RosNeededError(AnalysisError):
    """A command needs ROS 2, which cannot be imported here."""

    def __init__(self, command: str, reason: ImportError) -> None:
        """Name the ways to get ROS 2.

        Args:
            command: The command that needs it.
            reason: What failed to import.
        """
        super().__init__(
            f"{command} needs ROS 2 ({reason}): run ./impact {command} in a checkout, or source"
            " a ROS 2 workspace that holds impact_control first"
        )
