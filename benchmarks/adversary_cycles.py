# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Random control cycles: arms in closed loop with their controller, and disturbances.

No ROS. Each episode is drawn from (seed, number), so that a failure can be run again:
``./impact shell -- python benchmarks/adversary_cycles.py SEED NUMBER``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from adversary_arm import POSITION_GAIN, SimulatedArm
from adversary_checks import SentChecks, too_fast
from adversary_events import LIES, Liar
from adversary_loop import Loop, Sent
from adversary_plans import INTERFACES, Task, draw_plan, draw_task

from impact_qp import Phase
from impact_qp.interface import LEAD
from impact_qp.limits import JointLoadLimit, RobustImpactLimit, SpeedBound
from impact_robots import PointState
from impact_sim.driver.sensors import PANDA_NOISE
from impact_trials.processes import check_stopped

PERIOD, FLOOD = 1_000_000, 100_000  # between states [ns]
TOUCHED = 50  # cycles after a contact in which velocities jump, not because of commands
STOPPING, AT_REST = 300, 0.05  # after a stop or a fault [cycles], [rad/s]
REACTION, DECELERATION = 100, 0.67  # an arm that is fast needs longer [cycles], fraction of limits
DECEIVED = 0.2  # speed of a stopped arm whose states are wrong or were a moment ago [rad/s]
BRAKED = 0.05  # of the lead, by which a command that is braked in steps may exceed it [-]
SETTLING, DRIFT = 1500, 0.01  # [cycles], [rad]
SEARCHED = 100  # between two searches for the bound of joint loads, which take 20 ms [cycles]
SPEED_MARGIN, SPEED_ROUNDING = 1.02, 0.002  # of the speed bound [-], [m/s]
BRAKES_WITHIN, PREVIEWS = 0.05, 4.0  # where the bound begins to act [s], and times the preview
SEEN_AFTER, LATCHED = 4, 300  # the detector's answer to a contact [cycles]
DEEDS = ("detector flaps", "stop", "reset", "goal", "gap", "flood", "same stamp", "clock back")
EVENTS = (*LIES, *DEEDS, "blocked arm", "missed states")
MISSED = 10  # states in a row at most, where some are missed


@dataclass(frozen=True)
class Event:
    """Something that happens in some cycles of an episode."""

    name: str
    start: int
    end: int  # the first cycle without it


@dataclass
class Found:
    """What a campaign has tried and found."""

    tried: Counter[str] = field(default_factory=Counter)  # cycles by interface
    failed: Counter[str] = field(default_factory=Counter)  # cycles that broke something new
    broken: Counter[str] = field(default_factory=Counter)  # episodes by what they broke
    first: dict[str, str] = field(default_factory=dict)  # description of the first of them

    def add(self, other: Found) -> None:
        """Take what another part has found."""
        self.tried.update(other.tried)
        self.failed.update(other.failed)
        self.broken.update(other.broken)
        for name, text in other.first.items():
            self.first.setdefault(name, text)


