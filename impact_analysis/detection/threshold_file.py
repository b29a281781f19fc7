# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads thresholds that `detect --learn -o` has written for the node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from impact_detector.parameters import DetectorParameters, thresholds
from impact_robots.exceptions import RobotError, UsageError
from impact_robots.yaml_file import read_yaml
from impact_ros.exceptions import ParameterError
from impact_ros.parameters import from_values, of_node

NODE = "impact_detector"
HOLD_FOR = ("joints", "bias_samples")  # settings that learnt thresholds are valid for


def read_thresholds(path: str | Path) -> dict[str, Any]:
    """Return the thresholds in a parameter file of the node impact_detector, by their names.

    Includes joints and bias samples, if present: the thresholds are valid for these.

    Raises:
        UsageError: the file cannot be read, has no such node, or no threshold.
    """
    try:
        document = read_yaml(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RobotError) as error:
        raise UsageError(f"--thresholds: {path}: cannot be read: {error}") from None
    values, names = of_node(document, NODE), thresholds()
    if not isinstance(values, dict) or not set(names) & set(values):
        raise UsageError(
            f"--thresholds: {path}: expected parameters of {NODE} with one of"
            f" {', '.join(names)}, as detect --learn -o writes them"
        )
    taken = {name: value for name, value in values.items() if name in (*names, *HOLD_FOR)}
    try:
        parameters = from_values(DetectorParameters, taken)
    except ParameterError as error:
        raise UsageError(f"--thresholds: {path}: {error}") from None
    return {
        name: parameters.thresholds[name] if name in names else getattr(parameters, name)
        for name in taken
    }
