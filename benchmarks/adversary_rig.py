# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller's node with a simulated arm, its driver, a detector and operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from adversary_arm import SimulatedArm, carried
from adversary_host import Host, VirtualClock
from adversary_moves import MoveChecks, contact_of
from sensor_msgs.msg import JointState

from impact_msgs.msg import DetectorStatus, JointCommand
from impact_qp.node import ImpactQpNode
from impact_robots import ArmDynamics, Robot, Surface, load_robot
from impact_ros.messages import fill, from_nanoseconds
from impact_sim.driver.sensors import PANDA_NOISE
from impact_sim.scenarios import load_scenario

SCENARIO = load_scenario("qp_panda_demo")
STEP = 1e-3  # of the arm, at most [s]
EPOCH = 10**12  # of the stamps [ns]
SEEN_AFTER, LATCHED = 0.004, 0.3  # the detector's answer to a contact [s]
STATE_TIMEOUT = 0.05  # of the node [s]
ANNOUNCED = ("restitution", "peak_factor", "impact_duration")
CAP = 0.15  # speed_cap of the node, unless drawn otherwise [m/s]


@cache
def panda() -> Robot:
    """Return the arm."""
    return load_robot("panda")


@cache
def wall() -> Surface:
    """Return the surface of the demo."""
    return Surface(SCENARIO.surface_point(panda()), np.array(SCENARIO.normal, dtype=float))


@cache
def before_wall(gap: float) -> np.ndarray:
    """Return a configuration with the contact point at rest that far before the wall, (n,)."""
    q, dynamics = np.array(SCENARIO.start(panda())), ArmDynamics(panda())
    for _ in range(50):
        state = dynamics(q, np.zeros(panda().dof))
        off = wall().gap(state.position) - gap
        q = q - np.linalg.pinv(state.J) @ np.append(off * wall().normal, np.zeros(3))
    return q


def settings(**changes: Any) -> dict[str, Any]:
    """Return parameters for the demo's wall, with ``changes``; None takes one away."""
    values = SCENARIO.controller_parameters(panda()) | {
        "impact_limits": "robust",
        "simulated": True,
        "speed_cap": CAP,
        "state_timeout": STATE_TIMEOUT,
        "max_consecutive_missed": 100,
    }
    return {name: value for name, value in (values | changes).items() if value is not None}


def _believed(changes: dict[str, Any]) -> dict[str, Any]:
    """Return those parameters that announce what an impact is like."""
    return {name: value for name, value in changes.items() if name in ANNOUNCED}


