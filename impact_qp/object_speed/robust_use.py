# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""The published limit on impulsive torques, for arms that hit a movable object.

Wang et al. (2023) bound :math:`(a/\delta_t)J_v^T\iota` for every impulse of
:math:`z^T W\iota = -(1+e)v_n^-` in a friction pyramid. An object that moves adds its own mobility
:math:`J_o M_o^{-1}J_o^T` to W, and couples the plates that touch it: for every choice of a
generator k_i of each plate's pyramid

.. math::

    \sum_j z_i^T W_{ij}k_j\lambda_j = -(1+e)v_{n,i}^-, \qquad \lambda_i \ge 0.

That is of all plates at once. Whatever the delay between them, the normal impulse of plate a is at
most the bound of ``face_bounds``, of its corners on the arm's composite body; its
cone is the published one of the arm alone, of that normal impulse without friction.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from impact_predictor.inertia.impulse_maps import mean_force_factor
from impact_predictor.inertia.inverse_inertia import crb
from impact_predictor.multicontact.bodies import FreeBody
from impact_predictor.multicontact.contacts import face_points
from impact_predictor.sets.coupled_bounds import face_bounds
from impact_predictor.sets.feasible_sets import friction_pyramid
from impact_qp.object_speed.delays import DelayedBound, DelayedUse
from impact_qp.object_speed.object_hit import ObjectHit, joint_limits
from impact_qp.object_speed.use import ObjectUse, largest_scale
from impact_robots import contact_rotation

MARGIN = 0.01  # as of RobustImpactLimit
GENERATORS = 8
CORNERS = 4  # of a plate
_NOTHING = 1e-9  # fraction of the arm's own mobility below which impulses are unbounded


