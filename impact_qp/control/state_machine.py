# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Goals, lifecycle, motion and faults of any node that commands a robot: one pure state machine.

It has no ROS, clock or robot. A node reports each :class:`Event` and executes the returned
:class:`Action` items in order. :func:`after` defines the complete behaviour: a test enumerates
every reachable situation and event, and doc/topics.md shows the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import NamedTuple


class Lifecycle(Enum):
    """State of the lifecycle node."""

    UNCONFIGURED = "unconfigured"
    INACTIVE = "inactive"
    ACTIVE = "active"


class MotionState(Enum):
    """Commanded motion of the robot."""

    SILENT = "silent"  # nothing is sent
    HOLD = "hold"  # stays where it is
    MOVE = "move"  # executes the request
    BRAKE = "brake"  # brakes within a bounded time
    RAMP = "ramp"  # commands ramp to rest without states
    REST = "rest"  # commands are at rest; nothing is sent until usable states are back


_ANSWERED = MotionState.HOLD, MotionState.MOVE, MotionState.BRAKE


class Asked(Enum):
    """Requester of the present motion."""

    NOBODY = "nobody"
    PARAMETER = "parameter"  # the approach at activation
    GOAL = "goal"  # of an action, whose result is not out yet
    LASTING = "lasting"  # a reached goal that continues, such as pressing


class Fault(Enum):
    """Fault that blocks motion until the next activation."""

    NONE = "none"
    STOPPED = "stopped"  # the robot is held
    LATCHED = "latched"  # states or commands are invalid: nothing is commanded


class Event(Enum):
    """Possible events."""

    CONFIGURED = "configured"
    ACTIVATED = "activated, to wait for goals"
    ACTIVATED_TO_MOVE = "activated, to approach at once"
    ACTIVATION_REFUSED = "activation refused"
    DEACTIVATED = "deactivated"
    CLEANED_UP = "cleaned up, or shut down"
    GOAL_ACCEPTED = "goal accepted"
    GOAL_REFUSED = "goal refused"
    GOAL_CANCELED = "goal canceled"
    GOAL_FAILED = "goal timed out, or failed"
    GOAL_REACHED = "goal reached"
    FINISHED = "motion finished"
    AT_REST = "robot at rest, or the time to brake is over"
    PUSHED = "robot pushed away while it holds"
    FAULT = "fault while states are usable"
    STATES_LOST = "states lost"
    STATES_BACK = "usable states back"
    DISTRUST = "states or commands not to be trusted"
    RAMPED = "commands at rest"


class Action(Enum):
    """Actions of the node."""

    RESET = "start anew from the measured state"
    BEGIN = "begin the motion"
    STOP = "brake, then hold"
    HOLD_ANEW = "hold where the robot is now"
    RAMP = "bring the commands to rest"
    SILENCE = "bring the commands to rest, then send nothing"
    END_GOAL = "end the goal"
    REFUSE = "answer the request only"


class NodeState(NamedTuple):
    """Complete state of the machine."""

    lifecycle: Lifecycle = Lifecycle.UNCONFIGURED
    motion: MotionState = MotionState.SILENT
    asked: Asked = Asked.NOBODY
    fault: Fault = Fault.NONE

    @property
    def answers(self) -> bool:
        """Whether states are answered with commands."""
        return self.motion in _ANSWERED

    @property
    def ready(self) -> bool:
        """Whether a goal can begin."""
        return self.lifecycle is Lifecycle.ACTIVE and self.fault is Fault.NONE


class Transition(NamedTuple):
    """Result of an event."""

    situation: NodeState
    actions: tuple[Action, ...] = ()


def after(now: NodeState, event: Event) -> Transition:
    """Return the result of an event; an impossible event changes nothing."""
    return _RULES[event](now)


def _configured(now: NodeState) -> Transition:
    if now.lifecycle is not Lifecycle.UNCONFIGURED:
        return Transition(now)
    return Transition(NodeState(Lifecycle.INACTIVE))


def _activated(now: NodeState) -> Transition:
    """An activated robot first comes to rest, and then holds."""
    if now.lifecycle is not Lifecycle.INACTIVE:
        return Transition(now)
    return Transition(NodeState(Lifecycle.ACTIVE, MotionState.BRAKE), (Action.RESET, Action.STOP))


def _activated_to_move(now: NodeState) -> Transition:
    if now.lifecycle is not Lifecycle.INACTIVE:
        return Transition(now)
    moving = NodeState(Lifecycle.ACTIVE, MotionState.MOVE, Asked.PARAMETER)
    return Transition(moving, (Action.RESET, Action.BEGIN))


def _refused(now: NodeState) -> Transition:
    """A refused request changes nothing but its own result."""
    return Transition(now, (Action.REFUSE,))


def _deactivated(now: NodeState) -> Transition:
    if now.lifecycle is not Lifecycle.ACTIVE:
        return Transition(now)
    inactive = now._replace(lifecycle=Lifecycle.INACTIVE, asked=Asked.NOBODY)
    if now.answers:
        return Transition(
            inactive._replace(motion=MotionState.BRAKE), (*_ends_goal(now), Action.STOP)
        )
    motion = MotionState.RAMP if now.motion is MotionState.RAMP else MotionState.SILENT
    return Transition(inactive._replace(motion=motion), _ends_goal(now))


def _cleaned_up(now: NodeState) -> Transition:
    commanded = now.motion is not MotionState.SILENT
    return Transition(NodeState(), (*_ends_goal(now), *((Action.SILENCE,) if commanded else ())))