class Rig:
    """One arm in closed loop with its node, in virtual time.

    Attributes:
        arm: as it really is.
        checks: what must hold; knows what was asked for.
        contact, normal: what is safe to expect of the demo's wall, and its outward normal.
        announced: whether the first wall is the one that was announced to the node.
        states, verdicts, ready: whether they are sent, and what the detector says of itself.
        offset: of the driver's clock [ns]; ``late``: of the verdicts' stamps [ns].
        lie: changes a state before it is sent.
        carried: puts the arm where somebody has it, by the time; None: nobody has.
        status, mode: what the node said last, its message and MODE_*.
    """

    def __init__(
        self,
        random: np.random.Generator,
        interface: str = "torque",
        period: float = 0.004,
        *,
        walls: tuple[Surface, ...] | None = None,
        gap: float = 0.1,
        **changes: Any,
    ) -> None:
        """Make the node and the arm; nothing is configured.

        Args:
            random: of all noise.
            interface: what the node commands.
            period: between states [s].
            walls: that there are, the announced one first; None: that of the demo.
            gap: of the contact point to the demo's wall [m].
            changes: of the node's parameters.
        """
        self.random, self.interface, self.period = random, interface, period
        self.clock = VirtualClock()
        self.clock.passing = self.advance
        self.settings = settings(interface=interface, rate=1.0 / period, **changes)
        self.arm = SimulatedArm(panda(), interface, *((wall(),) if walls is None else walls))
        self.arm.reset(before_wall(gap), np.zeros(panda().dof))
        self.arm.friction = float(random.uniform(0.3, 1.0))
        self.values = np.zeros(panda().dof) if interface != "position" else self.arm.q.copy()
        self.contact, self.announced = contact_of(settings(**_believed(changes))), True
        self.normal = wall().normal
        self.checks = MoveChecks(self)
        self.states = self.verdicts = self.ready = self.sees = True
        self.offset = self.late = 0
        self.lie: Callable[[JointState], Any] | None = None
        self.carried: Callable[[float], tuple[np.ndarray, np.ndarray]] | None = None
        self.status, self.mode, self.impact_at = "", 0, -1e9
        self.host = Host(
            ImpactQpNode,
            self._hear,
            self.clock,
            {"joint_states": JointState, "impact_detector/status": DetectorStatus},
            **self.settings,
        )

    @property
    def now(self) -> float:
        """Time [s]."""
        return self.clock.now

    @property
    def gap(self) -> float:
        """Of the contact point to the demo's wall [m]."""
        return float(wall().gap(self.arm.state.position))

    def close(self) -> None:
        """End the node; what it sends then is not judged."""
        self.checks.over = True
        self.host.close()

    # --- time -----------------------------------------------------------------------------------

    def advance(self, seconds: float) -> None:
        """Let the arm move for a time under the last command [s]."""
        steps = max(1, int(np.ceil(seconds / STEP - 1e-6)))
        for _ in range(steps):
            self.clock.pass_by(seconds / steps)
            if self.carried is None:
                self.arm.step(self.values, seconds / steps)
            else:
                self.arm.reset(*self.carried(self.clock.now))
            if self.arm.touches and self.now - self.impact_at > LATCHED + SEEN_AFTER:
                self.impact_at = self.now
            self.checks.judge_arm()

    def cycle(self) -> None:
        """Measure, judge for impacts, let the node answer, and let a period go by."""
        if self.verdicts:
            self.host.give("impact_detector/status", self.verdict())
        if self.states:
            message = self.state()
            if self.lie is not None:
                self.lie(message)
            self.host.give("joint_states", message)
        self.advance(self.period)
        self.host.tick()

    def run(self, seconds: float, until: Callable[[], bool] | None = None) -> bool:
        """Let cycles go by; return whether the condition was met, True without one."""
        for _ in range(max(1, round(seconds / self.period))):
            if until is not None and until():
                return True
            self.cycle()
        return until is None or until()

    # --- messages -------------------------------------------------------------------------------

    def _stamp(self, message: Any, late: int = 0) -> Any:
        from_nanoseconds(EPOCH + round(self.now * 1e9) + self.offset - late, message.header.stamp)
        return message

    def state(self) -> JointState:
        """Return what is measured now."""
        noise = self.random.standard_normal((2, panda().dof))
        message = JointState(name=list(panda().joint_names), effort=[0.0] * panda().dof)
        fill(message.position, self.arm.q + PANDA_NOISE.position * noise[0])
        fill(message.velocity, self.arm.dq + PANDA_NOISE.velocity * noise[1])
        return self._stamp(message)

    def verdict(self) -> DetectorStatus:
        """Return what the detector says now."""
        since = self.now - self.impact_at
        impact = self.sees and SEEN_AFTER <= since < LATCHED
        return self._stamp(DetectorStatus(impact=impact, ready=self.ready), self.late)

    def _hear(self, topic: str, message: Any) -> None:
        if topic == "command":
            self._obey(message)
        elif topic == "status":
            self.status, self.mode = message.message, message.mode
            self.checks.hear_mode(message.mode)

    def _obey(self, message: JointCommand) -> None:
        values = np.array(message.values)
        self.checks.judge_command(values)
        if np.isfinite(values).all():
            self.values = values

    # --- what people do -------------------------------------------------------------------------

    def start(self, *, refused: bool = False) -> bool:
        """Configure, show some states, and activate; return whether it is active."""
        if not self.host.request("configure"):
            return False
        self.run(0.1)
        return self.activate(refused=refused)

    def activate(self, *, refused: bool = False) -> bool:
        """Activate; by default it approaches from there on."""
        approach = self.settings.get("approach_on_activation", True)
        done = self.host.request("activate")
        if done:
            self.checks.activated(approach=approach)
        return done

    def deactivate(self) -> None:
        """Deactivate."""
        if self.host.request("deactivate"):
            self.checks.deactivated()

    def carry(self, to: np.ndarray, seconds: float = 1.0) -> None:
        """Somebody moves the arm to ``to``, shape (n,) [rad], and lets it go there."""
        self.checks.taken()
        self.carried = carried(self.arm.q.copy(), to, self.now, seconds)
        self.run(seconds + 0.05)
        self.carried = None
        # a driver that somebody overrides stands still until the next command
        self.values = self.arm.q.copy() if self.interface == "position" else np.zeros_like(to)
        self.checks.let_go()


@contextmanager
def rigged(random: np.random.Generator, *args: Any, **options: Any) -> Iterator[Rig]:
    """Make a rig with its clocks, and end it."""
    rig = Rig(random, *args, **options)
    with rig.clock.installed(), np.errstate(all="ignore"):
        try:
            yield rig
        finally:
            rig.close()
