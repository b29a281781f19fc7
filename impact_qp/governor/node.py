# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The governor as a lifecycle node: commands of another controller in, slower ones out."""

from __future__ import annotations

import time
from typing import Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64

from impact_msgs.msg import ControllerStatus
from impact_qp.control.state_machine import Fault
from impact_qp.control.status import Counts
from impact_qp.governor.command_stream import CommandStream, Moment
from impact_qp.governor.governor import SILENCE, Capped, Governor, MeasuredState
from impact_qp.governor.parameters import GovernorParameters
from impact_qp.governor.streams import STREAMS
from impact_qp.governor.trajectory_stream import SHORTEST
from impact_qp.plan_parameters import warn_of_later_effect
from impact_qp.ros.diagnostics import DiagnosticsReporter
from impact_qp.ros.messages import status_message
from impact_qp.ros.outputs import wait_for_last
from impact_ros.exceptions import MessageError
from impact_ros.messages import NANOSECONDS, JointReader, from_nanoseconds, to_nanoseconds
from impact_ros.node.checked_callback import checked_callback
from impact_ros.node.lifecycle_node import SuiteLifecycleNode
from impact_ros.node.main import main_for
from impact_ros.node.spin import freeze_garbage
from impact_ros.parameters import current, declare
from impact_ros.qos import SENSOR, STREAM
from impact_ros.state_stream import StateStream

LOOK_EVERY = 0.01  # for silence [s]
UNUSABLE = "no usable joint state"
SPARE = 2e-4  # for deferred work of the limits after a command, or before the next state [s]


