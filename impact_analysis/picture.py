# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes pictures, all or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from impact_bags.new_files import NewFiles
from impact_robots.exceptions import WriteError


def save(figure: Any, path: Path, dpi: int, option: str = "--plot") -> None:
    """Write a figure of matplotlib that an ``option`` asked for, and close it.

    Raises:
        WriteError: the picture cannot be written.
    """
    try:
        save_as(figure, path, dpi=dpi)
    except WriteError as error:
        raise WriteError(f"{option}: {error}") from None


def save_as(figure: Any, path: Path, **options: Any) -> None:
    """Write a figure of matplotlib and close it; the format is that of the path's suffix.

    Raises:
        WriteError: the picture cannot be written, or there is no such format.
    """
    import matplotlib.pyplot as plt

    try:
        with NewFiles() as new:
            kind = path.suffix[1:].lower() or "png"
            figure.savefig(new.open(path, "wb"), format=kind, **options)
    except ValueError as error:
        raise WriteError(f"cannot write {path}: {error}") from None
    finally:
        plt.close(figure)