class Episode:
    """One arm, one plan, some events, until it is over or too much is broken."""

    def __init__(self, seed: int, number: int, loop: Callable[..., Any] = Loop) -> None:
        """Draw everything."""
        self.seed, self.number = seed, number
        self.random = random = np.random.default_rng([seed, number])
        self.interface = INTERFACES[(seed + number) % 3]
        self.task: Task = draw_task(random, self.interface)
        robot = self.task.robot
        self.length = int(random.integers(200, 2500))
        self.events = self._draw_events()
        self.settles = random.random() < 0.4  # ends with a stop, and then with rest
        self.sees = random.random() < 0.85  # the detector does
        self.arm = SimulatedArm(robot, self.interface, self.task.wall)
        self.arm.reset(self.task.q, self.task.dq)
        self.disturbed = random.random() < 0.4  # by what no model knows
        self.arm.friction = float(self.disturbed or bool(self.events))
        self.arm.disturbance = 0.2 * self.disturbed * random.uniform(-1.0, 1.0, robot.dof)
        self.loop = loop(robot, self.task.plan, PERIOD * 1e-9)
        self.checks = SentChecks(robot, self.interface, PERIOD * 1e-9)
        self.bound = _promised(self.task)
        self.liars: dict[Event, Liar] = {}
        self.broken: dict[str, str] = {}
        self.values = self.task.q.copy() if self.interface == "position" else np.zeros(robot.dof)
        self.time = self.stamp = 10**9  # of the arm, and of the last state [ns]
        self.back = 0  # by how much the clock jumped [ns]
        self.k = 0
        self.touched = self.contact = -(10**9)  # cycle of the last contact, of its beginning
        self.good = not self.task.dq.any()
        self.near_since = 0  # cycle in which the bound began to act
        self.pushed = 0.0  # by what no model knows, up to now [m/s]
        self.stopped, self.standing = 0.0, 0  # since the stop, then standing [cycles]
        self.thrown = 0.0  # highest fraction of its velocity limits that an impact gave the arm
        self.lied = -(10**9)  # cycle of the last wrong state
        self.moves_on = True  # no stop was commanded
        self.held_q: np.ndarray | None = None  # where it was let go
        self.rest_q: np.ndarray | None = None

    def _draw_events(self) -> list[Event]:
        """Return what happens; in a third of the episodes nothing does."""
        random = self.random
        if random.random() < 0.33:
            return []
        events = []
        for _ in range(int(random.integers(1, 4))):
            start = int(random.integers(0, self.length))
            lasting = int(random.choice([1, 2, 5, 30, 300, 1000]))
            events.append(Event(str(random.choice(EVENTS)), start, start + lasting))
        return events

    def run(self, budget: int) -> int:
        """Run up to ``budget`` cycles; return how many it were."""
        total = self.length + (SETTLING if self.settles else 0)
        with np.errstate(all="ignore"):
            while self.k < min(total, budget):
                if self.k == self.length:
                    self._stop()
                self._cycle(self._events_now())
                self.k += 1
                if not np.isfinite(self.arm.q).all() or np.abs(self.arm.dq).max() > 50.0:
                    break
        if self.k == total and self.settles:
            self._judge_rest()
        return self.k

    def _events_now(self) -> list[Event]:
        if self.k >= self.length:
            return []
        return [each for each in self.events if each.start <= self.k < each.end]

    # --- one cycle ----------------------------------------------------------------------------

    def _cycle(self, events: list[Event]) -> None:
        """Measure, ask, send, move, judge."""
        names = [each.name for each in events]
        self.good = self.good and not events
        self._hold("blocked arm" in names)
        self._do(events)
        passed = FLOOD if "flood" in names else PERIOD
        self.time += passed
        if "same stamp" not in names:
            self.stamp = self.time - self.back
        q, dq = self._measure(events)
        impact, ready = self._verdict("detector flaps" in names)
        try:
            reply = self.loop.cycle(self.time, self.stamp, q, dq, impact, ready)
        except Exception as error:
            self._note(f"raised {type(error).__name__}", str(error))
            reply = None
        self._send(reply)
        self.arm.step(self.values, passed * 1e-9)
        self._judge_arm(reply, passed)

    def _do(self, events: list[Event]) -> None:
        """Do what happens once, at the beginning of an event; miss states all through it."""
        for event in events:
            if event.name == "missed states" and self.random.random() < 0.5:
                self._wait(int(self.random.integers(1, MISSED + 1)))
            if event.start != self.k:
                continue
            if event.name == "stop":
                self._stop()
            elif event.name == "reset":
                self.moves_on = self.loop.reset() or self.moves_on
            elif event.name == "goal":
                self._change_plan()
            elif event.name == "clock back":
                self.back += 300 * PERIOD
            elif event.name == "gap":
                self._wait(int(self.random.integers(2, 100)))

    def _change_plan(self) -> None:
        """Give another goal for the same surface."""
        contact = self.task.plan.contact
        plan = draw_plan(self.random, self.interface, contact.point, contact.normal)
        if self.loop.change(plan):
            self.task, self.moves_on = replace(self.task, plan=plan), True

    def _stop(self) -> None:
        """Tell it to brake and hold."""
        self.loop.stop()
        self.moves_on = False

    def _hold(self, blocked: bool) -> None:
        """Hold the arm, or let it go."""
        if self.arm.blocked and not blocked:
            self.held_q = self.arm.q.copy()
        self.arm.blocked = blocked

    def _wait(self, cycles: int) -> None:
        """Let the arm move on while no state arrives."""
        for _ in range(cycles):
            self.time += PERIOD
            self._send(self.loop.idle(self.time))
            self.arm.step(self.values, PERIOD * 1e-9)

    def _measure(self, events: list[Event]) -> tuple[np.ndarray, np.ndarray]:
        """Return what is measured, (n,) [rad] and (n,) [rad/s]."""
        draw = self.random.standard_normal((2, len(self.arm.q)))
        q = self.arm.q + PANDA_NOISE.position * draw[0]
        dq = self.arm.dq + PANDA_NOISE.velocity * draw[1]
        for event in events:
            if event.name in LIES:
                self.lied = self.k
                liar = self.liars.setdefault(event, Liar(self.task.robot, self.random))
                q, dq = LIES[event.name](liar, q, dq)
        return q, dq

    def _verdict(self, flaps: bool) -> tuple[bool, bool]:
        """Return whether the detector sees an impact, and whether it is ready."""
        if flaps:
            return bool(self.random.integers(2)), bool(self.random.integers(2))
        if self.arm.touches:
            if self.k - self.touched > LATCHED:
                self.contact = self.k
            self.touched = self.k
        return self.sees and SEEN_AFTER <= self.k - self.contact < LATCHED, True

    def _send(self, reply: Sent | None) -> None:
        """Give the driver a message; without any it goes on with the last one."""
        if reply is None:
            return
        for name in self.checks.judge(self.time * 1e-9, reply.values, self.arm.state):
            self._note(name, f"sent {np.array2string(reply.values, precision=4)}")
        if np.isfinite(reply.values).all():
            self.values = reply.values

    # --- judging ------------------------------------------------------------------------------

    def _note(self, name: str, text: str) -> None:
        """Note what is broken, once an episode."""
        if name in self.broken:
            return
        plan, before = self.task.plan, [e.name for e in self.events if e.start <= self.k]
        cause = f"after {', '.join(before)}" if before else "nothing was disturbed"
        self.broken[name] = (
            f"{name}: {self.task.robot.name}, {self.interface}, {plan.impact_limits}, then"
            f" {plan.after} {plan.press_force:.0f} N, {cause}; cycle {self.k} of episode"
            f" {self.seed} {self.number}: {text}"
        )

    def _judge_arm(self, reply: Sent | None, passed: int) -> None:
        """Judge how the arm moves in the time that passed [ns]."""
        arm = self.arm
        jumps = self.k - self.touched < TOUCHED
        self._judge_speed(jumps or arm.touches)
        self._judge_stop(passed)
        self._judge_release(reply)
        if self.k == self.length + SETTLING - 500:
            self.rest_q = arm.q.copy()
        if reply is not None and not arm.touches and not jumps:
            self._judge_approach(reply)

    def _judge_speed(self, jumps: bool) -> None:
        """Judge joint speeds; an arm that an impact has thrown may be fast, and get no faster."""
        share = float(np.abs(self.arm.dq / self.task.robot.limits.velocity).max())
        if not too_fast(self.task.robot, self.arm.dq):
            self.thrown = 0.0
        elif jumps:
            self.thrown = max(self.thrown, share)
        elif self.interface == "position" and self.held_q is not None:
            if share > POSITION_GAIN * LEAD:  # what its driver makes of the lead
                self._note("joint speed", f"{share:.2f} limits when it was let go")
        elif not share <= 1.01 * self.thrown:  # NaN: too fast
            self._note("joint speed", f"{share:.2f} limits")

    def _judge_stop(self, passed: int) -> None:
        """Judge whether a stopped arm comes to rest; without states torques alone cannot brake."""
        helpless = self.interface == "torque" and self.loop.lost
        stops = bool(self.loop.fault) or not self.moves_on
        if not stops or helpless:
            self.stopped = 0.0
        elif not self.stopped:
            self.standing = max(STOPPING, self._needed())
        self.stopped += (stops and not helpless) * passed / PERIOD
        speed = np.abs(self.arm.dq).max()
        most = AT_REST if self.k - self.lied > STOPPING else DECEIVED
        if self.stopped > self.standing and not speed <= most:
            self._note("rest", f"{speed:.2f} rad/s {self.stopped:.0f} cycles after the stop")

    def _needed(self) -> int:
        """Return how many cycles it may take the arm to stand."""
        takes = np.abs(self.arm.dq) / (DECELERATION * self.task.robot.limits.acceleration)
        return REACTION + round(float(takes.max()) / (PERIOD * 1e-9))

    def _judge_release(self, reply: Sent | None) -> None:
        """Judge how far an arm moves that was held and let go, and that is not to move."""
        helpless = self.interface == "torque" and self.loop.lost
        if helpless or (reply is not None and not reply.phase.stands):
            self.held_q = None
        if self.held_q is None or self.arm.blocked:
            return
        share = np.abs(self.arm.q - self.held_q) / (LEAD * self.task.robot.limits.velocity)
        if share.max() > 1.0 + BRAKED:
            self._note("release", f"moved by {share.max():.2f} of the lead when it was let go")

    def _judge_approach(self, reply: Sent) -> None:
        """Judge the speed towards the surface, where it could be kept low in time."""
        plan, state = self.task.plan, self.arm.state
        moves = reply.phase in (Phase.APPROACH, Phase.PRESS)
        near = plan.contact.gap(state.position) < plan.activation_distance
        if not (self.good and self.bound is not None and moves and near):
            self.near_since = self.k + 1
            return
        # The row looks a preview ahead by the model: what that does not know adds as much.
        push = plan.preview * max(0.0, -self.arm.push(plan.contact.normal))
        self.pushed = max(push, self.pushed * (1.0 - PERIOD * 1e-9 / plan.preview))
        if (self.k - self.near_since) * PERIOD * 1e-9 < BRAKES_WITHIN + PREVIEWS * plan.preview:
            return
        speed = plan.contact.approach_speed(state.velocity)
        if speed <= SPEED_ROUNDING or reply.relaxed:
            return
        if plan.impact_limits == "joint_load" and self.k % SEARCHED:
            return
        bound = max(0.0, self.bound(state).speed)
        if speed > SPEED_MARGIN * bound + SPEED_ROUNDING + self.pushed:
            self._note("approach speed", f"{speed:.3f} m/s, bound {bound:.3f}, {reply.phase.value}")

    def _judge_rest(self) -> None:
        """Judge whether the arm, long after a stop, stays where it is."""
        if self.rest_q is None or (self.interface == "torque" and self.loop.lost):
            return  # without states that it believes it commands no torque
        drift = np.abs(self.arm.q - self.rest_q).max()
        if drift > DRIFT:
            self._note("hold", f"{drift:.3f} rad in 500 cycles")


