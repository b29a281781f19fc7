# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller of a humanoid's grab as a lifecycle node: a state in, joint positions out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from sensor_msgs.msg import JointState

from impact_qp.ros.diagnostics import DiagnosticsReporter
from impact_qp.ros.stamp_steps import StampSteps
from impact_qp.ros.supervision import CycleWatch
from impact_qp.watching_parameters import WatchingParameters
from impact_robots.exceptions import ImpactError
from impact_ros.boundary import guarded
from impact_ros.lifecycle_node import SuiteLifecycleNode
from impact_ros.main import main_for
from impact_ros.messages import from_nanoseconds, to_nanoseconds
from impact_ros.parameters import declare, parameter
from impact_ros.qos import LOCKSTEP, SENSOR
from impact_ros.spin import freeze_garbage
from impact_ros.throttled_log import ThrottledLog
from impact_sim.humanoid.grab_file import find_grab
from impact_sim.humanoid.grab_scenario import LIMITS_OF_GRABS
from impact_sim.humanoid.simulation import PERIOD
from impact_trials.grab.guarded_grab import GrabAnswer, GuardedGrab
from impact_trials.grab.humanoid_inputs import BASE, JOINTS, HumanoidReader, StampedSets
from impact_trials.grab.humanoid_port import HumanoidPort

OWN_LIMITS = "scenario"  # the impact limits that the scenario names


@dataclass(frozen=True)
class GrabParameters(WatchingParameters):
    """Parameters of the controller of a humanoid's grab."""

    scenario: str = parameter("qp_hrp4_grab", "Named scenario of a humanoid's grab, or its YAML")
    impact_limits: str = parameter(
        OWN_LIMITS, "Which impulses must be safe", choices=(OWN_LIMITS, *LIMITS_OF_GRABS)
    )
    state_timeout: float = parameter(
        0.1, "End the grab when no state was usable for longer", unit="s", low=0.005, high=10.0
    )
    lockstep: bool = parameter(False, "Answer each state; no watchdog (simulation)")


