# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Common base of the lifecycle nodes of the suite."""

from __future__ import annotations

from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from impact_robots.exceptions import ImpactError


class SuiteLifecycleNode(LifecycleNode):
    """Logs transitions, reports a failed configuration in one line, releases its resources.

    A node fills in :meth:`set_up`, :meth:`begin`, :meth:`stop` and :meth:`release`.
    """

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
        try:
            summary = self.set_up()
        except ImpactError as error:
            self.get_logger().error(str(error))
            return TransitionCallbackReturn.FAILURE
        self.get_logger().info(f"configured: {summary}")
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Activate, unless :meth:`begin` refuses."""
        self.get_logger().info("activation was requested")
        if reason := self.begin():
            self.get_logger().error(f"not activated: {reason}")
            return TransitionCallbackReturn.FAILURE
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Deactivate."""
        self.get_logger().info("deactivation was requested")
        self.stop()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Leave the robot safe and release everything."""
        self.release("cleaned up")
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Leave the robot safe and release everything."""
        self.release("shut down")
        return TransitionCallbackReturn.SUCCESS

    def destroy_node(self) -> None:
        """Destroy the node with its lifecycle services, left by rclpy to the garbage collector.

        Until then other nodes would discover services that do not respond.
        """
        super().destroy_node()
        self._state_machine.destroy_when_not_in_use()