class ImpactGovernorNode(SuiteLifecycleNode):
    """Passes on commands of another controller, slowed so that no impact is too fast.

    While active each command is answered by one of the same type: times a factor from 0 to 1, see
    :class:`.Governor`. Until the next one velocities are slowed down further where necessary, and a
    trajectory is passed on along its path. Unusable commands or states, and 100 ms without
    commands: zero velocity, or the last position. Inactive, it passes nothing on; deactivated, it
    sends a last such rest.
    """

    PARAMETERS = GovernorParameters

    def __init__(self, **options: Any) -> None:
        """Declare the parameters; everything else waits for `configure`."""
        super().__init__("impact_governor", **options)
        self._governor: Governor | None = None
        self._active = False
        declare(self, GovernorParameters)
        warn_of_later_effect(self, lambda: self._governor is not None)

    # --- from configure to cleanup ----------------------------------------------------------------

    def set_up(self) -> str:
        """Load the robot, create the governor and the topics."""
        settings = current(self, GovernorParameters)
        robot = settings.load_robot()
        stream = STREAMS[settings.interface](robot)
        governor = settings.governor(robot, stream.motion)
        self._settings, self._stream, self._governor = settings, stream, governor
        self._reader, self._states = JointReader(robot.joint_names), StateStream()
        self._counts = Counts()
        self._forget()
        self._make_topics(stream)
        freeze_garbage()
        surfaces = len(settings.surfaces())
        limits = f" ({governor.limits_name})" if surfaces else ""
        return (
            f"{robot.name}, interface {settings.interface}, surfaces: {surfaces}{limits},"
            f" anywhere_speed {settings.anywhere_speed:g} m/s"
        )

    def _forget(self) -> None:
        """Restart without a state and a command."""
        self._state: MeasuredState | None = None
        self._state_at = self._command_at = 0.0  # [s of a steady clock]
        self._fault = ""
        self._time = 0  # of the last command, by the clock of the states [ns]
        self._commanded, self._caught_up = False, True

    def _make_topics(self, stream: CommandStream) -> None:
        """Subscribe and advertise; watch for silence by a clock that never stands."""
        make, topic = self.create_publisher, f"~/{stream.topic}"
        self._commands = make(stream.kind, topic, STREAM)
        self._factor = make(Float64, "~/factor", STREAM)
        self._status = make(ControllerStatus, "~/status", STREAM)
        self._listeners = [
            self.create_subscription(
                kind,
                name,
                checked_callback(self, name, callback, dropped),
                SENSOR,
                raw=kind is JointState,
            )
            for kind, name, callback, dropped in (
                (JointState, "joint_states", self._take_state, self._drop_state),
                (stream.kind, f"{topic}_in", self._take_command, self._drop_command),
            )
        ]
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._diagnostics = DiagnosticsReporter(
            self,
            steady,
            {
                "joint_states": "the arm's",
                f"{topic}_in": "the controller's",
                self._commands.topic_name: "this node's",
            },
            lambda: (self._fault, self._counts, self.newest),
        )
        self._watchdog = None
        if not self._settings.lockstep:
            self._watchdog = self.create_timer(LOOK_EVERY, self._look, clock=steady)

    def release(self, reason: str) -> None:
        """Rest, and destroy the resources of `configure`."""
        if self._governor is None:
            return
        if self._active:
            self.stop()
        wait_for_last(self._commands)
        self._governor = None
        self._diagnostics.destroy()
        if self._watchdog is not None:
            self.destroy_timer(self._watchdog)
        for subscription in self._listeners:
            self.destroy_subscription(subscription)
        for publisher in (self._commands, self._factor, self._status):
            self.destroy_publisher(publisher)

    # --- while configured -------------------------------------------------------------------------

    def begin(self) -> str:
        """Pass commands on from now on, if the arm is where the surfaces allow."""
        assert self._governor is not None
        if self._state is None or self._stale:
            return "no joint state yet"
        self._governor.reset()
        if reason := self._governor.refusal(self._state):
            return reason
        self._counts, self._commanded, self._active, self._fault = Counts(), False, True, ""
        self._stream.forget()
        return ""

    def stop(self) -> None:
        """Send a rest, and then nothing."""
        if self._active and self._commanded:
            self._rest("deactivated")
        self._active = False
        self._report(None, "deactivated")

    @property
    def newest(self) -> int | None:
        """Stamp of the last usable state, None before the first [ns]."""
        return None if self._state is None else self._state.time

    @property
    def _stale(self) -> bool:
        """Whether the last usable state is too old."""
        age = 0.0 if self._settings.lockstep else time.monotonic() - self._state_at
        return age > self._settings.state_timeout

    def _take_state(self, data: bytes) -> None:
        """Store a state that can be used, and pass on more of a trajectory."""
        assert self._governor is not None
        message = self._states.read(data)
        q, dq, _ = self._reader.read(message)
        state = MeasuredState(to_nanoseconds(message.header.stamp), q, dq)
        if self._state is not None and state.time < self._state.time:
            self._time = 0  # a clock that went back: the governor rests once
        if not self._caught_up:  # no command came since the last state
            self._catch_up()
        self._caught_up = False
        if problem := self._governor.look(state):
            raise MessageError(problem)
        if self._state is None or state.time != self._state.time:  # else the driver has stalled
            self._state, self._state_at = state, time.monotonic()
        if self._active and self._stream.goes_on:
            self._go_on()

    def _drop_state(self, line: str) -> None:
        self._counts.dropped += 1

    def _take_command(self, message: Any) -> None:
        """Answer a command."""
        if not self._active:
            return
        received, self._commanded = time.perf_counter(), True
        self._command_at = time.monotonic()
        if (moment := self._moment()) is None:
            self._rest(UNUSABLE)
            return
        self._answer(self._stream.read(message, moment), moment, received)

    def _go_on(self) -> None:
        """Judge again, not too often, what moves the arm on without a further message."""
        received, moment = time.perf_counter(), self._moment()
        if moment is None:
            self._rest(UNUSABLE)
            return
        if moment.now - self._time < SHORTEST * NANOSECONDS:
            return
        try:
            values = self._stream.following(moment)
        except MessageError as error:
            self._rest(str(error))
            return
        if self._stream.ends_by_itself:
            self._command_at = time.monotonic()
        self._answer(values, moment, received)

    def _moment(self) -> Moment | None:
        """Return the present one, None without a usable state."""
        state, governor = self._state, self._governor
        if state is None or governor is None or governor.point is None or self._stale:
            return None
        since = 0.0 if self._settings.lockstep else time.monotonic() - self._state_at
        now = max(self._time, state.time + round(since * NANOSECONDS))
        elapsed = (now - self._time) / NANOSECONDS
        elapsed = elapsed if elapsed <= SILENCE else 0.0
        return Moment(now, elapsed, governor.point, governor.start)

    def _answer(self, values: Any, moment: Moment, received: float) -> None:
        """Send what the governor makes of numbers, of a command received at a time [s]."""
        assert self._governor is not None
        assert self._state is not None
        computing, self._time = time.perf_counter(), moment.now
        capped = self._governor.cap(self._state, values, time=moment.now)
        computed = time.perf_counter()
        self._send(capped)
        self._counts.answered += 1
        self._report(
            capped,
            solve_time=computed - computing,
            cycle_time=time.perf_counter() - received,
        )
        if self._watchdog is not None:
            self._watchdog.reset()  # it is for silence: it would delay some commands of a stream
        self._catch_up()

    def _catch_up(self) -> None:
        """Run deferred work of the limits; without a deadline the next state would wait for it."""
        assert self._governor is not None
        self._governor.catch_up(time.perf_counter() + SPARE)
        self._caught_up = True

    def _drop_command(self, line: str) -> None:
        """Rest instead of an unusable command."""
        self._counts.dropped += 1
        if self._active:
            self._rest(line)

    def _look(self) -> None:
        """Rest while no commands come, and slow down between them."""
        if not self._active:
            return
        if not self._commanded:
            self._report(None, "no command yet", mode="idle")
        elif time.monotonic() - self._command_at > SILENCE:
            self._rest(f"no command for {SILENCE:g} s")
        elif self._stream.goes_on:
            self._go_on()

    def _rest(self, reason: str) -> None:
        """Send zero velocity, or the last position."""
        assert self._governor is not None
        capped = self._governor.rest(self._governor.fault or reason)
        self._send(capped)
        self._report(capped)

    def _send(self, capped: Capped) -> None:
        """Send a command, if there is one."""
        if capped.rests:
            self._stream.forget()
        if capped.values is not None:
            factor = 0.0 if capped.rests else capped.factor
            self._commands.publish(self._stream.written(capped.values, factor))

    def _report(self, capped: Capped | None, text: str = "", **known: Any) -> None:
        """Publish the status and, with a command, its factor."""
        assert self._governor is not None
        fault, state = self._governor.fault, self._state
        if fault and fault != self._fault:
            self.get_logger().error(f"{fault}; until the next activation")
        self._fault = fault
        if capped is not None:
            if self._factor.get_subscription_count():
                self._factor.publish(Float64(data=capped.factor))
            slowed = [capped.reason] if capped.reason and not capped.rests else []
            text = capped.reason if capped.rests else text
            known |= {
                "mode": "hold" if capped.rests else "govern",
                "active_constraints": slowed,
                "normal_speed": capped.normal_speed,
                "speed_bound": capped.bound,
                "gap": capped.gap,
            }
        if not self._status.get_subscription_count():
            return  # messages to nobody are converted, too
        factor = 0.0 if capped is None else capped.factor
        stamp = from_nanoseconds(0 if state is None else state.time)
        kind, limits = Fault.STOPPED if fault else Fault.NONE, self._governor.limits_name
        status = status_message(
            self._counts, text, stamp, fault=kind, limits=limits, factor=factor, **known
        )
        self._status.publish(status)


main = main_for(ImpactGovernorNode)

if __name__ == "__main__":
    raise SystemExit(main())
