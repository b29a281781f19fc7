# SPDX-License-Identifier: Apache-2.0
"""Measured planar impacts of a rigid body on a fixed surface, and the CSV they come from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from impact_analysis.csv_rows import csv_rows
from impact_analysis.exceptions import RecordingError

_POSITION = ("x0_m", "y0_m")
_BEFORE = ("vx0_mps", "vy0_mps", "w0_radps")
_AFTER = ("vx1_mps", "vy1_mps", "w1_radps")
_NORMAL = ("n_x", "n_y", "n_lever_m")
_TANGENT = ("d_x", "d_y", "d_lever_m")
_LEAST_SINE = 0.1  # of the angle between normal and tangent, which is a right one
COLUMNS = (*_POSITION, *_BEFORE, *_AFTER, *_NORMAL, *_TANGENT)


@dataclass(frozen=True)
class PlanarImpacts:
    """N impacts; generalised velocities are (vx, vy, w) [m/s, m/s, rad/s].

    Contact velocity is ``normal @ v`` and ``tangent @ v``, each row (x, y, lever) [-, -, m].
    """

    before: np.ndarray  # velocities before, shape (N, 3)
    after: np.ndarray  # velocities after, shape (N, 3)
    normal: np.ndarray  # shape (N, 3)
    tangent: np.ndarray  # shape (N, 3), its lever in the sign of the velocity
    place: np.ndarray  # of the contact along the surface, shape (N,) [m]

    def __len__(self) -> int:
        return len(self.before)

    def take(self, rows: np.ndarray) -> PlanarImpacts:
        """Return the impacts of these rows: numbers or a mask."""
        return PlanarImpacts(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True)
class PlanarDataset:
    """The impacts of a file that can be used, and how many cannot."""

    name: str
    impacts: PlanarImpacts
    rows: int  # in the file
    not_finite: int  # rows dropped for an empty field, NaN or infinity
    no_frame: int  # rows dropped because normal and tangent do not span the plane
    not_approaching: int  # rows dropped because the contact point does not approach

    @property
    def dropped(self) -> str:
        """How many rows were dropped, and why."""
        return (
            f"{self.not_finite} not finite, {self.no_frame} without a normal and a tangent,"
            f" {self.not_approaching} not approaching"
        )


class PlanarImpactFile:
    """A CSV with the columns ``COLUMNS``, SI units, one row per impact; further ones are ignored.

    In this format the sign of ``d_lever_m`` is opposite to that of the velocity: it is negated.
    """

    def __init__(self, path: Path) -> None:
        """Open the file and check its columns.

        Raises:
            RecordingError: there is no such file, it is no CSV, or columns are missing.
        """
        self._path = path
        if not path.exists():
            raise RecordingError.at(path, "no such file; expected a CSV of impacts")
        if not path.is_file():
            raise RecordingError.at(path, "expected a CSV file of impacts, got a folder")
        self._header = [name.strip() for name in next(csv_rows(self._path), (0, []))[1]]
        missing = [name for name in COLUMNS if name not in self._header]
        if missing:
            got = ", ".join(self._header[:8]) + (", ..." if len(self._header) > 8 else "")
            raise RecordingError.at(
                path,
                f"expected columns {', '.join(COLUMNS)}; missing {', '.join(missing)};"
                f" got {got or 'none'}",
            )

    def read(self) -> PlanarDataset:
        """Return what the file holds.

        Raises:
            RecordingError: a line has the wrong number of fields, or a field is no number.
        """
        lines = csv_rows(self._path)
        next(lines)
        table = np.array([self._numbers(*line) for line in lines]).reshape(-1, len(COLUMNS))
        finite = np.isfinite(table).all(axis=1)
        impacts = _impacts(table[finite])
        (n_x, n_y), (d_x, d_y) = impacts.normal[:, :2].T, impacts.tangent[:, :2].T
        framed = np.abs(n_x * d_y - n_y * d_x) > _LEAST_SINE
        approaching = (impacts.normal * impacts.before).sum(axis=1) < 0.0
        return PlanarDataset(
            name=str(self._path),
            impacts=impacts.take(framed & approaching),
            rows=len(table),
            not_finite=int((~finite).sum()),
            no_frame=int((~framed).sum()),
            not_approaching=int((framed & ~approaching).sum()),
        )

    def _numbers(self, number: int, line: list[str]) -> list[float]:
        """Return the fields of ``COLUMNS``, an empty one as NaN."""
        expected = len(self._header)
        if len(line) != expected:
            raise RecordingError.at(
                self._path, f"line {number}: expected {expected} fields, got {len(line)}"
            )
        row = dict(zip(self._header, line, strict=True))
        try:
            return [float(row[name].strip() or "nan") for name in COLUMNS]
        except ValueError as error:
            raise RecordingError.at(self._path, f"line {number}: {error}") from None


def _impacts(table: np.ndarray) -> PlanarImpacts:
    """Return the impacts of a table with the columns ``COLUMNS``, shape (N, 14)."""
    position, before, after, normal, tangent = np.split(table, [2, 5, 8, 11], axis=1)
    tangent = tangent * [1.0, 1.0, -1.0]
    # r = r_t t + r_n n reaches from the body's origin to the contact, r_n < 0. Levers are s r x n
    # and s r x t, s = -1 where w counts clockwise, so r_t is the normal's lever up to this sign.
    ahead = np.sign(tangent[:, 2]) * normal[:, 2]
    return PlanarImpacts(
        before, after, normal, tangent, (tangent[:, :2] * position).sum(axis=1) + ahead
    )
