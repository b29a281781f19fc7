# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the predictor; each has its data and a text of one line."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from impact_robots.exceptions import ImpactError, one_line


class PredictionError(ImpactError):
    """Root of the predictor's errors."""


class UnknownNameError(PredictionError):
    """Unknown name of a model, law or set."""

    is_wrong_input = True

    def __init__(self, kind: str, got: str, choices: Iterable[str]) -> None:
        """Keep the ``kind`` of thing, the name that was ``got`` and the ``choices``."""
        self.choices = tuple(choices)
        super().__init__(f"{kind}: expected one of {', '.join(self.choices)}, got {got!r}")
        self.kind = kind
        self.got = got


class NotApproachingError(PredictionError):
    """The contact point does not approach the surface, so no impulse is possible."""

    def __init__(self, normal_velocity: float) -> None:
        """Keep the ``normal_velocity`` [m/s]."""
        super().__init__(
            f"normal velocity: expected below 0 (approach), got {normal_velocity:.4g} m/s"
        )
        self.normal_velocity = normal_velocity


class UnknownJointsError(PredictionError):
    """The prediction requires joint parameters that the robot's YAML does not define."""


class UnboundedSetError(PredictionError):
    """An impulse at the cone's edge causes no normal velocity, so impulses have no bound."""

    def __init__(self, friction: float, largest_friction: float) -> None:
        """Keep the ``friction`` coefficient and the ``largest_friction`` of a bounded set."""
        super().__init__(
            f"friction: expected below {largest_friction:.4g} for a bounded set of impulses, "
            f"got {friction:.4g} at the edge of the pyramid"
        )
        self.friction = friction
        self.largest_friction = largest_friction


class SingularJacobianError(PredictionError):
    """The contact Jacobian has lost rank, so the requested quantity does not exist."""

    def __init__(self, smallest_singular_value: float) -> None:
        """Keep the ``smallest_singular_value`` of the contact Jacobian."""
        super().__init__(
            "contact Jacobian: expected rank 3, got smallest singular value "
            f"{smallest_singular_value:.2e}"
        )
        self.smallest_singular_value = smallest_singular_value


class NoImpulseError(PredictionError):
    """No impulse was found that satisfies Coulomb's law; keeps the problem."""

    def __init__(self, delassus: np.ndarray, velocity: np.ndarray, friction: float) -> None:
        """Keep the ``delassus`` matrix [1/kg], the ``velocity`` [m/s] and the ``friction``."""
        super().__init__(
            f"impact: no impulse satisfies Coulomb's law at friction {friction:.4g}, velocity "
            f"{one_line(velocity)} m/s"
        )
        self.delassus = delassus
        self.velocity = velocity
        self.friction = friction


class EngineError(ImpactError):
    """A physics engine is not installed, or cannot make the step of an impact; not in services."""


class UnsolvedImpactError(PredictionError):
    """No impulses were found that satisfy Coulomb's law at every contact; keeps the problem."""

    def __init__(
        self,
        delassus: np.ndarray,
        velocity: np.ndarray,
        friction: np.ndarray,
        residuals: tuple[float, ...],
    ) -> None:
        """Keep the problem and the least residuals reached.

        Args:
            delassus: G, shape (3k, 3k) [1/kg].
            velocity: that no impulse would leave, restitution included, shape (3k,) [m/s].
            friction: coefficient of each contact, shape (k,) [-].
            residuals: cone, dual, complementarity and fixed point, see ``Residuals`` [-].
        """
        contacts = "1 contact" if len(friction) == 1 else f"{len(friction)} contacts"
        super().__init__(
            f"impact: no impulses at {contacts} satisfy Coulomb's law (residual "
            f"{residuals[-1]:.1e}); they may be jammed, or the restitution may be infeasible"
        )
        self.delassus = delassus
        self.velocity = velocity
        self.friction = friction
        self.residuals = residuals
