# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Common base of the lifecycle nodes of the suite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lifecycle_msgs.msg import State
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from impact_robots.exceptions import ImpactError
from impact_ros.node.spin import free_released


class SuiteLifecycleNode(LifecycleNode):
    """Logs transitions, reports a failed configuration in one line, releases its resources.

    A node fills in :meth:`set_up`, :meth:`begin`, :meth:`stop` and :meth:`release`. After an error
    of the node itself in one of them it is unconfigured, without anything that `configure` created.
    """

    _lasting: frozenset[Any] = frozenset()  # subscriptions, publishers, timers before `configure`

    def set_up(self) -> str:
        """Create the resources of the configured state; return a summary for the log.

        Raises:
            ImpactError: configuration failed; nothing was created.
        """
        raise NotImplementedError

    def begin(self) -> str:
        """Activate; return the reason of a refusal, "" on success."""
        raise NotImplementedError

    def stop(self) -> None:
        """Deactivate."""
        raise NotImplementedError

    def release(self, reason: str) -> None:
        """Leave the robot safe and destroy the resources of :meth:`set_up`."""
        raise NotImplementedError

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Create the resources that the parameters describe."""
        self._lasting = self._resources()
        try:
            with self._reported("configure"):
                summary = self.set_up()
        except ImpactError as error:
            self._abandon()
            self.get_logger().error(str(error))
            return TransitionCallbackReturn.FAILURE
        self.get_logger().info(f"configured: {summary}")
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Activate, unless :meth:`begin` refuses."""
        self.get_logger().info("activation was requested")
        with self._reported("activate"):
            reason = self.begin()
        if reason:
            self.get_logger().error(f"not activated: {reason}")
            return TransitionCallbackReturn.FAILURE
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Deactivate."""
        self.get_logger().info("deactivation was requested")
        with self._reported("deactivate"):
            self.stop()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Leave the robot safe and release everything."""
        self.get_logger().info("cleaned up by request")
        with self._reported("cleanup"):
            self.release("cleaned up")
        free_released()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Leave the robot safe and release everything."""
        if state.state_id != State.PRIMARY_STATE_UNCONFIGURED:
            self.get_logger().info("shut down by request")
        with self._reported("shutdown"):
            self.release("shut down")
        return TransitionCallbackReturn.SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Leave the robot safe after an error of the node itself; it can be configured again."""
        self._abandon()
        return TransitionCallbackReturn.SUCCESS

    @contextmanager
    def _reported(self, transition: str) -> Iterator[None]:
        """Log an error of the node itself, which rclpy hides."""
        try:
            yield
        except ImpactError:
            raise
        except Exception as error:
            line = f"{type(error).__name__}: {' '.join(str(error).split())}"
            self.get_logger().error(f"{transition}: {line}")
            raise

    def _resources(self) -> frozenset[Any]:
        """Return what delivers messages to this node, or sends some."""
        return frozenset((*self.subscriptions, *self.publishers, *self.timers))

    def _abandon(self) -> None:
        """Release what `configure` created, also if it did not finish."""
        try:
            self.release("an error of the node")
        except Exception as error:  # of a part that it did not get to
            self.get_logger().debug(f"released in part: {error}")
        made = self._resources() - self._lasting
        for resources, destroy in (
            (self.subscriptions, self.destroy_subscription),
            (self.publishers, self.destroy_publisher),
            (self.timers, self.destroy_timer),
        ):
            for each in made.intersection(resources):
                destroy(each)

    def destroy_node(self) -> None:
        """Destroy the node with its lifecycle services, left by rclpy to the garbage collector.

        Until then other nodes would discover services that do not respond.
        """
        super().destroy_node()
        self._state_machine.destroy_when_not_in_use()