class RobustUse(DelayedUse):
    """Impulsive torque of each joint, as published: peak over mean force, and duration."""

    def __init__(
        self,
        hit: ObjectHit,
        *,
        peak_factor: float = 3.0,
        duration: float = 0.018,
        margin: float = MARGIN,
    ) -> None:
        """Work out the mobilities.

        Args:
            hit: arms and box.
            peak_factor: a, peak over mean force [-].
            duration: delta_t, of the contact [s].
            margin: fraction of every limit kept in reserve [-].
        """
        self._hit = hit
        self._mean = mean_force_factor(peak_factor, duration)
        limits = [hit.robots[name].limits for name in hit.plates]
        self._limits = [(1.0 - margin) * each.impulsive_torque for each in limits]
        self._axes = [contact_rotation(-plate.axes[:, 2]) for plate in hit.plates.values()]
        kinds = ("impulsive torque",)
        self.names = sum((joint_limits(hit, name, kinds) for name in hit.plates), ())
        self._torques = [
            R.T @ plate.arm.jacobian(plate.center)[:3]
            for R, plate in zip(self._axes, hit.plates.values(), strict=True)
        ]
        self._pyramid = friction_pyramid(hit.friction[1], GENERATORS, True)
        self._own = [
            crb(plate.arm.state, np.asarray(plate.arm.base_rotation, dtype=float).T @ R)
            for R, plate in zip(self._axes, hit.plates.values(), strict=True)
        ]
        self._mobility = [self._mobilities(mass) for mass in hit.masses]

    def _mobilities(self, mass: float) -> np.ndarray:
        """Return W, contact axes of each plate, shape (arms, arms, 3, 3) [1/kg]."""
        plates, body = list(self._hit.plates.values()), self._hit.body(mass)
        inverse = np.linalg.inv(body.inertia())
        of_body = [
            R.T @ body.jacobian(plate.center)[:3]
            for R, plate in zip(self._axes, plates, strict=True)
        ]
        W = np.array([[a @ inverse @ b.T for b in of_body] for a in of_body])
        for k, own in enumerate(self._own):
            W[k, k] += own
        return W

    def used(self, scale: float) -> np.ndarray:
        """Return the fractions; infinite if friction makes impulses unbounded."""
        approach = self.approach(scale)
        if not approach.max() > 0.0:
            return np.zeros(len(self.names))
        wanted = (1.0 + self._hit.restitution[1]) * np.maximum(approach, 0.0)
        return np.max([self._of_mobility(W, wanted) for W in self._mobility], axis=0)

    def approach(self, scale: float) -> np.ndarray:
        """Return the approach speed of each plate, shape (arms,) [m/s]."""
        of_box, speeds = np.asarray(self._hit.velocity, dtype=float), []
        for R, plate in zip(self._axes, self._hit.plates.values(), strict=True):
            velocity = plate.arm.jacobian(plate.center)[:3] @ plate.arm.velocity()
            speeds.append(float(R[:, 2] @ (of_box - scale * velocity)))
        return np.array(speeds)

    def _of_mobility(self, W: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """Return the largest fractions over all combinations of facets' edges, shape (arms n,)."""
        K, arms = self._pyramid, range(len(W))
        worst = np.zeros(len(self.names))
        for chosen in product(range(K.shape[1]), repeat=len(W)):
            k = [K[:, each] for each in chosen]
            A = np.array([[(W[i, j] @ k[j])[2] for j in arms] for i in arms])
            least = np.linalg.eigvalsh((A + A.T) / 2.0)[0]
            if least <= _NOTHING * np.trace(A):
                return np.full(len(self.names), np.inf)
            size = np.maximum(np.linalg.solve(A, wanted), 0.0)
            loads = [
                self._mean * np.abs(self._torques[i].T @ (k[i] * size[i])) / self._limits[i]
                for i in arms
            ]
            worst = np.maximum(worst, np.concatenate(loads))
        return worst

    def of_impulse(self, arm: int, impulse: float) -> np.ndarray:
        """Return the largest fractions of one arm, shape (n,) [-].

        Args:
            arm: its number.
            impulse: normal, without friction [N.s].
        """
        k, own = self._pyramid, self._own[arm]
        along = own[2] @ k
        if along.min() <= _NOTHING * np.trace(own):
            return np.full(self._torques[arm].shape[1], np.inf)
        torques = self._torques[arm].T @ (k * impulse * own[2, 2] / along)
        return np.asarray(np.abs(self._mean * torques).max(axis=1) / self._limits[arm])

    def delayed_bound(self, scale: float) -> DelayedBound:
        """Return the bound of the coupled impulses, which hold for any delay."""
        return DelayedBound(largest_scale(_CoupledUse(self, self._hit)))


class _CoupledUse(ObjectUse):
    """Impulsive torque of each joint, whatever the delay between the plates."""

    def __init__(self, robust: RobustUse, hit: ObjectHit) -> None:
        """Work out the effect of the plates' corners on one another."""
        self.names, self._robust = robust.names, robust
        self._effects = [_corner_effect(hit, mass) for mass in hit.masses]
        self._faces = [range(CORNERS * k, CORNERS * (k + 1)) for k in range(len(hit.plates))]
        self._restitution = hit.restitution[1]

    def used(self, scale: float) -> np.ndarray:
        """Return the fractions."""
        closing = np.maximum(self._robust.approach(scale), 0.0)
        if not closing.max() > 0.0:
            return np.zeros(len(self.names))
        speeds = np.repeat(closing, CORNERS)
        impulses = np.max(
            [face_bounds(G, speeds, self._faces, self._restitution) for G in self._effects], axis=0
        )
        return np.concatenate([self._robust.of_impulse(k, p) for k, p in enumerate(impulses)])


def _corner_effect(hit: ObjectHit, mass: float) -> np.ndarray:
    """Return G of all corners of the plates, arms as composite bodies, (4 p, 4 p) [1/kg]."""
    from scipy.linalg import block_diag  # loads slowly

    body, own, of_body = hit.body(mass), [], []
    for plate in hit.plates.values():
        state, R = plate.arm.state, np.asarray(plate.arm.base_rotation, dtype=float)
        com = R @ state.com + np.asarray(plate.arm.base_position, dtype=float)
        arm, into = FreeBody(state.mass, state.rotational_inertia, com, R), plate.axes[:, 2]
        corners = list(face_points(plate.center, plate.axes, plate.half_extents))
        J = np.array([into @ arm.jacobian(corner)[:3] for corner in corners])
        own.append(J @ np.linalg.solve(arm.inertia(), J.T))
        of_body += [-into @ body.jacobian(corner)[:3] for corner in corners]
    B = np.array(of_body)
    return np.asarray(block_diag(*own) + B @ np.linalg.solve(body.inertia(), B.T))
