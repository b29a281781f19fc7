# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The output folder of a command."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from impact_robots.exceptions import ImpactError


def new_folder(wanted: Path | None, command: str) -> Path:
    """Make the output folder and return it.

    Args:
        wanted: the option ``--out``; None: ``impact_output/COMMAND_TIME``.
        command: name of the command.

    Raises:
        ImpactError: it exists already, or cannot be made.
    """
    folder = wanted or Path("impact_output") / f"{command}_{datetime.now():%Y-%m-%d_%H%M%S}"
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise ImpactError(f"--out: expected a new folder, {folder} exists already") from None
    except OSError as error:
        raise ImpactError(f"--out: cannot make {folder}: {error.strerror}") from None
    return folder
