# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong in the set-up, each said in one line."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class SetupError(Exception):
    """The set-up cannot go on; its text is the one line that the user reads."""


class UsageError(Exception):
    """The command line is wrong; its text says what was expected and what was got."""


@contextmanager
def in_one_line(root: Path) -> Iterator[None]:
    """Turn what the system or a process called says into one line.

    Args:
        root: Of the checkout, named where the error names no file.

    Raises:
        SetupError: In place of an OSError, or of a process that failed or did not end.
    """
    try:
        yield
    except OSError as error:
        raise SetupError(f"{error.strerror or error}: {error.filename or root}") from error
    except subprocess.TimeoutExpired as error:
        raise SetupError(f"{error.cmd[0]} did not answer within {error.timeout:g} s") from error
    except subprocess.CalledProcessError as error:
        said = (error.stderr or "").strip().splitlines() or ["no message"]
        line = f"{error.cmd[0]} failed with status {error.returncode}: {said[-1]}"
        raise SetupError(line) from error
