# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller's node over real DDS with a simulated arm, its driver and a detector.

The node is in this process, or (``node=False``) it is whatever process answers in this domain.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from adversary_arm import SimulatedArm
from adversary_checks import SentChecks, too_fast
from rcl_interfaces.msg import Log
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from impact_bringup.lifecycle import LifecycleClient
from impact_msgs.msg import ControllerStatus, DetectorStatus, JointCommand
from impact_qp.node import ImpactQpNode
from impact_qp.parameters import ControllerParameters
from impact_robots import load_robot
from impact_ros.messages import from_nanoseconds, to_nanoseconds
from impact_ros.node.closing import close
from impact_ros.node.spin import make_executor
from impact_ros.parameters import specifications
from impact_ros.qos import RECORD, STREAM
from impact_sim.scenarios import load_scenario

SCENARIO = load_scenario("qp_panda_demo")
ROBOT = load_robot("panda")
PERIOD = 1_000_000  # [ns]
FIRST = 10**12  # stamp of the first state [ns]
PATIENCE = 30.0  # for what must come [s]
SILENCE = 0.05  # long enough to see that a state is not answered [s]
AT_REST = 0.05  # [rad/s]
RAMP = 1.0  # of the torques to zero, at the most: it takes about 0.1 s [s]


class FaultError(Exception):
    """What must hold does not; says what."""


def parameters(**changes: Any) -> dict[str, Any]:
    """Return the demo's parameters for a driver that takes its time, with ``changes``."""
    values = SCENARIO.controller_parameters(ROBOT) | {"state_timeout": 10.0, "simulated": True}
    if "max_consecutive_missed" in specifications(ControllerParameters):
        values["max_consecutive_missed"] = 1_000_000  # cycles of this driver are no real time
    return values | changes


