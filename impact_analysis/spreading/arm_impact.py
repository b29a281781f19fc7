# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An impact of one arm, from its topics: velocities, feedback, references, momentum."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from impact_analysis.spreading.followed import Followed, followed
from impact_analysis.spreading.recorded_closure import recorded_closure
from impact_bags.reading.run_record import RunRecord
from impact_bags.series import Series
from impact_detector.estimators.gross_velocity import mean_between, velocity_before
from impact_detector.exceptions import EstimateError
from impact_robots import ArmDynamics, Robot
from impact_robots.exceptions import OutOfRangeError
from impact_trials.truth.spread_figures import AFTER, BEFORE, FeedbackFigures, figures_along

LEFT = (0.02, 0.1)  # after contact: window of the mean velocity after the impact [s]
DRAWN = (-0.05, 0.25)  # of traces, about the first contact [s]
JUDGED = (-0.15, 0.5)  # about contact, within which references are compared [s]
LACKING = 0.5  # torque that another robot's model lacks before an impact [N.m]
_QUIET = 0.1  # before contact, in which the robot's model is compared with torques [s]
_FEWEST = 20  # samples for that


@dataclass
class ArmTrace:
    """Traces of an arm; times since the first contact of any arm [s]."""

    t: np.ndarray  # shape (k,)
    measured: np.ndarray  # velocity along the tool, shape (k,) [m/s]
    desired: np.ndarray  # the same, desired, shape (k,) [m/s]
    ante: np.ndarray  # by the ante-impact reference, shape (k,) [m/s]
    post: np.ndarray  # by the post-impact reference, shape (k,) [m/s]
    feedback: np.ndarray  # a_fb along the tool, shape (k,) [m/s^2]
    force_t: np.ndarray  # shape (f,)
    force: np.ndarray  # size, shape (f,) [N]


@dataclass
class ArmImpact:
    """One arm's part in an impact; base axes of the arm, n joints, NaN for unknown values."""

    arm: str  # its namespace
    touch: float  # stamp [s]
    by_force: bool  # the force sensor saw the contact; else the detector's estimate
    after_first: float  # since the first contact of any arm [s]
    dq_before: np.ndarray  # right before contact, shape (n,) [rad/s]
    dq_after: np.ndarray  # mean over LEFT, shape (n,) [rad/s]
    velocity_before: np.ndarray  # of the contact point, shape (3,) [m/s]
    velocity_after: np.ndarray  # of the contact point, mean over LEFT, shape (3,) [m/s]
    tool: np.ndarray  # axis of the contact frame at contact, out of the plate, shape (3,)
    peak_force: float  # within AFTER of contact [N]
    feedback: FeedbackFigures | str  # or why it is unknown
    followed: Followed | str
    closure: dict[str, float] | str  # size of the miss by inertia [m/s]
    wrong_model: tuple[int, float]  # joint, torque that the robot's model lacks before it [N.m]
    notes: list[str] = field(default_factory=list)  # missing data, as text
    trace: ArmTrace | None = None


def arm_impact(
    robot: Robot, name: str, arm: RunRecord, touch: int, first: int, by_force: bool
) -> ArmImpact:
    """Return an arm's part in an impact.

    Args:
        robot: the arm.
        name: its namespace.
        arm: its record.
        touch: stamp of its contact [ns].
        first: that of the first contact of any arm [ns].
        by_force: the force sensor saw the contact.
    """
    dynamics, n = ArmDynamics(robot), robot.dof
    states = arm.states.within(touch, JUDGED[0] - 0.1, JUDGED[1] + 0.1)
    t, q, dq = states.since(touch), states.values[:, :n], states.values[:, n:]
    velocities = np.array([dynamics(*row).velocity for row in zip(q, dq, strict=True)])
    velocities = velocities.reshape(-1, 3)
    at = np.array([np.interp(0.0, t, column) for column in q.T]) if len(t) else np.full(n, np.nan)
    before, notes = _before(t, q), list[str]()
    point = dynamics(at, np.nan_to_num(before)) if np.isfinite(at).all() else None
    tool = np.full(3, np.nan) if point is None else point.rotation[:, 2].copy()
    approach = np.full(3, np.nan)
    if point is not None and np.isfinite(before).all():
        approach = point.velocity.copy()
    covers = len(t) > 0 and t[-1] >= LEFT[1] - 2 * states.period
    if not covers:
        ends = f"{1e3 * t[-1]:.0f} ms after contact" if len(t) else "before contact"
        notes.append(f"joint states end {ends}, so the velocity after it is unknown")
    if not np.isfinite(before).all():
        notes.append("joint states are missing before contact: the velocity before it is unknown")
    after = mean_between(t, dq, *LEFT) if covers else np.full(n, np.nan)
    left = mean_between(t, velocities, *LEFT) if covers else np.full(3, np.nan)
    unexplained = _wrong_model(dynamics, arm, touch)
    return ArmImpact(
        arm=name,
        touch=touch * 1e-9,
        by_force=by_force,
        after_first=(touch - first) * 1e-9,
        dq_before=before,
        dq_after=after,
        velocity_before=approach,
        velocity_after=left,
        tool=tool,
        peak_force=_peak(arm.force, touch),
        feedback=_feedback(arm.feedback, first, tool),
        followed=_followed(dynamics, arm, states, velocities, touch),
        closure=_closure(robot, arm, touch, unexplained),
        wrong_model=unexplained,
        notes=notes,
        trace=_trace(dynamics, arm, states, velocities, first, tool),
    )


