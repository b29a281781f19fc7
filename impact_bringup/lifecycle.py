# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Changes the state of a lifecycle node, and repeats requests whose response is lost.

DDS drops the response to a request that arrives before the server has found the client's reader.
Reading the state is always safe, and shows whether a change was made although its response was
lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.node import Node

from impact_ros.exceptions import RosError

ATTEMPTS = 5
PATIENCE = 5.0  # for one response [s]
PAUSE = 1.0  # after a refused activation [s]
GOALS = {
    "configure": (Transition.TRANSITION_CONFIGURE, State.PRIMARY_STATE_INACTIVE),
    "activate": (Transition.TRANSITION_ACTIVATE, State.PRIMARY_STATE_ACTIVE),
    "deactivate": (Transition.TRANSITION_DEACTIVATE, State.PRIMARY_STATE_INACTIVE),
}

# Spins the nodes until a condition holds or a time [s] has passed; returns whether it holds.
Wait = Callable[[Callable[[], bool], float], bool]


class LifecycleClient:
    """A client of one lifecycle node."""

    def __init__(self, node: Node, name: str, wait: Wait) -> None:
        """Create the clients.

        Args:
            node: Node of the clients.
            name: Name of the lifecycle node.
            wait: Spins ``node`` meanwhile.
        """
        self._name, self._wait = name, wait
        self._change = node.create_client(ChangeState, f"{name}/change_state")
        self._state = node.create_client(GetState, f"{name}/get_state")

    def ready(self) -> bool:
        """Return whether the services of the node are available."""
        return self._change.service_is_ready() and self._state.service_is_ready()

    def state(self) -> int | None:
        """Return the state, one of `lifecycle_msgs/State`; None without a response in time."""
        answer = self._ask(self._state, GetState.Request())
        return None if answer is None else answer.current_state.id

    def request(self, name: str) -> None:
        """Configure, activate or deactivate the node.

        A refused activation is tried again: another node, which has just been started, may not
        publish yet.

        Args:
            name: One of `GOALS`.

        Raises:
            RosError: The node refused, or does not respond.
        """
        transition, goal = GOALS[name]
        for attempt in range(1, ATTEMPTS + 1):
            request = ChangeState.Request(transition=Transition(id=transition))
            answer = self._ask(self._change, request)
            if self.state() == goal:
                return
            if answer is not None and not answer.success:
                if name != "activate" or attempt == ATTEMPTS:
                    raise RosError(f"{self._name} refused to {name}")
                self._wait(lambda: False, PAUSE)
        raise RosError(f"{self._name} does not answer: {ATTEMPTS} requests to {name} were lost")

    def _ask(self, client: Any, request: Any) -> Any | None:
        """Return the response to a request, None if there is none in time."""
        future = client.call_async(request)
        if self._wait(future.done, PATIENCE):
            return future.result()
        client.remove_pending_request(future)
        return None
