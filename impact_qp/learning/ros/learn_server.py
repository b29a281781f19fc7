# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The action `learn_surface`: hits, one after the other, until the goal ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future as Work
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.task import Future

from impact_msgs.action import ExecuteImpact, LearnSurface
from impact_qp.control.state_machine import Event, StateMachine
from impact_qp.exceptions import ControlError
from impact_qp.goals.goal import (
    CANCELED,
    INPUT_LOST,
    INTERNAL_ERROR,
    NOT_FEASIBLE,
    OK,
    UNSAFE,
    End,
    unforeseen,
)
from impact_qp.learning.hit_record import HitRecorder
from impact_qp.learning.ros.hit_client import NAME, HitClient
from impact_qp.learning.ros.learn_messages import feedback, hit_goal, result
from impact_qp.learning.surface_learner import SurfaceLearner
from impact_robots.exceptions import ImpactError

# Codes of LearnSurface beside those that ExecuteImpact has, too.
HIT_FAILED, NO_EVENT, BAD_RECORD = 4, 7, 10
LOOK_EVERY = 0.02  # period of checks while waiting [s]
FOUND_WITHIN = 3.0  # longest time to find the controller's action after a goal [s]
ENDS = {OK: Event.GOAL_REACHED, CANCELED: Event.GOAL_CANCELED}  # by code; others: it failed
STILL = 0.5  # time without a state after which a simulation in lockstep has stopped [s]


