# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The phases of a grab, from the approach to rest, as a state machine; time is an argument."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from impact_qp.body.pair import Pair, between, minimum_jerk
from impact_robots.task.palm_task import PalmTask

PHASES = ("approach", "clamp", "grip", "lift", "turn", "pull", "toss", "open", "back", "rest")
ADMITTANCE = 0.002  # of the grip [m/s/N]
GRIP_SPEED = 0.06  # highest speed of a palm while it grips [m/s]
CENTRING = 1.0  # of the box between the palms [1/s]
BEYOND = 0.05  # travel behind the expected face after which no box is there [m]
PULLED, THROWN = 0.28, 0.40  # radius at which a toss begins, and at which palms open [m]
OPEN_SPEED, OPEN = 0.5, 0.10  # speed and travel of a palm that opens [m/s], [m]
SETTLED = 0.2  # time for which palms then stay [s]
LOST = 0.05  # time for which a palm may press less than a grip needs, until the box is lost [s]
RELEASE = 0.07  # time for which palms continue while they open: the servos' lag and more [s]
GRIPPED = 0.6  # s of grip before the lift
LASTING = {"lift": 1.2, "turn": 1.6, "pull": 1.2, "back": 2.5}  # from rest to rest [s]


@dataclass(frozen=True)
class GrabState:
    """Progress of a grab; a new one every cycle."""

    pair: Pair  # current target
    speed: np.ndarray  # target speed of the palms towards the box, shape (2,) [m/s]
    phase: str = "approach"
    since: float = 0.0  # when the phase began [s]
    origin: Pair | None = None  # of the phase's motion
    touched: tuple[float, float] = (np.nan, np.nan)  # contact times of the palms; NaN: not yet [s]
    box: int = 0  # index of the box
    gripped: float = 0.0  # when both palms last pressed as a grip needs [s]
    failure: str = ""  # why the grab failed

    def entered(self, phase: str, time: float) -> GrabState:
        """Return the start of another phase."""
        return replace(self, phase=phase, since=time, origin=self.pair)


def beginning(task: PalmTask, time: float = 0.0) -> GrabState:
    """Return the start: palms beside the box, at rest."""
    apart = np.full(2, task.half_width + task.run_up)
    pair = Pair(task.palm_x, task.palm_z, 0.0, apart)
    return GrabState(pair, np.zeros(2), since=time, origin=pair)


def next_state(
    task: PalmTask, state: GrabState, time: float, period: float, forces: np.ndarray, cap: float
) -> GrabState:
    """Return the state one cycle later.

    Args:
        task: object and grasp.
        state: now.
        time: now [s].
        period: of a cycle [s].
        forces: on the palms as measured, world axes, shape (2, 3) [N].
        cap: on the palms' speed towards the box [m/s].
    """
    if state.phase == "back" and np.linalg.norm(forces, axis=1).max() > task.detection_force:
        return replace(state, failure="a palm met something").entered("rest", time)
    step = {"approach": _approach, "clamp": _clamp, "grip": _grip}.get(state.phase, _carry)
    return step(task, state, time, period, state.pair.pressed(forces), cap)


def _elapsed(state: GrabState, time: float, h: float) -> float:
    """Return the duration of a phase in whole cycles [s], independent of the clock's zero."""
    return round((time - state.since) / h) * h


def _approach(
    task: PalmTask, state: GrabState, time: float, h: float, pressed: np.ndarray, cap: float
) -> GrabState:
    """Approach until both palms are in contact; each stops at its contact."""
    contact = np.isnan(state.touched) & (pressed > task.detection_force)
    left, right = np.where(contact, time, state.touched).tolist()
    touched, waiting = (left, right), np.isnan([left, right])
    if not waiting.any():
        return replace(state, touched=touched, speed=np.zeros(2)).entered("clamp", time)
    limit = min(task.reference_speed, cap)
    speed = np.where(waiting, np.minimum(state.speed + task.reference_ramp * h, limit), 0.0)
    pair = state.pair._replace(apart=state.pair.apart - speed * h)
    if pair.apart[waiting].min() < task.half_width - BEYOND:
        return replace(state, failure="no box").entered("rest", time)
    return replace(state, pair=pair, speed=speed, touched=touched)


def _clamp(
    task: PalmTask, state: GrabState, time: float, h: float, pressed: np.ndarray, cap: float
) -> GrabState:
    """Wait until the impact is over."""
    if _elapsed(state, time, h) < task.clamp_delay:
        return state
    return state.entered("grip", time)


