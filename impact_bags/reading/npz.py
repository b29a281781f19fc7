# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads the arrays of an ``.npz`` that anything may have happened to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from impact_bags.exceptions import RecordingError


def npz_names(path: Path) -> tuple[str, ...]:
    """Return the names of a file's arrays.

    Raises:
        RecordingError: as :func:`read_npz`.
    """
    with _opened(path) as file:
        return tuple(file.files)


def read_npz(path: Path, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """Return arrays of a file by name; by default all.

    Raises:
        RecordingError: no such file, none of arrays of numbers, damaged, or an array is missing.
    """
    with _opened(path) as file:
        missing = [name for name in names or () if name not in file.files]
        if missing:
            got = ", ".join(sorted(file.files)) or "none"
            raise RecordingError.at(path, f"expected the array {missing[0]}, got {got}")
        return {name: np.asarray(file[name]) for name in names or file.files}


@contextmanager
def _opened(path: Path) -> Iterator[np.lib.npyio.NpzFile]:
    """Open a file; whatever goes wrong while it is open is its fault."""
    try:
        with np.load(path, allow_pickle=False) as file:
            yield file
    except RecordingError:
        raise
    except OSError as error:
        raise RecordingError.at(path, f"cannot be read: {error.strerror or error}") from None
    except Exception as error:  # damaged files may raise any exception
        why = " ".join(str(error).split())
        line = f"expected an .npz of arrays of numbers: {why}"
        raise RecordingError.at(path, line) from None
