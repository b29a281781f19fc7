# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads tosses, or impacts that were cut out of tosses, from an ``.npz``; SI units.

Impacts: ``toss``, ``corners`` (N,), ``quaternion`` (N, 4; w, x, y, z), ``velocity_before``,
``velocity_after``, ``angular_velocity_before``, ``angular_velocity_after`` (N, 3; world axes, z the
plane's normal). Tosses: ``toss``, ``length`` (T,), and one after the other their frames,
``position`` (F, 3) and ``quaternion`` (F, 4). What else there is is not looked at: the recorded
velocities are late.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from impact_analysis.tosses.toss_impacts import Toss, TossFile, TossImpacts
from impact_bags.exceptions import RecordingError
from impact_bags.reading.npz import npz_names, read_npz

_VELOCITIES = tuple(
    f"{kind}_{when}" for when in ("before", "after") for kind in ("velocity", "angular_velocity")
)
_IMPACTS = {"toss": 0, "corners": 0, "quaternion": 4} | dict.fromkeys(_VELOCITIES, 3)
_TOSSES = {"toss": 0, "length": 0, "position": 3, "quaternion": 4}
_UNIT = 0.01  # by which a quaternion's length may be off
FEWEST_FRAMES = 20  # of a toss


def is_toss_file(path: Path) -> bool:
    """Return whether an ``.npz`` has an array that only these files have."""
    try:
        return bool({"toss", "quaternion"} & set(npz_names(path)))
    except RecordingError:
        return False


def read_tosses(path: Path) -> TossFile:
    """Return what a file holds.

    Raises:
        RecordingError: no such file, or damaged, an array is missing, of the wrong shape or not
            finite, or there is nothing in it.
    """
    arrays = read_npz(path)
    if "length" in arrays:
        return TossFile(str(path), None, _tosses(path, arrays))
    return TossFile(str(path), _impacts(path, arrays), ())


def _checked(
    path: Path, arrays: dict[str, np.ndarray], widths: dict[str, int]
) -> dict[str, np.ndarray]:
    """Return the arrays that are needed, as numbers.

    Raises:
        RecordingError: one is missing, of the wrong shape or not finite.
    """
    if missing := [name for name in widths if name not in arrays]:
        got = ", ".join(sorted(arrays)) or "none"
        raise RecordingError.at(path, f"expected the array {missing[0]}, got {got}")
    found = {}
    for name, width in widths.items():
        given = arrays[name]
        axes = 2 if width else 1
        if given.ndim != axes or (width and given.shape[1] != width):
            shape = f"(number, {width})" if width else "(number,)"
            raise RecordingError.at(path, f"expected {name} of shape {shape}, got {given.shape}")
        if given.dtype.kind not in "iuf" or not np.isfinite(given).all():
            raise RecordingError.at(path, f"expected {name} to be finite numbers")
        found[name] = given.astype(float if width else int)
    return found


def _rotations(path: Path, quaternions: np.ndarray) -> np.ndarray:
    """Return rotations from the body's axes to the world's, shape (N, 3, 3)."""
    from scipy.spatial.transform import Rotation  # loads slowly

    if (np.abs(np.linalg.norm(quaternions, axis=1) - 1.0) > _UNIT).any():
        raise RecordingError.at(path, "expected quaternions of length 1 (w, x, y, z)")
    matrices = Rotation.from_quat(quaternions[:, [1, 2, 3, 0]]).as_matrix()
    return np.ascontiguousarray(matrices)


def _impacts(path: Path, arrays: dict[str, np.ndarray]) -> TossImpacts:
    """Return the impacts of a file."""
    found = _checked(path, arrays, _IMPACTS)
    count = len(found["toss"])
    if other := [name for name, array in found.items() if len(array) != count]:
        raise RecordingError.at(
            path, f"expected {count} rows of {other[0]}, got {len(found[other[0]])}"
        )
    if count == 0:
        raise RecordingError.at(path, "expected at least one impact, got none")
    before, after = (
        np.hstack([found[f"velocity_{when}"], found[f"angular_velocity_{when}"]])
        for when in ("before", "after")
    )
    rotation = _rotations(path, found["quaternion"])
    return TossImpacts(found["toss"], rotation, before, after, found["corners"])


def _tosses(path: Path, arrays: dict[str, np.ndarray]) -> tuple[Toss, ...]:
    """Return the tosses of a file."""
    found = _checked(path, arrays, _TOSSES)
    lengths, frames = found["length"], len(found["position"])
    if len(lengths) != len(found["toss"]) or len(lengths) == 0:
        raise RecordingError.at(
            path, f"expected one length a toss, got {len(lengths)} and {len(found['toss'])}"
        )
    if lengths.min() < FEWEST_FRAMES:
        raise RecordingError.at(path, f"expected at least {FEWEST_FRAMES} frames in every toss")
    if lengths.sum() != frames or len(found["quaternion"]) != frames:
        counts = f"{frames} positions and {len(found['quaternion'])} quaternions"
        raise RecordingError.at(path, f"expected {lengths.sum()} frames, got {counts}")
    rotation, ends = _rotations(path, found["quaternion"]), np.cumsum(lengths)
    return tuple(
        Toss(int(number), found["position"][end - k : end], rotation[end - k : end])
        for number, k, end in zip(found["toss"], lengths, ends, strict=True)
    )
