# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A bounded convex set, held as half-spaces and as vertices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from impact_predictor.sets.hull import half_spaces
from impact_robots.robot import read_only
from impact_robots.validation import finite_array


@dataclass(frozen=True)
class Polytope:
    """The set {x : A x <= b}, which is also the convex hull of ``vertices``.

    The rows of A are stored with unit length, so that a margin has the unit of x. Vertices may
    repeat, and the set may be flat.
    """

    A: np.ndarray  # half-spaces, shape (m, d)
    b: np.ndarray  # shape (m,) [unit]
    vertices: np.ndarray  # shape (k, d) [unit]
    name: str  # which set it is, for example "impulse"
    unit: str  # of x, b and the vertices
    axes: tuple[str, ...]  # name of each of the d coordinates
    frame: str = "contact"  # "contact" (p), "base" (O) or "joints"

    def __post_init__(self) -> None:
        """Normalise the half-spaces; store read-only copies."""
        length = _row_lengths(self.A)
        object.__setattr__(self, "A", read_only(self.A / length[:, None]))
        object.__setattr__(self, "b", read_only(self.b / length))
        object.__setattr__(self, "vertices", read_only(self.vertices))
        object.__setattr__(self, "axes", tuple(self.axes))

    def _with(self, **changes: Any) -> Polytope:
        """Return a copy with other entries, unchecked: rows of length 1, arrays of its own."""
        copy = object.__new__(Polytope)
        copy.__dict__.update(self.__dict__, **changes)
        for name in ("A", "b", "vertices"):
            copy.__dict__[name].setflags(write=False)
        return copy

    @property
    def dimension(self) -> int:
        """Number of coordinates d."""
        return len(self.axes)

    def margin(self, x: np.ndarray) -> float:
        """Return the distance from ``x`` (d,) to the nearest half-space's edge [unit].

        Positive inside, negative outside; never positive for a flat set.

        Raises:
            OutOfRangeError: x is not d finite numbers.
        """
        x = finite_array(x, (self.dimension,), self.name)
        return float(np.min(self.b - self.A @ x, initial=np.inf))

    def contains(self, x: np.ndarray, tolerance: float = 1e-9) -> bool:
        """Return whether ``x`` (d,) breaks no half-space by more than ``tolerance`` [unit].

        Raises:
            OutOfRangeError: x is not d finite numbers.
        """
        return self.margin(x) >= -tolerance

    def contains_in_hull_with_zero(self, x: np.ndarray, tolerance: float = 1e-9) -> bool:
        """Return whether ``x`` (d,) is no worse than announced: inside :meth:`with_zero`.

        Raises:
            OutOfRangeError: x is not d finite numbers.
        """
        return self.with_zero().contains(x, tolerance)

    def with_zero(self) -> Polytope:
        """Return the convex hull of the set and zero.

        It is {x : A x <= s b for some 0 <= s <= 1}; s is eliminated (Fourier and Motzkin): every
        lower bound on s, 0 or a_i x/b_i where b_i > 0, is at most every upper one, 1 or a_j x/b_j
        where b_j < 0. Where b is 0, s plays no part.
        """
        scale = 1e-12 * np.abs(self.vertices).max(initial=0.0)
        above, below = self.b > scale, self.b < -scale
        lower = self.A[above] / self.b[above, None]
        upper = self.A[below] / self.b[below, None]
        pairs = (lower[:, None, :] - upper[None, :, :]).reshape(-1, self.dimension)
        A = np.vstack([self.A[~above], self.A[above], pairs])
        b = np.concatenate([np.zeros(np.sum(~above)), self.b[above], np.zeros(len(pairs))])
        vertices = np.vstack([self.vertices, np.zeros((1, self.dimension))])
        length = _row_lengths(A)
        return self._with(A=A / length[:, None], b=b / length, vertices=vertices)

    def scaled(self, factor: float, *, name: str, unit: str) -> Polytope:
        """Return the set times a positive ``factor``, under another ``name`` and ``unit``."""
        b, vertices = factor * self.b, factor * self.vertices
        return self._with(b=b, vertices=vertices, name=name, unit=unit)

    def translated(self, offset: np.ndarray, *, name: str) -> Polytope:
        """Return the set moved by ``offset`` (d,) [unit], under another ``name``."""
        return self._with(b=self.b + self.A @ offset, vertices=self.vertices + offset, name=name)

    def worst(self, functional: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the largest value of ``functional`` (d,) over the set, and the vertex (d,).

        Raises:
            OutOfRangeError: the functional is not d finite numbers.
        """
        values = self.vertices @ finite_array(functional, (self.dimension,), "functional")
        index = int(np.argmax(values))
        return float(values[index]), self.vertices[index]

    def image(
        self, L: np.ndarray, *, name: str, unit: str, axes: tuple[str, ...], frame: str
    ) -> Polytope:
        """Return the set of L x for every x of this one; L has shape (len(axes), d).

        Vertices map to vertices. Half-spaces follow through the pseudo-inverse if L has full
        column rank, else from the hull of the vertices.
        """
        vertices = self.vertices @ L.T
        A, b = self._image_half_spaces(L, vertices)
        length = _row_lengths(A)
        return self._with(
            A=A / length[:, None],
            b=b / length,
            vertices=vertices,
            name=name,
            unit=unit,
            axes=axes,
            frame=frame,
        )

    def _image_half_spaces(
        self, L: np.ndarray, vertices: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return half-spaces, rows of any length, of the image under L with these vertices."""
        if _is_regular(L):
            return self.A @ np.linalg.inv(L), self.b
        U, s, Vt = np.linalg.svd(L)
        d = self.dimension
        if len(L) < d or s[-1] <= 1e-10 * s[0]:
            return half_spaces(vertices)
        inverse = Vt.T @ (U[:, :d] / s).T
        normals = U[:, d:].T
        A = np.vstack([self.A @ inverse, normals, -normals])
        return A, np.concatenate([self.b, np.zeros(2 * len(normals))])


def _row_lengths(A: np.ndarray) -> np.ndarray:
    """Return the lengths of the rows of A (m, d), 1 for a row of zeros."""
    length = np.sqrt(np.einsum("ij,ij->i", A, A))
    if not length.all():
        length[length == 0.0] = 1.0
    return length


def _is_regular(L: np.ndarray) -> bool:
    """Return whether L is of shape (3, 3) and far from losing rank."""
    if L.shape != (3, 3):
        return False
    smallest, _, largest = np.linalg.eigvalsh(L.T @ L).tolist()
    return smallest > 1e-8 * largest
