# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One arm's control cycle: from a joint state to the command that answers it, or to rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Protocol

import numpy as np
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from sensor_msgs.msg import JointState

from impact_msgs.msg import ControllerStatus, DetectorStatus
from impact_qp.control.guarded_arm import GuardedArm
from impact_qp.ros.inputs import Inputs
from impact_qp.ros.outputs import Outputs
from impact_qp.ros.stamp_steps import StampSteps
from impact_qp.ros.supervision import CycleWatch
from impact_robots.exceptions import ImpactError
from impact_ros.messages import from_nanoseconds, to_nanoseconds
from impact_ros.node.checked_callback import checked_callback
from impact_ros.node.throttled_log import ThrottledLog
from impact_ros.state_stream import StateStream, StreamedState


class Watching(Protocol):
    """Parameters of when an arm is stopped, see :class:`.WatchingParameters`."""

    state_timeout: float
    max_consecutive_missed: int
    lockstep: bool


class ControlCycle:
    """Answers states at the rate of the controller; in lockstep each after its detection status.

    It never blocks: a timer ramps the commands to rest, one per period, without answering states.

    Attributes:
        name: namespace of the arm's topics; empty: the node's.
        watch: of the cycles' pace.
        inputs: states and detection status.
        outputs: commands and reports.
        steps: of the states' stamps, in lockstep.
        stamp: of the state answered last [ns], -1 before the first.
        state_timeout: age of state or detection status that is a fault [s].
    """

    def __init__(
        self,
        node: Node,
        guarded: GuardedArm,
        outputs: Outputs,
        watching: Watching,
        *,
        name: str = "",
        evidence_age: float = inf,
    ) -> None:
        """Answer what arrives by ``outputs``.

        Args:
            node: whose timers are used.
            guarded: the controller.
            outputs: commands and reports.
            watching: when to stop.
            name: namespace of the arm's topics; empty: the node's.
            evidence_age: largest difference of the stamps of a detection status and its state [s].
        """
        robot, self._period = guarded.controller.robot, guarded.controller.period
        self.name, self._node, self._guarded, self.outputs = name, node, guarded, outputs
        self._lockstep, self.state_timeout = watching.lockstep, watching.state_timeout
        self._log = ThrottledLog(node.get_logger())
        self.watch = CycleWatch(self._period, watching.max_consecutive_missed)
        self.inputs, self._stream = Inputs(robot, evidence_age), StateStream()
        self.steps = StampSteps(self._period)
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # goes on while simulated time stands
        self._answer_late = checked_callback(
            node, f"{self.label}joint_states", lambda _: self._answer_waiting(), self.drop_state
        )
        self._to_rest = node.create_timer(self._period, self._go_on_to_rest, clock=steady)
        self._to_rest.cancel()
        self._forget()

    def _forget(self) -> None:
        self.stamp, self._received = -1, 0.0
        self._pending: tuple[int, JointState | StreamedState] | None = None  # with its stamp [ns]

    def reset(self) -> None:
        """Start from no state received and no command sent."""
        for part in (self.watch, self.inputs, self.outputs):
            part.reset()
        self._forget()

    def destroy(self) -> None:
        """Destroy the timer and the publishers."""
        self._node.destroy_timer(self._to_rest)
        self.outputs.destroy()

    # --- what differs between arms ----------------------------------------------------------------

    def _arrived(self, stamp: int, arrival: float) -> None:
        """Note that a state has come, which may not be answered."""

    def _answer_waiting(self) -> None:
        """Answer the state that waits, unless others are to be answered first."""
        self.answer_pending()

    def _command(self, stamp: int, q: np.ndarray, dq: np.ndarray, impact: bool) -> Any:
        """Return the command for a state that was accepted, none if it must not be sent."""
        raise NotImplementedError

    def _note(self, command: Any, stamp: Any) -> dict[str, np.ndarray]:
        """Count what a command tells; return its motion, see :meth:`.Outputs.finish_answer`."""
        raise NotImplementedError

    def _described(self, command: Any, stamp: Any) -> ControllerStatus:
        """Return a command's status, without times."""
        raise NotImplementedError

    def _answered(self, command: Any, status: Callable[[], ControllerStatus]) -> None:
        """Do what follows an answer that was sent; ``status`` returns that of it."""

    def _described_rest(self, reason: str, stamp: Any) -> ControllerStatus:
        """Return the status of an arm whose commands go to rest."""
        raise NotImplementedError

    def _say_stopped(self, reason: str) -> None:
        """Let others know of a fault that is new."""
        raise NotImplementedError

    # --- the situation ----------------------------------------------------------------------------

    @property
    def fault(self) -> str:
        """Why the arm was stopped, "" while it was not."""
        return self._guarded.fault

    @property
    def engaged(self) -> bool:
        """Whether the arm is commanded, or would be if its states were usable."""
        return self._guarded.engaged

    @property
    def settling(self) -> bool:
        """Whether commands ramp to rest."""
        return self._guarded.settling

    @property
    def label(self) -> str:
        """Namespace of the arm's topics as a prefix."""
        return f"{self.name}/" if self.name else ""

    @property
    def waits(self) -> bool:
        """Whether a state is to be answered: in lockstep after its detection status."""
        if self._pending is None or self.settling or not self.engaged:
            return False
        return not self._lockstep or self.inputs.judged(self._pending[0])

    @property
    def pending(self) -> int | None:
        """Stamp of the state that waits [ns], none if none does."""
        return None if self._pending is None else self._pending[0]

    # --- what arrives -----------------------------------------------------------------------------

    def take_serialized_state(self, data: bytes) -> None:
        """Take a state in its serialized form, as :meth:`take_state`.

        Raises:
            ImpactError: the state is unusable.
        """
        self.take_state(self._stream.read(data))

    def take_state(self, message: JointState | StreamedState) -> None:
        """Take a state, and answer it unless something is still to come.

        A repeated one is answered as before in lockstep, where answers may be lost. Elsewhere a
        repeated stamp means that the driver has stalled; the time-out goes on.

        Raises:
            ImpactError: the state is unusable.
        """
        stamp, arrival = to_nanoseconds(message.header.stamp), time.perf_counter()
        self._arrived(stamp, arrival)
        if self._lockstep:
            self.steps.take(stamp)
        if not self.engaged:
            q, dq = self.inputs.read(message)
            self._guarded.look(stamp, q, dq)
            if not self._guarded.doubts:
                self.inputs.take_state(q, dq, stamp)
            return
        if stamp == self.stamp:
            if self._lockstep and self._guarded.answers:
                self.outputs.repeat_answer()
            return
        if not self._lockstep:
            self.look()  # first call after a pause: this or the watchdog
        if stamp < self.stamp:
            self.stop(f"clock jumped back by {(self.stamp - stamp) * 1e-9:.3f} s")
            self.watch.resume()
            self.stamp = stamp - 1  # one jump, one stop
        if self.settling:  # it is answered once the commands are at rest
            self._guarded.accepts(stamp, *self.inputs.read(message))
        self._pending, self._received = (stamp, message), arrival
        self._answer_waiting()

    def drop_state(self, _reason: str) -> None:
        """Count an unusable state."""
        self.watch.counts.dropped += 1

    def take_status(self, message: DetectorStatus) -> None:
        """Take the detection status; in lockstep, answer the state that waits for it.

        Raises:
            ImpactError: the status is unusable.
        """
        to_nanoseconds(message.header.stamp)
        self.inputs.take_status(message)
        if self._lockstep and self.engaged:
            self._answer_waiting()

    # --- what is answered -------------------------------------------------------------------------

    def answer_pending(self) -> None:
        """Answer the state that waits, if one does."""
        pending, started, before = self._pending, time.perf_counter(), self.fault
        if pending is None or not self.waits:
            return
        self._pending, (stamp, message) = None, pending
        try:
            q, dq = self.inputs.read(message)
            impact, command = self.inputs.impact(stamp), None
            if self._guarded.accepts(stamp, q, dq, impact=impact):
                if not (self._lockstep or self.watch.take(stamp, self._received)):
                    return  # it came faster than the rate
                if not self.fault and (problem := self.steps.problem or self.watch.problem):
                    self._guarded.stop(problem)
                command = self._command(stamp, q, dq, impact)
        except ImpactError as error:
            self.drop_state("")
            self._log.warning(f"{self.label}joint_states dropped: {error}")
            return
        self.stamp = max(stamp, self.stamp)
        if command is None:
            self.drop_state("")
        else:
            self.inputs.take_state(q, dq, stamp)
            self._send(command, stamp, message.header.stamp, time.perf_counter() - started)
        self._follow_up(before)

    def _send(self, command: Any, time: int, received_stamp: Any, solve_time: float) -> None:
        """Send a command, computed in ``solve_time`` [s], and its reports.

        Args:
            command: as of :meth:`_command`.
            time: stamp of the state which it answers [ns].
            received_stamp: the same as it came.
            solve_time: see above.
        """
        outputs = self.outputs
        outputs.begin_answer(self._guarded.controller.interface.values(command), received_stamp)
        cycle_time = outputs.sent - self._received
        if not self._lockstep:
            self.watch.answered(cycle_time)
        self.watch.counts.note = command.note
        stamp, made = from_nanoseconds(time), None
        motion = self._note(command, stamp)

        def status() -> ControllerStatus:
            nonlocal made
            if made is None:
                made = self._described(command, stamp)
                made.solve_time, made.cycle_time = solve_time, cycle_time
            return made

        outputs.finish_answer(status, stamp, **motion)
        self._answered(command, status)

    # --- what stops -------------------------------------------------------------------------------

    def look(self) -> None:
        """Stop if states or detection status stop arriving; outside lockstep."""
        if not self._guarded.answers:
            return
        states, status = self.inputs.state_age, self.inputs.status_age
        if states > self.state_timeout:
            self.lose(f"no joint state for {states:.3f} s")
        elif status > self.state_timeout:
            self.stop(f"no detector status for {status:.3f} s")

    def stop(self, reason: str) -> None:
        """Brake and hold until the node is activated again, unless that is so already."""
        if not self.fault:
            self._guarded.stop(reason)
            self._follow_up("")

    def lose(self, reason: str) -> None:
        """Ramp the commands to rest: a driver would hold the last one."""
        before = self.fault
        self._guarded.lose(reason)
        self._follow_up(before)

    def deactivate(self) -> None:
        """Brake for as long as states arrive, come to rest, then send nothing."""
        self._guarded.deactivate()
        self._follow_up(self.fault)

    def clean_up(self, reason: str) -> None:
        """Begin to come to rest without states, see :func:`bring_to_rest`."""
        self._guarded.clean_up(reason)
        self._follow_up(self.fault)

    def _follow_up(self, before: str) -> None:
        """Say what is new after an event, and start the ramp to rest if one is due."""
        if self.fault and not before:
            self._say_stopped(self.fault)
        if self.settling and self._to_rest.is_canceled():
            stamp = from_nanoseconds(max(self.stamp, 0))
            self.outputs.report(self._described_rest(self._guarded.resting, stamp))
            self._to_rest.reset()  # the first one follows a period after the last command, or later

    # --- the ramp to rest -------------------------------------------------------------------------

    def _go_on_to_rest(self) -> None:
        """Send the next command of the ramp to rest, once a period; then answer what waits."""
        if not self.settle():
            self._answer_late(None)

    def settle(self) -> bool:
        """Send the next command of the ramp to rest; return whether another one may follow."""
        values = self._guarded.settle()
        if values is None:
            self._to_rest.cancel()
            self.watch.resume()
            return False
        self.outputs.send(values, from_nanoseconds(max(self.stamp, 0)))
        return True


def bring_to_rest(cycles: Sequence[ControlCycle], period: float) -> None:
    """Complete the ramps to rest that have begun; takes about 0.1 s.

    Args:
        cycles: of the arms.
        period: between two commands, and after the last answer [s].
    """
    due = max((time.perf_counter(), *(each.outputs.sent + period for each in cycles)))
    while any(each.settling for each in cycles):
        time.sleep(max(0.0, due - time.perf_counter()))
        due += period
        for each in cycles:
            each.settle()
