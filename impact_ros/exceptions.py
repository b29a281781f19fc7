# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the shared ROS helpers."""

from impact_robots.exceptions import ImpactError


class RosError(ImpactError):
    """Root of the errors of this package."""


class ParameterError(RosError):
    """A parameter was given a value that it cannot take.

    Attributes:
        name: Name of the parameter.
    """

    def __init__(self, name: str, message: str) -> None:
        """Keep the name beside the message.

        Args:
            name: Name of the parameter.
            message: What was expected, what was got, which choices exist.
        """
        super().__init__(f"parameter {name}: {message}")
        self.name = name


class MessageError(RosError):
    """A message holds something that cannot be used: missing joints, wrong lengths."""
