# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the suite: one root, so that a caller can catch everything with one clause."""

from __future__ import annotations


class ImpactError(Exception):
    """Root of every error that the suite raises deliberately; its text is one clear line.

    Attributes:
        is_wrong_input: caused by an input, not by a failed operation.
    """

    is_wrong_input = False


class RobotError(ImpactError):
    """A robot cannot be loaded: unknown name, missing file, wrong or missing entry."""

    is_wrong_input = True

    def __init__(self, text: str) -> None:
        """Store ``text`` as one line; file names and parser messages may have line breaks."""
        super().__init__(one_line(text))


class TaskError(ImpactError):
    """A task, a cell or a scenario is unknown, incomplete or wrong; the text names the choices."""

    is_wrong_input = True


class OutOfRangeError(ImpactError):
    """An argument is outside its range, of the wrong shape or not finite."""

    is_wrong_input = True

    def __init__(self, parameter: str, expected: str, got: object) -> None:
        """Store the ``parameter``'s name, the ``expected`` value and ``got``."""
        super().__init__(f"{parameter}: expected {expected}, got {one_line(got)}")
        self.parameter = parameter
        self.expected = expected
        self.got = got


class UsageError(ImpactError):
    """An option's value does not fit; the text names the option."""

    is_wrong_input = True


class WriteError(ImpactError):
    """A file cannot be written; the text names it."""

    @classmethod
    def of(cls, path: object, error: Exception) -> WriteError:
        """Create the error of a file that the system refused to write.

        Args:
            path: The file.
            error: The system error.

        Returns:
            The error, to be raised.
        """
        return cls(f"cannot write {path}: {getattr(error, 'strerror', None) or error}")


def one_line(value: object) -> str:
    """Return ``value`` as text without line breaks."""
    return " ".join(str(value).split())
