# SPDX-License-Identifier: Apache-2.0
r"""The contact rows of an ellipse on a plane, when it turns a little.

A plane touches an ellipse with semi-axes a > b at the height h of its centre, and at a distance l
beside it: with psi the angle of its axes, A = (a^2 + b^2)/2 and B = (a^2 - b^2)/2

    h^2 = A - B cos 2 psi,    l h = B sin 2 psi,    so h^4 + l^2 h^2 = 2 A h^2 + B^2 - A^2.

The last line is linear in A and B^2 - A^2, so the contact rows of a few impacts tell both axes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from impact_analysis.planar_impacts import PlanarImpacts

_TOLERANCE = 1e-3  # of h^2 + l^2, by which the rows of an ellipse may miss the equation


def semi_axes(impacts: PlanarImpacts) -> tuple[float, float] | None:
    """Return the semi-axes (a, b), a > b [m]; none if the body is no ellipse, or round."""
    squares = impacts.tangent[:, 2] ** 2, impacts.normal[:, 2] ** 2
    h2, l2 = squares
    matrix = np.stack([2 * h2, np.ones(len(h2))], axis=1)
    (A, rest), *_ = np.linalg.lstsq(matrix, h2**2 + l2 * h2, rcond=None)
    B = np.sqrt(max(A * A + rest, 0.0))
    missed = np.abs((h2 - A) ** 2 + l2 * h2 - B * B)
    fits = (missed <= _TOLERANCE * (h2 + l2) ** 2).all()
    if not fits or B <= 1e-3 * A or A <= B:
        return None
    return float(np.sqrt(A + B)), float(np.sqrt(A - B))


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
