# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The Franka node with a scripted loop, and a subscriber on real DDS."""

import os
import time
from collections.abc import Sequence

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.action import ActionClient
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from serving import serve
from std_srvs.srv import Trigger

from impact_drivers.franka.loop.loop_cycle import LoopCycle, LoopState
from impact_drivers.franka.memory.link import LoopEnd, NodeEnd
from impact_drivers.franka.memory.request import RequestKind
from impact_drivers.franka.node import FrankaNode
from impact_drivers.franka.ros.cycle_publisher import TOPICS
from impact_msgs.action import ExecuteImpact
from impact_msgs.msg import ImpactAnnouncement, ImpactEstimate, ImpactEvent
from impact_ros.node.spin import make_executor
from impact_ros.qos import RECORD, RECORD_LATCHED

MS = 1_000_000  # [ns]
START = 1_800_000_000_000_000_000  # [ns]
OK = TransitionCallbackReturn.SUCCESS
EVENTS = {
    "impact_detector/impact": ImpactEvent,
    "impact_detector/estimate": ImpactEstimate,
    "impact_qp/announcement": ImpactAnnouncement,
}
AFTERS = {  # state of the loop once it has done what was asked
    RequestKind.HOLD: LoopState.CONTROLLING,
    RequestKind.FINISH: LoopState.CONNECTED,
    RequestKind.RECOVER: LoopState.CONNECTED,
    RequestKind.END: LoopState.ENDED,
}


def aimed(goal, point):
    """Return a goal whose contact is at a point of a wall across the x axis, normal -x."""
    position, turn = goal.contact.pose.position, goal.contact.pose.orientation
    position.x, position.y, position.z = point
    turn.w, turn.y = np.sqrt(0.5), -np.sqrt(0.5)
    return goal


class ScriptedLoop:
    """Obeys at once, unless set otherwise; a cycle goes by when the node waits, or by `step`.

    Attributes:
        asked: kinds of requests, in order.
        plan: of the last goal.
        refusal: of the next request.
        begun: number of the goal that it carries out.
        deaf: takes no requests.
        restored: how often it was asked to lower the arm's collision thresholds.
        restoring: what comes of that.
    """

    def __init__(self, settings, robot, q):
        self.settings, self.q = settings, q
        self._plan = settings.plan().resolved(robot)
        self._node = NodeEnd()
        self._loop = LoopEnd(os.dup(self._node.descriptor))
        self.cycles, self.commands = self._node.cycles, self._node.commands
        self.asked, self.plan, self.words = [], None, ["p99 250 us: fast enough"]
        self.is_alive, self.deaf, self.refusal = True, False, ""
        self.ended_in_order = True
        self.restored, self.restoring = 0, ""
        self.number, self.state, self.changes, self.begun = 0, LoopState.CONNECTED, {}, 0

    @property
    def beats(self):
        return self._loop.commands.beats

    def pause(self, duration):
        if self.is_alive:
            self.step()

    def obey(self):
        request = None if self.deaf else self._loop.commands.take(self._plan)
        if request is None:
            return
        self.asked.append(request.kind)
        self.plan = request.plan or self.plan
        if not self.refusal or request.kind is RequestKind.END:
            self.state = AFTERS.get(request.kind, self.state)
        self.changes = {"refusal": self.refusal}
        if request.kind is RequestKind.GOAL and not self.refusal:
            self.begun = request.number
        self.is_alive = self.state is not LoopState.ENDED

    def step(self, count=1, **changes):
        """Report cycles; what changes stays so until the next request."""
        for _ in range(count):
            self.obey()
            self.changes |= changes
            self.number += 1
            fields = {"state": self.state, "dq": np.zeros(7), "tau": np.zeros(7)}
            fields |= {"begun": self.begun} | self.changes
            self.q = self.q + 1e-3 * fields["dq"]
            taken = self._loop.commands.taken
            cycle = LoopCycle(START + self.number * MS, self.q, acknowledged=taken, **fields)
            self._loop.cycles.write(cycle)

    def die(self, *words):
        self.is_alive = self.ended_in_order = False
        self.words.extend(words)

    def stop(self, *, at_once):
        self.is_alive, self.ended_in_order = False, not at_once

    def restore(self):
        self.restored += 1
        return self.restoring

    def said(self):
        return self.words

    def exit_reason(self):
        return f"{self.words[-1]} (status 1)"

    def close(self):
        self._loop.close()
        self._node.close()