def _squeezed(task: PalmTask, state: GrabState, h: float, pressed: np.ndarray) -> GrabState:
    """Press by admittance: the mean force of the palms is held, and the box is centred."""
    speed = ADMITTANCE * (task.grip_force - float(pressed.mean()))
    speed = min(max(speed, -GRIP_SPEED), GRIP_SPEED)
    aside = 0.5 * float(state.pair.apart[0] - state.pair.apart[1])
    drift = CENTRING * aside * np.array([1.0, -1.0])
    apart = state.pair.apart - h * (speed + drift)
    return replace(state, pair=state.pair._replace(apart=apart))


def _grip(
    task: PalmTask, state: GrabState, time: float, h: float, pressed: np.ndarray, cap: float
) -> GrabState:
    """Press until the force has held for a while."""
    state = _squeezed(task, state, h, pressed)
    if _elapsed(state, time, h) < GRIPPED:
        return state
    if not _grips(task, pressed):
        return replace(state, failure="no grip").entered("rest", time)
    return replace(state, gripped=time).entered("lift", time)


def _grips(task: PalmTask, pressed: np.ndarray) -> bool:
    """Return whether both palms press as a grip needs."""
    return float(pressed.min()) >= 0.3 * task.grip_force


def _watched(task: PalmTask, state: GrabState, time: float, pressed: np.ndarray) -> GrabState:
    """Return the state of palms that carry a box: at rest, if it is no longer between them."""
    if _grips(task, pressed):
        state = replace(state, gripped=time)
    closed = float(state.pair.apart.mean()) < task.half_width - BEYOND
    if not closed and time - state.gripped < LOST:
        return state
    return replace(state, failure="box lost").entered("rest", time)


def _carry(
    task: PalmTask, state: GrabState, time: float, h: float, pressed: np.ndarray, cap: float
) -> GrabState:
    """Move the pair while it grips, until it opens."""
    if state.phase in ("lift", "turn", "pull", "toss"):
        state = _watched(task, state, time, pressed)
    if state.phase == "rest":
        return state
    if state.phase in ("toss", "open"):
        return _thrown(task, state, time, h, pressed)
    if state.phase != "back":
        state = _squeezed(task, state, h, pressed)
    fraction = minimum_jerk(_elapsed(state, time, h) / LASTING[state.phase])
    state = replace(state, pair=_moved(task, state, fraction))
    return _following(task, state, time) if fraction >= 1.0 else state


def _moved(task: PalmTask, state: GrabState, fraction: float) -> Pair:
    """Return the pair at a fraction of a phase's motion."""
    pair, origin = state.pair, state.origin or state.pair
    if state.phase == "lift":
        return pair._replace(height=origin.height + fraction * task.lift)
    if state.phase == "turn":
        return pair._replace(yaw=origin.yaw + fraction * (task.toss_yaw - origin.yaw))
    if state.phase == "pull":
        return pair._replace(radius=origin.radius + fraction * (PULLED - origin.radius))
    return between(origin, beginning(task).pair, fraction)


def _following(task: PalmTask, state: GrabState, time: float) -> GrabState:
    """Return the start of the phase after a motion from rest to rest."""
    if state.phase == "lift" and not task.tosses:
        return state.entered("rest", time)
    if state.phase != "back":
        return state.entered(PHASES[PHASES.index(state.phase) + 1], time)
    if state.box + 1 >= len(task.box_masses):
        return state.entered("rest", time)
    return replace(beginning(task, time), box=state.box + 1)


def _thrown(
    task: PalmTask, state: GrabState, time: float, h: float, pressed: np.ndarray
) -> GrabState:
    """Accelerate the pair away from the robot evenly; then open it while it decelerates evenly."""
    rate = task.toss_speed**2 / (2.0 * (THROWN - PULLED))
    since = _elapsed(state, time + h, h)
    if state.phase == "toss":
        state = _squeezed(task, state, h, pressed)
        radius = PULLED + 0.5 * rate * since**2
        moved = replace(state, pair=state.pair._replace(radius=radius))
        return moved.entered("open", time + h) if rate * since >= task.toss_speed else moved
    origin = state.origin or state.pair
    brake = min(max(since - RELEASE, 0.0), task.toss_speed / (2.0 * rate))
    even = task.toss_speed * (min(since, RELEASE) + brake)
    radius = origin.radius + even - rate * brake**2
    apart = origin.apart + min(OPEN_SPEED * since, OPEN)
    moved = replace(state, pair=state.pair._replace(radius=radius, apart=apart))
    return (
        moved.entered("back", time)
        if since > RELEASE + task.toss_speed / (2.0 * rate) + SETTLED
        else moved
    )
