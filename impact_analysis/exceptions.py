# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the analysis."""

from __future__ import annotations

from impact_robots.exceptions import ImpactError


class AnalysisError(ImpactError):
    """Root of the errors of this package."""


class UsageError(AnalysisError):
    """An option's value does not fit; the text names the option."""


class RecordingError(AnalysisError):
    """A recording cannot be read or written; the text begins with its path."""

    @classmethod
    def at(cls, path: object, message: str) -> RecordingError:
        """Make the error of one recording.

        Args:
            path: The recording.
            message: What was expected and what was found, in one line.

        Returns:
            The error, to be raised.
        """
        return cls(f"{path}: {message}")


class WriteError(AnalysisError):
    """Something cannot be written; the text names it."""

    @classmethod
    def of(cls, path: object, error: Exception) -> WriteError:
        """Make the error of a file that the system refused to write.

        Args:
            path: The file.
            error: What the system said.

        Returns:
            The error, to be raised.
        """
        return cls(f"cannot write {path}: {getattr(error, 'strerror', None) or error}")


class RosNeededError(AnalysisError):
    """A command needs ROS 2, which cannot be imported here."""

    def __init__(self, command: str, reason: ImportError) -> None:
        """Say what to do.

        Args:
            command: The command that needs it.
            reason: What failed to import.
        """
        super().__init__(
            f"{command} needs ROS 2 ({reason}): run ./impact {command} in a checkout, or source"
            " a ROS 2 workspace that holds impact_control first"
        )
