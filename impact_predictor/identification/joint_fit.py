# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""Stiffness, damping and motor inertia of one joint from its torque and position after hits.

The torque :math:`\tau = K(\theta - q)` is measured, so :math:`q + \tau/K` is the motor's position,
and the torque also gives the motor's motion (:mod:`motor_motion`): one joint at a time, without
the contact force. Unknown besides are the motor's position, speed and a constant and a slowly
changing torque in every hit: a polynomial of the third degree in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from impact_predictor.identification.motor_motion import MotorMotion, motor_motion
from impact_predictor.joint_load.elastic_arm import FILTER_HZ

DEGREE = 3  # of other unknowns of the motor
LOOSE = 1.0  # standard deviation of a figure's logarithm before anything was measured
SYNCHRONY = 25e-6  # standard deviation of the time between torque and position [s]
ANY_LOOP = 0.2, 0.7  # standard deviations: logarithm of R, relative lag; 0.7: 1 kHz, not 4
USUAL_LOOP = 0.01, 0.1  # the same of the loop that the YAML gives
LAG_STEP = 0.5  # by which the lag differs where its effect is taken from
GAIN_ERROR = 0.01  # standard deviation of the torque sensor's gain, which scales all figures alike
WIDER = 1.2  # intervals than linearised noise makes: torques that explain are noisy, too; measured
FIGURES = 3  # stiffness, damping, motor inertia
DAMPING = 1  # its place among these


class NominalJoint(NamedTuple):
    """A joint's parameters in the robot's YAML."""

    stiffness: float  # K [N.m/rad]
    damping: float  # D [N.m.s/rad]
    motor_inertia: float  # that the actuator turns: B_rho, or B_theta without a known loop [kg.m^2]
    ratio: float  # R = B_rho/B_theta of the torque loop; 1: there is none [-]
    damping_time: float  # D/K that the loop takes it to have [s]


class JointHit(NamedTuple):
    """One joint's samples around a hit, at equal distances, m samples."""

    period: float  # between samples [s]
    position: np.ndarray  # of the link, shape (m,) [rad]
    torque: np.ndarray  # shape (m,) [N.m]
    command: np.ndarray  # change of the torque that the loop is sent, shape (m,) [N.m]


class JointFit(NamedTuple):
    """Logarithms of stiffness, damping and motor inertia over their nominal values."""

    logarithms: np.ndarray  # shape (3,)
    covariance: np.ndarray  # of these, errors of the model counted, shape (3, 3)
    misfit: float  # squared residual over that of noise; 1: no other error
    degrees: int  # of freedom of the residual


def fit_joint(
    joint: NominalJoint, hits: Sequence[JointHit], position_noise: float, torque_noise: float
) -> JointFit:
    """Return the figures of a joint that explain its hits.

    Both signals have noise: generalised least squares with the covariance that torque noise has
    behind the model (total least squares). The interval holds that noise, larger by the misfit
    and by the linearisation, and errors of the model: of the time between the signals, and of the
    torque sensor's gain. What the torque loop makes of R and how much it lags is fitted, too: one
    at another rate or of another gain widens the intervals of stiffness and apparent inertia, which
    hardly depend on it. Damping looks like lag: for damping the loop is the YAML's.

    Args:
        joint: whose figures are the start.
        hits: at least one.
        position_noise: standard deviation of the positions, above 0 [rad].
        torque_noise: the same of torques [N.m].
    """
    any_loop, usual_loop = (
        _fitted(_Problem(joint, hits, position_noise, torque_noise, np.array(loop)))
        for loop in (ANY_LOOP, USUAL_LOOP)
    )
    logarithms, covariance = any_loop.logarithms.copy(), any_loop.covariance.copy()
    logarithms[DAMPING] = usual_loop.logarithms[DAMPING]
    covariance[DAMPING] = usual_loop.covariance[DAMPING]
    covariance[:, DAMPING] = usual_loop.covariance[:, DAMPING]
    return any_loop._replace(logarithms=logarithms, covariance=covariance)


