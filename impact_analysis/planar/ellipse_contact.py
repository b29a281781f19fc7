# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""The contact rows of an ellipse on a plane, when it turns a little.

A plane touches an ellipse with semi-axes a > b at the height h of its centre, and at a distance l
beside it: with psi the angle of its axes, A = (a^2 + b^2)/2 and B = (a^2 - b^2)/2

    h^2 = A - B cos 2 psi,    l h = B sin 2 psi,    so h^4 + l^2 h^2 = 2 A h^2 + B^2 - A^2.

The last line is linear in A and B^2 - A^2, so the contact rows of a few impacts tell both axes.
A body that always lands on corners at one distance from its centre obeys it too, with b = 0.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from impact_analysis.planar.planar_impacts import PlanarImpacts

_TOLERANCE = 1e-3  # of h^2 + l^2, by which the rows of an ellipse may miss the equation
_ROUND = 1e-3  # l/h of a body that passes for a circle
_FLAT = 1e-2  # (A - B)/A of one that passes for a corner: b = 0, b/a below 0.07


def known_axes(
    impacts: PlanarImpacts, judged: PlanarImpacts | None = None
) -> tuple[tuple[float, float] | None, str]:
    """Return the semi-axes (a, b), a > b [m], and an empty text; or none, and why.

    Args:
        impacts: N impacts whose contact rows tell the axes.
        judged: further ones, which must be of the same ellipse.
    """
    h2, l2 = _squares(impacts)
    if l2.max() <= _ROUND**2 * h2.max():
        return None, "the contact stays below the centre, as that of a round body does"
    matrix = np.stack([2 * h2, np.ones(len(h2))], axis=1)
    (A, rest), *_ = np.linalg.lstsq(matrix, h2**2 + l2 * h2, rcond=None)
    B = np.sqrt(max(A * A + rest, 0.0))
    if not _obey(impacts, A, B):
        return None, "the contact rows are not those of an ellipse"
    if A - B <= _FLAT * A:
        return None, "the contact keeps its distance from the centre, as a corner does"
    if judged is not None and not _obey(judged, A, B):
        return None, "the contact rows to be judged are not those of the ellipse that was fitted"
    return (float(np.sqrt(A + B)), float(np.sqrt(A - B))), ""


def _squares(impacts: PlanarImpacts) -> tuple[np.ndarray, np.ndarray]:
    """Return h^2 and l^2, each of shape (N,)."""
    return impacts.tangent[:, 2] ** 2, impacts.normal[:, 2] ** 2


def _obey(impacts: PlanarImpacts, A: float, B: float) -> bool:
    """Whether all contact rows are those of an ellipse with these A and B."""
    h2, l2 = _squares(impacts)
    missed = np.abs((h2 - A) ** 2 + l2 * h2 - B * B)
    return bool((missed <= _TOLERANCE * (h2 + l2) ** 2).all())


def turned(impacts: PlanarImpacts, axes: tuple[float, float], angle: np.ndarray) -> PlanarImpacts:
    """Return the impacts with the contact rows of the ellipse turned.

    Args:
        impacts: N impacts.
        axes: semi-axes (a, b) [m].
        angle: in the sense of the angular velocity, shape (..., N) [rad]; the levers of the result
            have shape (..., N, 3).
    """
    A, B = (axes[0] ** 2 + axes[1] ** 2) / 2, (axes[0] ** 2 - axes[1] ** 2) / 2
    down, beside = impacts.tangent[:, 2], impacts.normal[:, 2]
    # turning with w moves the contact against the sign of the normal's lever, whatever sign w has
    psi = np.arctan2(beside * np.abs(down), A - down**2) / 2 - angle
    height = np.sqrt(A - B * np.cos(2 * psi))
    return replace(
        impacts,
        normal=_with_lever(impacts.normal, B * np.sin(2 * psi) / height),
        tangent=_with_lever(impacts.tangent, np.sign(down) * height),
    )


def _with_lever(row: np.ndarray, lever: np.ndarray) -> np.ndarray:
    """Return contact rows with other levers, shape (..., N, 3)."""
    result = np.empty((*lever.shape, 3))
    result[..., :2], result[..., 2] = row[:, :2], lever
    return result
