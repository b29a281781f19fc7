# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Closed kinematic loops: bilateral constraints taken out of the inertia exactly.

A loop's Jacobian J_l is a set of rows along which velocities cannot change: J_l (v^+ - v^-) = 0.
With M = L L^T and U an orthonormal basis of the range of L^-1 J_l^T, impulses at the contacts give

    v^+ - v^- = L^-T (1 - U U^T) L^-1 J^T iota,    J_l^T lambda = -L U U^T L^-1 J^T iota,

so G = X^T X with X = (1 - U U^T) L^-1 J^T is symmetric and positive semidefinite to the last digit,
and rows that repeat or contradict nothing (an overconstrained loop) do no harm. Rows that the
impact itself closes (J_c v^+ = 0: a plate that stays on the face it hits) are such rows whose
velocities jump first: with L^-1 J_l^T = U S V^T the jump v^+ - v^- = L^-T U S^-1 V^T b, which has
J_l (v^+ - v^-) = b, is the one of least kinetic energy, Gauss' principle for a plastic joint.
"""

from __future__ import annotations

import numpy as np

from impact_robots.exceptions import OutOfRangeError

_RANK = 1e-10  # relative singular value below which a loop's row depends on the others


class LoopedInertia:
    """Inertia of a system whose loops stay closed; with no loops, plain inertia."""

    def __init__(self, M: np.ndarray, loops: np.ndarray) -> None:
        """Factorise.

        Args:
            M: inertia of the system, shape (nv, nv), symmetric, positive definite.
            loops: Jacobian J_l, shape (l, nv), of any rank.

        Raises:
            OutOfRangeError: M is not symmetric and positive definite.
        """
        if not np.allclose(M, M.T, rtol=0.0, atol=1e-9 * np.abs(M).max()):
            raise OutOfRangeError("M", "a symmetric matrix", M)
        try:
            self._L = np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            raise OutOfRangeError("M", "a positive definite matrix", M) from None
        U, size, Vt = np.linalg.svd(self._whiten(loops), full_matrices=False)
        rank = int(np.sum(size > _RANK * size.max(initial=0.0)))
        self._U, self._size, self._Vt = U[:, :rank], size[:rank], Vt[:rank]

    def whitened(self, J: np.ndarray) -> np.ndarray:
        """Return X = (1 - U U^T) L^-1 J^T, shape (nv, rows of J); G is X^T X."""
        X = self._whiten(J)
        return X - self._U @ (self._U.T @ X)

    def velocity_jump(self, X: np.ndarray, iota: np.ndarray) -> np.ndarray:
        """Return v^+ - v^-, shape (nv,), of impulses ``iota`` at contacts of whitened ``X``."""
        return np.linalg.solve(self._L.T, X @ iota)

    def loop_impulses(self, J: np.ndarray, iota: np.ndarray) -> np.ndarray:
        """Return the loops' impulses lambda, shape (l,); where they are not unique, the least."""
        push = self._U.T @ (self._whiten(J) @ iota)
        return -self._Vt.T @ (push / self._size)

    def closing_jump(self, b: np.ndarray) -> np.ndarray:
        """Return v^+ - v^-, shape (nv,), by which velocities along the loops change by ``b``, (l,).

        Where the rows of ``b`` contradict each other it is the nearest.
        """
        return np.linalg.solve(self._L.T, self._U @ ((self._Vt @ b) / self._size))

    def closing_impulses(self, b: np.ndarray) -> np.ndarray:
        """Return the loops' impulses of :meth:`closing_jump`, shape (l,); the least."""
        return self._Vt.T @ ((self._Vt @ b) / self._size**2)

    def _whiten(self, J: np.ndarray) -> np.ndarray:
        """Return L^-1 J^T."""
        return np.linalg.solve(self._L, J.T)