def _promised(task: Task) -> Callable[[PointState], SpeedBound] | None:
    """Return the bound of limits that promise one, worked out anew in every state."""
    plan, robot = task.plan, task.robot
    if plan.impact_limits == "robust":
        return RobustImpactLimit(robot, plan.contact, generators=plan.generators).speed_bound
    if plan.impact_limits == "joint_load":
        return JointLoadLimit(robot, plan.contact, joint_ranges=plan.joint_ranges).speed_bound
    return None


def campaign(count: int, seed: int, *, loop: Callable[..., Any] = Loop, first: int = 0) -> Found:
    """Run ``count`` cycles.

    Args:
        count: of cycles.
        seed: of everything that is drawn.
        loop: makes what is tried, as ``adversary_loop.Loop``.
        first: number of the first episode.
    """
    found, left, number = Found(), count, first
    while left > 0:
        check_stopped()
        episode = Episode(seed, number, loop)
        done = episode.run(left)
        left, number = left - done, number + 1
        found.tried[episode.interface] += done
        found.failed[episode.interface] += min(done, len(episode.broken))
        found.broken.update(episode.broken.keys())
        for name, text in episode.broken.items():
            found.first.setdefault(name, text)
    return found


if __name__ == "__main__":
    again = Episode(int(sys.argv[1]), int(sys.argv[2]))
    print(f"{again.run(10**9)} cycles")
    print("\n".join(again.broken.values()))