class Heard(Sequence):
    """Messages of a topic, decoded once somebody looks: the node and its listener share a core."""

    def __init__(self, kind):
        self._kind, self._messages, self._data = kind, [], []
        self.take = self._data.append

    def __len__(self):
        return len(self._messages) + len(self._data)

    def __getitem__(self, index):
        self._messages += (deserialize_message(data, self._kind) for data in self._data)
        self._data.clear()
        return self._messages[index]

    def __iter__(self):
        return iter(self[:])

    def clear(self):
        self._messages.clear()
        self._data.clear()


class Listener(Node):
    """Keeps all that the node says, by topic, and asks it for things."""

    def __init__(self, context):
        super().__init__("listener", context=context)
        self.heard = {}
        kinds = TOPICS | EVENTS | {"/diagnostics": DiagnosticArray}
        for topic, kind in kinds.items():
            heard = self.heard[topic] = Heard(kind)
            profile = RECORD_LATCHED if topic in EVENTS else RECORD
            self.create_subscription(kind, topic, heard.take, profile, raw=True)
        self.goals = ActionClient(self, ExecuteImpact, "impact_qp/execute_impact")
        self.recovery = self.create_client(Trigger, "franka/recover")

    @property
    def is_matched(self):
        known = all(each.get_publisher_count() for each in self.subscriptions)
        return known and self.goals.server_is_ready() and self.recovery.service_is_ready()


class FrankaBench:
    """The node and its listener, served by one executor."""

    def __init__(self, context, parameters, make_loop):
        self.loop = None

        def make(settings):
            self.loop = make_loop(settings)
            return self.loop

        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.node = FrankaNode(loop=make, context=context, parameter_overrides=overrides)
        self.listener = Listener(context)
        self.heard = self.listener.heard
        self.executor = make_executor(context)  # one for all: goals wait in it
        for node in (self.node, self.listener):
            self.executor.add_node(node)

    def spin(self, until):
        serve(self.executor, until)

    def wait(self, until, duration):
        """Run callbacks until a condition holds, at most for a time [s]; return whether it does."""
        end = time.monotonic() + duration
        serve(self.executor, lambda: until() or time.monotonic() > end)
        return until()

    def configure(self):
        self.spin(lambda: self.listener.is_matched)
        assert self.node.trigger_configure() == OK
        return self

    def activate(self):
        self.configure()
        assert self.node.trigger_activate() == OK
        return self

    def hear(self, topic, condition=lambda message: True):
        """Wait for a message and return the first that fits."""
        heard = self.heard[topic]
        self.spin(lambda: any(condition(message) for message in heard))
        return next(message for message in heard if condition(message))

    def send(self, goal):
        """Send a goal; return the future of its handle's result."""
        sent = self.listener.goals.send_goal_async(goal)
        self.spin(sent.done)
        self.handle = sent.result()
        return self.handle.get_result_async()

    def decide(self, goal, **fields):
        """Send a goal, and let the loop decide on it in a cycle of these fields; see `send`."""
        future, before = self.send(goal), self.loop.asked.count(RequestKind.GOAL)
        self.spin(lambda: self.loop.obey() or self.loop.asked.count(RequestKind.GOAL) > before)
        self.loop.step(**fields)
        return future

    def begin(self, goal, **fields):
        """Send a goal that the loop begins in a cycle of these fields, and wait until it runs."""
        future, before = self.decide(goal, **fields), self.node._goals.present
        self.spin(lambda: self.node._goals.present != before)
        return future

    def result(self, future):
        self.spin(future.done)
        return future.result().result

    def recover(self):
        future = self.listener.recovery.call_async(Trigger.Request())
        self.spin(future.done)
        return future.result()

    def diagnosis(self, condition=lambda status: True):
        """Wait for diagnostics whose status of the loop fits, and return that status."""
        found = []

        def fits(message):
            found[:] = [each for each in message.status if each.name == "franka: loop"]
            return condition(found[0])

        self.hear("/diagnostics", fits)
        return found[0]

    def close(self):
        for node in (self.node, self.listener):
            self.executor.remove_node(node)
            node.destroy_node()
        self.executor.shutdown()
