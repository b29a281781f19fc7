# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The temporary folder of a launched simulator: its files and the suite's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

SUITE = "suite.yaml"


def write_folder(folder: Path, texts: Mapping[str, str], settings: Mapping[str, Any]) -> list[str]:
    """Write a simulator's files, and the parameters of the suite for any namespace.

    Args:
        folder: existing folder.
        texts: of the files by name.
        settings: parameters by node, as a parameter file holds them.

    Returns:
        The ROS arguments with which the suite reads its parameters.
    """
    suite = yaml.safe_dump({f"/**/{node}": own for node, own in settings.items()})
    for name, text in {**texts, SUITE: suite}.items():
        (folder / name).write_text(text)
    return ["--params-file", str(folder / SUITE)]
