# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of recordings, trials and studies."""

from __future__ import annotations

from impact_robots.exceptions import ImpactError


class AnalysisError(ImpactError):
    """Root of the errors of recordings, trials, studies and the command line."""


class RecordingError(AnalysisError):
    """A recording cannot be read or written; the text begins with its path."""

    is_wrong_input = True

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