class DdsArm:
    """A simulated arm that moves with the commands that arrive, and judges each of them."""

    def __init__(self, *, node: bool = True, **changes: Any) -> None:
        """Create the controller's node, unless it is another process, and everything around it."""
        self.context = Context()
        self.context.init(args=[])
        self.settings = parameters(**changes)
        self.interface = self.settings.get("interface", "torque")
        self.arm = SimulatedArm(ROBOT, self.interface)
        self.arm.reset(SCENARIO.start(ROBOT), np.zeros(ROBOT.dof))
        self.checks = SentChecks(ROBOT, self.interface, PERIOD * 1e-9, exact=False)
        self.values = np.zeros(ROBOT.dof) if self.interface != "position" else self.arm.q.copy()
        self.time, self.offset, self.fastest = FIRST, 0, 0.0  # [ns], [ns] of its clock, [rad/s]
        self.broken: list[str] = []
        self._own: set[int] = set()  # stamps of this driver's states
        self._judged = 0.0  # time of the last command [s]
        self._executor = make_executor(self.context)
        self.nodes: list[Any] = []
        self.node = self.add(self._make_node) if node else None
        self.driver: Node = self.add(lambda: Node("driver", context=self.context))
        self._listen()

    def _make_node(self) -> ImpactQpNode:
        overrides = [Parameter(name, value=value) for name, value in self.settings.items()]
        return ImpactQpNode(context=self.context, parameter_overrides=overrides)

    def add(self, make: Callable[[], Any]) -> Any:
        """Add a node to those that are served."""
        node = make()
        self._executor.add_node(node)
        self.nodes.append(node)
        return node

    def _listen(self) -> None:
        driver = self.driver
        self.states = driver.create_publisher(JointState, "joint_states", STREAM)
        self.verdicts = driver.create_publisher(DetectorStatus, "impact_detector/status", STREAM)
        self.status: list[ControllerStatus] = []
        self.commands: list[JointCommand] = []
        self.plain: list[Float64MultiArray] = []
        self.log: list[str] = []
        for kind, topic, heard in (
            (ControllerStatus, "impact_qp/status", self.status.append),
            (JointCommand, "impact_qp/command", self._on_command),
            (Float64MultiArray, "impact_qp/commands", self._on_values),
            (Log, "/rosout", lambda message: self.log.append(message.msg)),
        ):
            profile = QoSProfile(depth=100) if kind is Log else RECORD
            driver.create_subscription(kind, topic, heard, profile)
        self.lifecycle = LifecycleClient(driver, "impact_qp", self.wait)

    def close(self) -> None:
        """End everything."""
        self._executor.shutdown()
        close(*reversed(self.nodes), context=self.context)

    # --- what arrives -------------------------------------------------------------------------

    def _on_values(self, message: Float64MultiArray) -> None:
        self.plain.append(message)
        if not np.isfinite(message.data).all():
            self.broken.append("not finite on ~/commands")

    def _on_command(self, message: JointCommand) -> None:
        """Judge a command; the arm moves with it from now on."""
        self.commands.append(message)
        values = np.array(message.values)
        if message.interface != JointCommand.INTERFACE_TORQUE or values.any():
            at = self._time_of(to_nanoseconds(message.header.stamp))
            for name in self.checks.judge(at, values, self.arm.state):
                self.broken.append(f"{name}: {np.array2string(values, precision=3)}")
        else:
            self.checks.put_to_rest()
        if values.shape == self.values.shape and np.isfinite(values).all():
            self.values = values

    def _time_of(self, stamp: int) -> float:
        """Return the time of a command [s]: of this driver's state, else a period after the last.

        Nobody knows better when the answer to somebody else's state leaves.
        """
        self._judged = stamp * 1e-9 if stamp in self._own else self._judged + PERIOD * 1e-9
        return self._judged

    # --- what is sent -------------------------------------------------------------------------

    def wait(self, condition: Callable[[], bool], limit: float = PATIENCE) -> bool:
        """Serve the nodes until a condition holds or a time [s] is over; tell whether it holds."""
        end, never = time.monotonic() + limit, Future()
        while not condition() and time.monotonic() < end:
            self._executor.spin_until_future_complete(never, timeout_sec=0.001)
        return condition()

    def need(self, condition: Callable[[], bool], what: str) -> None:
        """Wait for what must come.

        Raises:
            FaultError: it does not.
        """
        if not self.wait(condition, PATIENCE):
            raise FaultError(f"{what} did not come within {PATIENCE:g} s")

    def start(self) -> DdsArm:
        """Configure, meet, let the detector be ready, and activate."""
        self.need(self.lifecycle.ready, "the controller")
        self.lifecycle.request("configure")
        self.need(self.matched, "discovery")
        self.verdict()
        self.lifecycle.request("activate")
        return self

    def restart(self) -> DdsArm:
        """Put the arm back to where it began, for another controller."""
        self.arm.reset(SCENARIO.start(ROBOT), np.zeros(ROBOT.dof))
        self.checks.put_to_rest()
        self.need(lambda: not self.states.get_subscription_count(), "the end of the one before")
        return self

    def matched(self) -> bool:
        """Return whether the driver and the controller know each other."""
        own = (self.states, self.verdicts)
        return all(each.get_subscription_count() for each in own) and all(
            each.get_publisher_count() for each in list(self.driver.subscriptions)[:3]
        )

    def verdict(self, *, impact: bool = False, ready: bool = True) -> None:
        """Give the detection status."""
        message = DetectorStatus(impact=impact, ready=ready)
        from_nanoseconds(self.time + self.offset, message.header.stamp)
        self.verdicts.publish(message)

    def state(
        self, q: np.ndarray | None = None, dq: np.ndarray | None = None, stamp: int | None = None
    ) -> JointState:
        """Return a state, by default the true one now."""
        message = JointState(
            name=list(ROBOT.joint_names),
            position=(self.arm.q if q is None else q).tolist(),
            velocity=(self.arm.dq if dq is None else dq).tolist(),
            effort=[0.0] * ROBOT.dof,
        )
        stamp = self.time + self.offset if stamp is None else stamp
        from_nanoseconds(stamp, message.header.stamp)
        return message

    def show(self, message: JointState, limit: float = SILENCE) -> bool:
        """Publish a state; tell whether a command came."""
        count = len(self.commands)
        with contextlib.suppress(ValueError):
            self._own.add(to_nanoseconds(message.header.stamp))
        self.states.publish(message)
        return self.wait(lambda: len(self.commands) > count, limit)

    def cycles(self, count: int, lie: Callable[[JointState], Any] | None = None) -> None:
        """Let the arm move for some cycles, its states changed by ``lie``."""
        for k in range(count):
            if k % 10 == 0:
                self.verdict()
            message = self.state()
            if lie is not None:
                lie(message)
            self.show(message)
            self.move()

    def move(self, period: int = PERIOD) -> None:
        """Let the arm move under the last command."""
        self.time += period
        with np.errstate(all="ignore"):
            self.arm.step(self.values, period * 1e-9)
        self.fastest = max(self.fastest, float(np.abs(self.arm.dq).max()))
        if too_fast(ROBOT, self.arm.dq):
            raise FaultError(f"a joint moves at {self.fastest:.1f} rad/s; {self.story()}")

    # --- what must hold -----------------------------------------------------------------------

    def story(self) -> str:
        """Return what else is to be said."""
        said = self.status[-1].message if self.status else "nothing"
        return "; ".join([*dict.fromkeys(self.broken[:3]), f"status says {said!r}"])

    def expect(self, holds: object, what: str) -> None:
        """Demand that something holds.

        Raises:
            FaultError: it does not; says what was expected.
        """
        if not holds:
            raise FaultError(f"expected {what}; {self.story()}")

    def expect_sound(self) -> None:
        """Demand that every command so far was within all limits."""
        self.expect(not self.broken, "every command within all limits")

    def expect_rest(
        self, cycles: int = 800, lie: Callable[[JointState], Any] | None = None
    ) -> None:
        """Demand that the arm comes to rest."""
        self.cycles(cycles, lie)
        speed = float(np.abs(self.arm.dq).max())
        self.expect(speed < AT_REST, f"rest, got {speed:.2f} rad/s")

    def expect_zero_torque(self) -> None:
        """Demand that the commands end with zero torque, after a ramp of one command a period."""
        self.wait(lambda: not self.values.any(), RAMP)
        self.expect(not self.values.any(), "zero torque as the last command")

    @property
    def fault(self) -> str:
        """What the last status says."""
        return str(self.status[-1].message) if self.status else ""

    @property
    def gap(self) -> float:
        """Of the contact point to the surface [m]."""
        return SCENARIO.surface(ROBOT).gap(self.arm.state.position)