class ImpactHumanoidNode(SuiteLifecycleNode):
    """Grabs boxes with both palms of a humanoid whose joints have position servos.

    Answers each state while active; a state is what joints, base, palms and soles say with one
    stamp. Once it was active, the answer to whatever goes wrong is the positions that were
    commanded last: servos then hold the robot up. A state that cannot be used is answered so, and
    the grab goes on; silence, a clock that jumps back, a fall, deactivation or a command that must
    not be sent end it.
    """

    PARAMETERS = GrabParameters

    def __init__(self, **options: Any) -> None:
        """Declare the parameters; everything else waits for `configure`."""
        super().__init__("impact_humanoid", **options)
        self.settings = declare(self, GrabParameters)
        self._log = ThrottledLog(self.get_logger())
        self._grab: GuardedGrab | None = None
        self._engaged = False  # it was active since it was configured: states are answered

    # --- the life cycle -----------------------------------------------------------------------

    def set_up(self) -> str:
        """Make the controller, the topics and the watchdog."""
        settings = self.settings
        scenario = find_grab(settings.scenario)
        if settings.impact_limits != OWN_LIMITS:
            scenario = replace(scenario, impact_limits=settings.impact_limits)
        self._grab = GuardedGrab(scenario)
        self._watch = CycleWatch(PERIOD, settings.max_consecutive_missed)
        self._make_topics(scenario.impact_limits)
        self._forget()
        freeze_garbage()
        return f"{scenario.name}, {scenario.impact_limits}"

    def _make_topics(self, limits: str) -> None:
        """Publish, subscribe, report, and watch outside lockstep."""
        assert self._grab is not None
        robot, lockstep = self._grab.robot, self.settings.lockstep
        self._port = HumanoidPort(self, robot, limits, lockstep=lockstep)
        self._reader = HumanoidReader(robot)
        kinds = {JOINTS: JointState, BASE: Odometry}
        self._listeners = [
            self.create_subscription(
                kinds.get(topic, WrenchStamped),
                topic,
                guarded(self, topic, self._taker(topic), self._drop),
                LOCKSTEP if lockstep else SENSOR,
            )
            for topic in self._reader.topics
        ]
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # watches while simulated time stands
        self._diagnostics = DiagnosticsReporter(
            self, steady, JOINTS, lambda: (self.fault, self._watch.counts)
        )
        self._watchdog = None
        if not lockstep:
            half = self.settings.state_timeout / 2.0
            self._watchdog = self.create_timer(half, self._look, clock=steady)

    def _forget(self) -> None:
        """Begin to wait for states."""
        self._sets, self._steps = StampedSets(self._reader.topics), StampSteps(PERIOD)
        self._stamp, self._last = -1, time.monotonic()
        self._silent = False

    @property
    def fault(self) -> str:
        """Why the grab was ended, "" while it was not."""
        return "" if self._grab is None else self._grab.fault

    def begin(self) -> str:
        """Begin with the next state, if there is somebody to say all of it."""
        assert self._grab is not None
        dumb = [topic for topic in self._reader.topics if not self.count_publishers(topic)]
        if dumb:
            return f"nobody publishes {', '.join(dumb)}"
        self._grab.reset()
        self._watch.reset()
        self._forget()
        self._engaged = True
        return ""

    def stop(self) -> None:
        """Hold for as long as states arrive."""
        if self._grab is not None:
            self._grab.stop("deactivated")

    def release(self, reason: str) -> None:
        """Send the last positions once more, and release everything."""
        if self._grab is None:
            return
        self.get_logger().info(f"{reason} by request")
        if self._engaged:
            self._port.repeat()
            stamp = from_nanoseconds(max(self._stamp, 0))
            self._port.report(self._watch.counts, reason, stamp)
        self._engaged, self._grab = False, None
        for subscription in self._listeners:
            self.destroy_subscription(subscription)
        self._port.destroy()
        self._diagnostics.destroy()
        if self._watchdog is not None:
            self.destroy_timer(self._watchdog)

    # --- what arrives -------------------------------------------------------------------------

    def _taker(self, topic: str) -> Callable[[Any], None]:
        """Return what takes the messages of a topic."""

        def take(message: Any) -> None:
            stamp = to_nanoseconds(message.header.stamp)
            if stamp < self._stamp:
                self._watch.counts.dropped += 1  # it is late; were all of them, the clock went back
            whole = self._sets.add(topic, stamp, message)
            if whole is not None and self._engaged:
                self._take_state(stamp, whole)

        return take

    def _drop(self, _line: str) -> None:
        self._watch.counts.dropped += 1

    def _take_state(self, stamp: int, messages: dict[str, Any]) -> None:
        """Answer what all topics say of one time."""
        received, lockstep = time.perf_counter(), self.settings.lockstep
        if stamp == self._stamp:
            if lockstep:
                self._port.repeat()
            return
        if stamp < self._stamp:
            self._end(f"clock jumped back by {(self._stamp - stamp) * 1e-9:.3f} s")
            self._watch.resume()
        self._sets.forget(stamp)
        if lockstep:
            self._steps.take(stamp)
        elif not self._watch.take(stamp, received):
            return
        if problem := self._steps.problem or self._watch.problem:
            self._end(problem)
        answer = self._answer(stamp, messages)
        self._send(answer, stamp, messages[JOINTS].header.stamp, received)
        if not lockstep:
            self._watch.answered(time.perf_counter() - received)

    def _answer(self, stamp: int, messages: dict[str, Any]) -> GrabAnswer:
        """Return the answer to messages of one time, and say why it is no more than holding."""
        assert self._grab is not None
        timeout, before = self.settings.state_timeout, self._grab.fault
        try:
            answer = self._grab.answer(stamp, self._reader.read(messages), timeout)
        except ImpactError as error:
            answer = self._grab.held(stamp, str(error), timeout)
        if self._grab.fault and not before:
            self._say_ended()
        elif answer.problem and not self._grab.fault:
            self._watch.counts.dropped += 1
            self._log.warning(f"held: {answer.problem}")
        return answer

    def _send(self, answer: GrabAnswer, stamp: int, header_stamp: Any, received: float) -> None:
        """Send an answer with its reports."""
        assert self._grab is not None
        self._stamp, self._last, self._silent = stamp, time.monotonic(), False
        counts = self._watch.counts
        counts.infeasible = self._grab.infeasible
        took = time.perf_counter() - received
        self._port.answer(answer, counts, (took, took), header_stamp)

    # --- what ends the grab -------------------------------------------------------------------

    def _end(self, reason: str) -> None:
        """End the grab where it is, and say so once."""
        if self._grab is None or self._grab.fault:
            return
        self._grab.stop(reason)
        self._say_ended()

    def _say_ended(self) -> None:
        self.get_logger().error(f"the grab was ended: {self.fault}; the last positions are held")

    def _look(self) -> None:
        """End the grab when states fall silent; the servos hold what they were sent."""
        silent = time.monotonic() - self._last
        if not self._engaged or self._silent or silent <= self.settings.state_timeout:
            return
        self._silent = True
        self._end(f"no state for {silent:.3f} s: none of {', '.join(self._sets.missing)}")
        stamp = from_nanoseconds(max(self._stamp, 0))
        self._port.repeat()
        self._port.report(self._watch.counts, self.fault, stamp)
        self._watch.resume()


main = main_for(ImpactHumanoidNode)

if __name__ == "__main__":
    raise SystemExit(main())
