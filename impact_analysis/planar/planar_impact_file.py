# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The CSV that planar impacts come from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from impact_analysis.planar.planar_impacts import (
    USUAL_SIGNS,
    LeverSigns,
    PlanarDataset,
    PlanarImpacts,
)
from impact_analysis.planar.planar_momentum import lever_signs
from impact_bags.exceptions import RecordingError
from impact_bags.reading.csv_rows import check_single, csv_rows

_POSITION = ("x0_m", "y0_m")
_BEFORE = ("vx0_mps", "vy0_mps", "w0_radps")
_AFTER = ("vx1_mps", "vy1_mps", "w1_radps")
_NORMAL = ("n_x", "n_y", "n_lever_m")
_TANGENT = ("d_x", "d_y", "d_lever_m")
FEWEST_FOR_SIGNS = 20  # impacts that show the signs of their levers
_LEAST_SINE = 0.1  # of the angle between normal and tangent, which is a right one
COLUMNS = (*_POSITION, *_BEFORE, *_AFTER, *_NORMAL, *_TANGENT)


class PlanarImpactFile:
    """A CSV with the columns ``COLUMNS``, SI units, one row per impact; further ones are ignored.

    Usually the sign of ``d_lever_m`` is opposite to that of the velocity. Other data count w, or a
    lever, the other way: the balance of momentum tells which (`planar_momentum`).
    """

    def __init__(self, path: Path) -> None:
        """Open the file and check its columns.

        Raises:
            RecordingError: there is no such file, it is no CSV, or columns are missing or there
                twice.
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
        check_single(path, self._header, COLUMNS)

    def read(self) -> PlanarDataset:
        """Return what the file holds.

        Raises:
            RecordingError: a line has the wrong number of fields, a field is no number, or the
                signs of the levers cannot be determined.
        """
        lines = csv_rows(self._path)
        next(lines)
        table = np.array([self._numbers(*line) for line in lines]).reshape(-1, len(COLUMNS))
        finite = np.isfinite(table).all(axis=1)
        given = _Rows(table[finite])
        framed = given.framed
        levers = self._lever_signs(given.impacts(1, 1).take(framed))
        impacts = given.impacts(levers.normal, levers.tangent) if levers else given.usual
        approaching = _approaching(impacts)
        return PlanarDataset(
            name=str(self._path),
            impacts=impacts.take(framed & approaching),
            rows=len(table),
            not_finite=int((~finite).sum()),
            no_frame=int((~framed).sum()),
            not_approaching=int((framed & ~approaching).sum()),
            levers=levers,
        )

    def _lever_signs(self, impacts: PlanarImpacts) -> LeverSigns | None:
        """Return the signs that the data want; none if too few contacts approach to tell.

        Raises:
            RecordingError: the data do not tell.
        """
        mirrored = replace(impacts, normal=impacts.normal * [1.0, 1.0, -1.0])
        impacts = impacts.take(_approaching(impacts) | _approaching(mirrored))
        if len(impacts) < FEWEST_FOR_SIGNS:
            return None
        levers = lever_signs(impacts)
        if not levers.clear:
            raise RecordingError.at(
                self._path,
                "the signs of n_lever_m and d_lever_m are not clear: expected changes of w that"
                " follow from those of vx and vy by one inertia I/m > 0 with one choice of signs"
                " for all rows, and clearly better than with any other; got residuals of"
                f" {levers.residuals}",
            )
        return levers

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


class _Rows:
    """A table with the columns ``COLUMNS``, shape (N, 14)."""

    def __init__(self, table: np.ndarray) -> None:
        self._parts = np.split(table, [2, 5, 8, 11], axis=1)

    @property
    def framed(self) -> np.ndarray:
        """Whether normal and tangent span the plane, shape (N,)."""
        (n_x, n_y), (d_x, d_y) = self._parts[3][:, :2].T, self._parts[4][:, :2].T
        return np.abs(n_x * d_y - n_y * d_x) > _LEAST_SINE

    @property
    def usual(self) -> PlanarImpacts:
        """The impacts in the usual signs of this format."""
        return self.impacts(*USUAL_SIGNS)

    def impacts(self, normal_sign: int, tangent_sign: int) -> PlanarImpacts:
        """Return the impacts, their levers multiplied by these signs."""
        position, before, after, normal, tangent = self._parts
        normal = normal * [1.0, 1.0, normal_sign]
        tangent = tangent * [1.0, 1.0, tangent_sign]
        # r = r_t t + r_n n reaches from the body's origin to the contact, r_n < 0. Levers are
        # s r x n and s r x t, s = -1 where w counts clockwise, so r_t is the normal's lever up to
        # this sign.
        ahead = np.sign(tangent[:, 2]) * normal[:, 2]
        place = (tangent[:, :2] * position).sum(axis=1) + ahead
        return PlanarImpacts(before, after, normal, tangent, place)


def _approaching(impacts: PlanarImpacts) -> np.ndarray:
    """Whether the contact point moves into the surface, shape (N,)."""
    return (impacts.normal * impacts.before).sum(axis=1) < 0.0