def _fitted(problem: _Problem) -> JointFit:
    from scipy.optimize import least_squares  # loads slowly

    start = np.zeros(FIGURES + len(problem.loop))
    found = least_squares(problem.residual, start, x_scale=0.1, max_nfev=40)
    jacobian, at = found.jac, found.x
    information = np.linalg.inv(jacobian.T @ jacobian)
    residual = found.fun[: -len(start)]
    samples = sum(len(each.torque) - DEGREE - 1 for each in problem.hits)
    degrees = max(1, samples - FIGURES)
    misfit = float(residual @ residual) / degrees
    covariance = WIDER**2 * max(1.0, misfit) * information + GAIN_ERROR**2
    moved = information @ (jacobian.T @ (problem.residual(at, delay=SYNCHRONY) - found.fun))
    covariance = covariance + np.outer(moved, moved)
    return JointFit(at[:FIGURES], covariance[:FIGURES, :FIGURES], misfit, degrees)


class _Problem(NamedTuple):
    """Residuals of all hits, each over its standard deviation and without its polynomial."""

    joint: NominalJoint
    hits: Sequence[JointHit]
    position_noise: float
    torque_noise: float
    loop: np.ndarray  # deviations of the logarithm of R, and of the relative lag, shape (2,)

    def residual(self, at: np.ndarray, delay: float = 0.0) -> np.ndarray:
        """Return the residuals of parameters, followed by those of the prior."""
        prior = at / np.append(np.full(FIGURES, LOOSE), self.loop)
        return np.concatenate([*(self._of(hit, at, delay) for hit in self.hits), prior])

    def _of(self, hit: JointHit, at: np.ndarray, delay: float) -> np.ndarray:
        m = len(hit.torque)
        motion = _lagging(m, hit.period, float(at[-1]))
        answer, by_command = self._answer(motion, np.exp(at[:FIGURES]), float(np.exp(at[FIGURES])))
        torque = hit.torque + delay * motion.rate @ hit.torque
        left = hit.position - hit.position[0] - answer @ torque - by_command @ hit.command
        variance = self.position_noise**2 * np.eye(m) + self.torque_noise**2 * answer @ answer.T
        free = np.vander(np.linspace(-1.0, 1.0, m), DEGREE + 1)
        white = np.linalg.solve(np.linalg.cholesky(variance), np.column_stack([left, free]))
        basis, _ = np.linalg.qr(white[:, 1:])
        return np.asarray(white[:, 0] - basis @ (basis.T @ white[:, 0]))

    def _answer(
        self, motion: MotorMotion, scale: np.ndarray, loop_scale: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the maps from torque and from command to link position, both (m, m)."""
        joint = self.joint
        ratio = joint.ratio if joint.ratio == 1.0 else joint.ratio * loop_scale
        stiffness = joint.stiffness * scale[0]
        inertia = joint.motor_inertia * scale[2] * (ratio / joint.ratio)  # that loops make scale[2]
        damping_time = joint.damping * scale[1] / stiffness
        loop = motion.filtered_twice + joint.damping_time * motion.filtered_once
        motor = (1.0 - ratio) * loop - motion.twice - damping_time * motion.once
        answer = motor / inertia - np.eye(len(motor)) / stiffness
        return answer, ratio / inertia * motion.twice


def _lagging(samples: int, period: float, more: float) -> MotorMotion:
    """Return the motion of a motor whose loop lags by ``more`` of its nominal lag, above it."""
    usual = motor_motion(samples, period, FILTER_HZ)
    other = motor_motion(samples, period, FILTER_HZ / (1.0 + LAG_STEP))
    share = more / LAG_STEP
    return usual._replace(
        filtered_twice=usual.filtered_twice + share * (other.filtered_twice - usual.filtered_twice),
        filtered_once=usual.filtered_once + share * (other.filtered_once - usual.filtered_once),
    )