class LearnServer:
    """Executes one goal at a time; others are rejected meanwhile.

    Attributes:
        recorder: of the hits.
    """

    def __init__(
        self,
        node: Any,
        machine: StateMachine,
        begin: Callable[[LearnSurface.Goal], SurfaceLearner | End],
    ) -> None:
        """Offer the action for the lifetime of the node, so that every client gets its result.

        Args:
            node: that offers it.
            machine: situation of the node; informed of accepted goals and of their ends.
            begin: creates the learner, or returns why not, as before :meth:`configure`.
        """
        self._node, self._machine, self._begin = node, machine, begin
        self._client = HitClient(node)
        self._pool = ThreadPoolExecutor(1, "learner")  # this node controls nothing in time
        self._busy = False
        self._state_time = self._command_time = 0.0  # of a monotonic clock [s]
        self._reset()
        self._server = ActionServer(
            node,
            LearnSurface,
            "~/learn_surface",
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )

    def configure(
        self, recorder: HitRecorder, *, cap: float, silence: float, lockstep: bool = False
    ) -> None:
        """Set the resources for goals.

        Args:
            recorder: that receives states, commands and events.
            cap: of the speed of any hit [m/s].
            silence: of states or commands, after which a hit is cancelled and the goal ends [s].
            lockstep: plan a hit only once no states arrive any more, so that the number of those
                before it does not depend on how long an estimate takes.
        """
        self.recorder = recorder
        self._cap, self._silence, self._lockstep = cap, silence, lockstep

    def _reset(self) -> None:
        """Forget the last goal."""
        self._handle: Any = None
        self._learner: SurfaceLearner | None = None
        self._hit_code = 0
        self._hitting = self._settling = self._seeking = False
        self._came = time.monotonic()  # the goal
        self._ending: End | None = None  # requested from outside
        self._work: Work | None = None
        self._waiting: Future | None = None
        self._lost = ""  # problem of the last unusable message

    def destroy(self) -> None:
        """Withdraw the action; idempotent."""
        if self._server not in self._node.waitables:
            return
        self._server.destroy()
        self._client.destroy()
        self._pool.shutdown(wait=False, cancel_futures=True)

    # --- what comes in ------------------------------------------------------------------------

    def hear(self, *, state: bool = True, command: bool = True) -> None:
        """Note that a usable state, a usable command, or both were received."""
        now = time.monotonic()
        self._state_time = now if state else self._state_time
        self._command_time = now if command else self._command_time

    def note_dropped(self, line: str) -> None:
        """Store why a message was unusable."""
        self._lost = line

    def stop(self, end: End) -> None:
        """Cancel the present hit, if any, and end the goal at once."""
        if not self._busy:
            return
        self._ending = self._ending or end
        self._client.cancel()
        self._wake(self._ending)

    def look(self) -> None:
        """Check whether the awaited result has arrived, or must not be awaited any longer."""
        if not self._busy or self._handle is None:
            return
        if self._work is not None and self._work.done():
            self._wake(self._work)
        if self._seeking and (self._client.ready or time.monotonic() - self._came > FOUND_WITHIN):
            self._wake(None)
        if self._settling and time.monotonic() - self._state_time > STILL:
            self._wake(None)
        if self._handle.is_cancel_requested and self._ending is None:
            self._ending = End(CANCELED, "cancelled")
            self._client.cancel()
            if not self._hitting:  # else its result is awaited: the arm then brakes
                self._wake(self._ending)
        elif self._hitting and (reason := self._silent()):
            self.stop(End(INPUT_LOST, reason))

    def _silent(self) -> str:
        """Return which stream stopped, "" if none did."""
        if time.monotonic() - self._command_time > self._silence:
            why = "is the controller alive?" + self._why()
            return self._stateless() or f"no usable command for {self._silence:g} s: {why}"
        return self._stateless()

    def _stateless(self) -> str:
        """Return for how long states have been missing, "" if they arrive."""
        if time.monotonic() - self._state_time > self._silence:
            return f"no usable joint state for {self._silence:g} s{self._why()}"
        return ""

    def _why(self) -> str:
        return f" ({self._lost})" if self._lost else ""

    # --- one goal -----------------------------------------------------------------------------

    def _on_goal(self, goal: LearnSurface.Goal) -> GoalResponse:
        """Accept a goal unless one is running."""
        if self._busy:
            self._machine.take(Event.GOAL_REFUSED)
            self._node.get_logger().warning("goal rejected: a surface is being learned")
            return GoalResponse.REJECT
        self._busy = True
        self._reset()
        return GoalResponse.ACCEPT

    async def _execute(self, handle: Any) -> LearnSurface.Result:
        """Execute a goal and report its end."""
        self._handle = handle
        try:
            end = await self._hits(handle)
        except Exception as error:  # after any error no hit follows
            self._client.cancel()
            end = End(INTERNAL_ERROR, unforeseen(error))
        self._busy = False
        if self._learner is not None:
            self._machine.take(ENDS.get(end.code, Event.GOAL_FAILED), end.message)
        self._node.get_logger().info(f"goal ended with code {end.code}: {end.message}")
        if end.code == OK:
            handle.succeed()
        elif end.code == CANCELED:
            handle.canceled()
        else:
            handle.abort()
        return result(end, self._learner, self._hit_code)

    async def _hits(self, handle: Any) -> End:
        """Make the hits of a goal."""
        begun = self._begin(handle.request)
        if isinstance(begun, End):
            self._machine.take(Event.GOAL_REFUSED, begun.message)
            return begun
        self._machine.take(Event.GOAL_ACCEPTED)
        learner = self._learner = begun
        while not learner.done:
            end = await self._hit(handle, learner)
            if end is not None:
                return end
        return End(OK, f"{len(learner.hits)} hits")

    async def _hit(self, handle: Any, learner: SurfaceLearner) -> End | None:
        """Plan a hit, make it, learn from it; return why no other one follows."""
        if not self._client.ready:  # discovery takes seconds
            self._seeking = True
            end = await self._first_of(None)
            self._seeking = False
            if end is not None:
                return end
        if (refusal := self._refusal()) is not None:
            return refusal
        if self._lockstep:
            self._settling = True
            end = await self._first_of(None)
            self._settling = False
            if end is not None:
                return end
        hit = await self._computed(NOT_FEASIBLE, learner.next_hit, self.recorder.position)
        if isinstance(hit, End):
            return hit
        handle.publish_feedback(feedback(learner, hit))
        self.recorder.begin()
        self.hear()
        asked = self._client.ask(hit_goal(handle.request.contact, hit, self._cap))
        self._hitting = True
        done = await self._first_of(asked)
        self._hitting = False
        if isinstance(done, ExecuteImpact.Result):
            self._hit_code = done.code
        if (end := self._ending or self._failure(hit.number, done)) is not None:
            self._remember(learner)
            return end
        try:
            recorded = self.recorder.hit()
        except ControlError as error:
            return End(BAD_RECORD, f"hit {hit.number}: {error}")
        learned = await self._computed(BAD_RECORD, learner.learn, recorded)
        if isinstance(learned, End):
            return End(learned.code, f"hit {hit.number}: {learned.message}")
        handle.publish_feedback(feedback(learner, hit, learned))
        return End(UNSAFE, learner.problem) if learner.problem else None

    def _remember(self, learner: SurfaceLearner) -> None:
        """Let the load of a hit count that something else ended, if its record is complete."""
        try:
            learner.remember(self.recorder.hit())
        except ImpactError:
            return

    def _refusal(self) -> End | None:
        """Return why a hit must not be requested."""
        if self.recorder.position is None:
            return End(INPUT_LOST, f"no usable joint state yet {self._lost}".rstrip())
        if not self._client.ready:
            return End(HIT_FAILED, f"no controller offers {NAME}")
        if not self._lockstep and (reason := self._stateless()):  # else the simulation stands still
            return End(INPUT_LOST, reason)
        return None

    def _failure(self, number: int, done: ExecuteImpact.Result | None) -> End | None:
        """Return how a hit failed."""
        if done is None:
            return End(HIT_FAILED, f"hit {number}: the controller rejected the goal")
        if done.code != OK:
            return End(HIT_FAILED, f"hit {number}: {done.message or f'code {done.code}'}")
        if not self.recorder.detected:
            return End(NO_EVENT, f"hit {number}: the detector reported no impact")
        return None

    async def _computed(self, code: int, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of a function computed in a thread, or with ``code`` why it failed."""
        self._work = self._pool.submit(function, *arguments)
        work = await self._first_of(None)
        self._work = None
        if self._ending is not None:
            return self._ending
        try:
            return work.result()
        except ImpactError as error:
            return End(code, str(error))

    async def _first_of(self, future: Future | None) -> Any:
        """Wait for a future, or until :meth:`_wake`."""
        waiting = self._waiting = Future(executor=self._node.executor)
        if future is not None:
            future.add_done_callback(lambda done: _settle(waiting, done.result()))
        found = await waiting
        self._waiting = None
        return found

    def _wake(self, value: Any) -> None:
        """Resume with a value, if something is awaited."""
        if self._waiting is not None:
            _settle(self._waiting, value)


def _settle(future: Future, value: Any) -> None:
    """Give a future its result, unless it has one."""
    if not future.done():
        future.set_result(value)
