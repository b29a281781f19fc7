# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Requests single hits from the controller, and cancels them."""

from __future__ import annotations

from typing import Any

from rclpy.action import ActionClient
from rclpy.task import Future

from impact_msgs.action import ExecuteImpact

NAME = "impact_qp/execute_impact"


class HitClient:
    """One hit at a time."""

    def __init__(self, node: Any) -> None:
        """Request hits as a client of a node."""
        self._node, self._client = node, ActionClient(node, ExecuteImpact, NAME)
        self._hit: _Hit | None = None

    @property
    def ready(self) -> bool:
        """Whether a controller offers hits."""
        return bool(self._client.server_is_ready())

    def ask(self, goal: ExecuteImpact.Goal) -> Future:
        """Request a hit; the future gets its result, None if the goal was rejected."""
        self._hit = _Hit(self._node, self._client.send_goal_async(goal))
        return self._hit.result

    def cancel(self) -> None:
        """Cancel the requested hit, even if it is not accepted yet."""
        if self._hit is not None:
            self._hit.cancel()

    def destroy(self) -> None:
        """Close the client."""
        self._client.destroy()


class _Hit:
    """A hit from its request to its result."""

    def __init__(self, node: Any, sent: Future) -> None:
        self.result: Future = Future(executor=node.executor)
        self._handle: Any = None
        self._cancelled = False
        sent.add_done_callback(self._take_answer)

    def cancel(self) -> None:
        self._cancelled = True
        if self._handle is not None and not self.result.done():
            self._handle.cancel_goal_async()

    def _take_answer(self, sent: Future) -> None:
        handle = sent.result()
        if handle is None or not handle.accepted:
            self.result.set_result(None)
            return
        self._handle = handle
        if self._cancelled:
            handle.cancel_goal_async()
        handle.get_result_async().add_done_callback(self._take_result)

    def _take_result(self, future: Future) -> None:
        self.result.set_result(future.result().result)