def _goal_accepted(now: NodeState) -> Transition:
    """A goal preempts another one only here; events in between may refuse it."""
    if not now.ready:
        return _refused(now)
    moving = now._replace(motion=MotionState.MOVE, asked=Asked.GOAL)
    return Transition(moving, (*_ends_goal(now), Action.BEGIN))


def _goal_failed(now: NodeState) -> Transition:
    if now.asked is not Asked.GOAL:
        return Transition(now)
    braking = now._replace(motion=MotionState.BRAKE, asked=Asked.NOBODY)
    return Transition(braking, (Action.END_GOAL, Action.STOP))


def _goal_reached(now: NodeState) -> Transition:
    if now.asked is not Asked.GOAL:
        return Transition(now)
    asked = Asked.LASTING if now.motion is MotionState.MOVE else Asked.NOBODY
    return Transition(now._replace(asked=asked), (Action.END_GOAL,))


def _finished(now: NodeState) -> Transition:
    """The controller brakes by itself; a goal may still wait for the estimate of the impact."""
    if now.motion is not MotionState.MOVE:
        return Transition(now)
    asked = Asked.GOAL if now.asked is Asked.GOAL else Asked.NOBODY
    return Transition(now._replace(motion=MotionState.BRAKE, asked=asked))


def _at_rest(now: NodeState) -> Transition:
    if now.motion is not MotionState.BRAKE:
        return Transition(now)
    if now.lifecycle is Lifecycle.ACTIVE:
        return Transition(now._replace(motion=MotionState.HOLD))
    return Transition(now._replace(motion=MotionState.SILENT), (Action.SILENCE,))


def _pushed(now: NodeState) -> Transition:
    return Transition(now, (Action.HOLD_ANEW,) if now.motion is MotionState.HOLD else ())


def _fault(now: NodeState) -> Transition:
    if not now.answers or now.lifecycle is not Lifecycle.ACTIVE:
        return Transition(now)
    return Transition(_faulty(now, MotionState.BRAKE), (*_ends_goal(now), Action.STOP))


def _states_lost(now: NodeState) -> Transition:
    if not now.answers:
        return Transition(now)
    if now.lifecycle is Lifecycle.INACTIVE:
        return Transition(now._replace(motion=MotionState.RAMP), (Action.RAMP,))
    return Transition(_faulty(now, MotionState.RAMP), (*_ends_goal(now), Action.RAMP))


def _distrust(now: NodeState) -> Transition:
    """After states that jumped, or an invalid command, only an activation clears the fault."""
    if now.motion is MotionState.SILENT:
        return Transition(now)
    latched = now._replace(asked=Asked.NOBODY, fault=Fault.LATCHED)
    if not now.answers:
        return Transition(latched)
    return Transition(latched._replace(motion=MotionState.RAMP), (*_ends_goal(now), Action.RAMP))


def _states_back(now: NodeState) -> Transition:
    if now.motion is not MotionState.REST or now.fault is Fault.LATCHED:
        return Transition(now)
    return Transition(now._replace(motion=MotionState.BRAKE), (Action.HOLD_ANEW,))


def _ramped(now: NodeState) -> Transition:
    if now.motion is not MotionState.RAMP:
        return Transition(now)
    active = now.lifecycle is Lifecycle.ACTIVE
    return Transition(now._replace(motion=MotionState.REST if active else MotionState.SILENT))


def _ends_goal(now: NodeState) -> tuple[Action, ...]:
    return (Action.END_GOAL,) if now.asked is Asked.GOAL else ()


def _faulty(now: NodeState, motion: MotionState) -> NodeState:
    fault = Fault.STOPPED if now.fault is Fault.NONE else now.fault
    return now._replace(motion=motion, asked=Asked.NOBODY, fault=fault)


_RULES: Mapping[Event, Callable[[NodeState], Transition]] = {
    Event.CONFIGURED: _configured,
    Event.ACTIVATED: _activated,
    Event.ACTIVATED_TO_MOVE: _activated_to_move,
    Event.ACTIVATION_REFUSED: _refused,
    Event.DEACTIVATED: _deactivated,
    Event.CLEANED_UP: _cleaned_up,
    Event.GOAL_ACCEPTED: _goal_accepted,
    Event.GOAL_REFUSED: _refused,
    Event.GOAL_CANCELED: _goal_failed,
    Event.GOAL_FAILED: _goal_failed,
    Event.GOAL_REACHED: _goal_reached,
    Event.FINISHED: _finished,
    Event.AT_REST: _at_rest,
    Event.PUSHED: _pushed,
    Event.FAULT: _fault,
    Event.STATES_LOST: _states_lost,
    Event.STATES_BACK: _states_back,
    Event.DISTRUST: _distrust,
    Event.RAMPED: _ramped,
}


class StateMachine:
    """The situation of one node, and the reason of its fault.

    Attributes:
        situation: current.
        reason: the first reason of the present fault, "" without one.
        actions: implementation of each action, called with the reason of the event.
    """

    def __init__(self, actions: Mapping[Action, Callable[[str], None]] | None = None) -> None:
        """Begin unconfigured.

        Args:
            actions: see the attribute; missing ones do nothing.
        """
        self.situation, self.reason = NodeState(), ""
        self.actions = {} if actions is None else actions

    def take(self, event: Event, reason: str = "") -> tuple[Action, ...]:
        """Take an event, execute its actions, and return the transition."""
        before = self.situation
        self.situation, actions = after(before, event)
        if self.situation.fault is Fault.NONE:
            self.reason = ""
        elif self.situation.fault is not before.fault:
            self.reason = self.reason or reason
        for action in actions:
            if action in self.actions:
                self.actions[action](reason)
        return actions