def _before(t: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the joint velocities right before contact, NaN without enough samples, (n,)."""
    try:
        return velocity_before(t, q, 0.0)
    except EstimateError:
        return np.full(q.shape[1], np.nan)


def _peak(force: Series, touch: int) -> float:
    sizes = np.linalg.norm(force.within(touch, 0.0, AFTER).values, axis=1)
    return float(sizes.max()) if sizes.size else float("nan")


def _feedback(feedback: Series, first: int, tool: np.ndarray) -> FeedbackFigures | str:
    """Return peak and integrals about the first contact of any arm."""
    if not len(feedback.time):
        return "it was not recorded"
    near = feedback.within(first, -BEFORE, AFTER)
    if not np.isfinite(tool).all() or len(near.time) < 2:
        return "it was not recorded around contact"
    t = near.since(first)
    end, gap = float(t[-1]), float(np.diff(t).max())
    if end < AFTER - 2 * near.period:
        return f"it was recorded only until {1e3 * end:.0f} ms after the first contact"
    if t[0] > -BEFORE + 2 * near.period or gap > 2.5 * near.period:
        return "it has a gap there"
    try:
        return figures_along(t, near.values, tool)
    except OutOfRangeError:
        return "it was not recorded around contact"


def _velocity_rows(dynamics: ArmDynamics, arm: RunRecord, states: Series) -> np.ndarray:
    """Return the desired velocity of the contact point at each state, shape (k, 3) [m/s]."""
    n = states.values.shape[1] // 2
    desired = arm.desired.at(states.time)
    rows = np.full((len(desired), 3), np.nan)
    for k in np.flatnonzero(np.isfinite(desired).all(axis=1)):
        rows[k] = dynamics(states.values[k, :n], desired[k]).velocity
    return rows


def _followed(
    dynamics: ArmDynamics, arm: RunRecord, states: Series, velocities: np.ndarray, touch: int
) -> Followed | str:
    """Return which reference was followed about contact."""
    wanting = [
        name
        for name, each in (
            ("ante-impact reference", arm.ante),
            ("post-impact reference", arm.post),
            ("desired joint states", arm.desired),
        )
        if not len(each.time)
    ]
    if wanting:
        return f"not recorded: {', '.join(wanting)}"
    t = states.since(touch)
    chosen = (t >= JUDGED[0]) & (t <= JUDGED[1])
    near = Series(states.time[chosen], states.values[chosen])
    ante, post = arm.ante.at(near.time), arm.post.at(near.time)
    desired = _velocity_rows(dynamics, arm, near)
    known = np.isfinite(ante + post + desired).all(axis=1)
    since = near.since(touch)
    if not known.any() or since[known][0] > 0.0 or since[known][-1] < LEFT[1]:
        return "references or desired joint states end before 100 ms after contact"
    if np.diff(since[known]).max() > 2.5 * states.period:
        return "references, joint states or desired ones have a gap there"
    return followed(
        since[known], velocities[chosen][known], desired[known], ante[known], post[known]
    )


def _closure(
    robot: Robot, arm: RunRecord, touch: int, unexplained: tuple[int, float]
) -> dict[str, float] | str:
    if abs(unexplained[1]) > LACKING:
        return "torques before contact are not those of this robot"
    return recorded_closure(robot, arm, touch)


def _wrong_model(dynamics: ArmDynamics, arm: RunRecord, touch: int) -> tuple[int, float]:
    """Return the joint whose torque before contact the model explains least, and by how much.

    Over the 100 ms before it: mean torque less that of the mean state and acceleration.
    """
    n = dynamics.robot.dof
    near = arm.states.within(touch, -_QUIET, -2e-3)
    sensed = arm.torques.within(touch, -_QUIET, -2e-3)
    if len(near.time) < _FEWEST or len(sensed.time) < _FEWEST:
        return 0, float("nan")
    q, dq = near.values[:, :n], near.values[:, n:]
    ddq = np.polyfit(near.since(touch), dq, 1)[0]
    state = dynamics.state(q.mean(axis=0), dq.mean(axis=0))
    lacking = sensed.values.mean(axis=0) - (state.M @ ddq + state.h)
    worst = int(np.argmax(np.abs(lacking)))
    return worst, float(lacking[worst])


def _trace(
    dynamics: ArmDynamics,
    arm: RunRecord,
    states: Series,
    velocities: np.ndarray,
    first: int,
    tool: np.ndarray,
) -> ArmTrace | None:
    t = states.since(first)
    chosen = (t >= DRAWN[0]) & (t <= DRAWN[1])
    near = Series(states.time[chosen], states.values[chosen])
    if not len(near.time) or not np.isfinite(tool).all():
        return None
    force = arm.force.within(first, *DRAWN)
    every = max(1, len(force.time) // 600)
    return ArmTrace(
        t[chosen],
        velocities[chosen] @ tool,
        _velocity_rows(dynamics, arm, near) @ tool,
        arm.ante.at(near.time) @ tool,
        arm.post.at(near.time) @ tool,
        arm.feedback.at(near.time) @ tool,
        force.since(first)[::every],
        np.linalg.norm(force.values, axis=1)[::every],
    )
