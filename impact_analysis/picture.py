# SPDX-License-Identifier: Apache-2.0
"""Writes pictures that an option `--plot` asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from impact_analysis.exceptions import AnalysisError


def save(figure: Any, path: Path, dpi: int) -> None:
    """Write a figure of matplotlib and close it.

    Raises:
        AnalysisError: the picture cannot be written.
    """
    import matplotlib.pyplot as plt

    try:
        figure.savefig(path, dpi=dpi)
    except (OSError, ValueError) as error:
        raise AnalysisError(f"--plot: cannot write {path}: {error}") from None
    finally:
        plt.close(figure)
