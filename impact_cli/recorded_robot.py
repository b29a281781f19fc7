# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The robot of a recording, by default from the YAML beside it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from impact_robots.description.loader import available_robots
from impact_robots.exceptions import RobotError, UsageError
from impact_robots.yaml_file import read_mapping

DEFAULT = "panda"
_BAGS_OWN = "metadata.yaml"


def recorded_robot(given: str | None, path: Path) -> str:
    """Return the given robot, else the robot YAML beside the recordings.

    "Beside" means in the same folder; of a single bag, or a file in it, in the two folders above
    it, where `impact hit` writes it.

    Args:
        given: the option ``--robot``: a name, or path of a YAML; None: not given.
        path: path of a recording, or of a folder of them.

    Raises:
        UsageError: there are YAMLs of several robots.
    """
    if given is not None:
        return given
    path = Path(os.path.abspath(path))  # noqa: PTH100 - beside a link, too
    if path.is_file() and (path.parent / _BAGS_OWN).is_file():
        path = path.parent  # a file of a bag
    one = path.is_file() or (path / _BAGS_OWN).is_file()
    folders = [path.parent, path.parent.parent] if one else [path]
    for folder in folders:
        found = [each for each in sorted(folder.glob("*.yaml")) if _is_robot(each)]
        if len(found) > 1:
            names = ", ".join(map(str, found))
            raise UsageError(f"--robot: expected one of the YAMLs beside the recording: {names}")
        if found:
            return str(found[0])
    return DEFAULT


def _is_robot(path: Path) -> bool:
    """Whether a YAML describes a robot."""
    if path.name == _BAGS_OWN:
        return False
    with suppress(RobotError):
        mapping = read_mapping(path)
        return {"joints", "base_link"} <= mapping.keys() or (
            mapping.get("like") in available_robots()
        )
    return False
