# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the life cycles of this suite's nodes have in common."""

from __future__ import annotations

from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from impact_robots.exceptions import ImpactError


class SuiteLifecycleNode(LifecycleNode):
    """Refuses to be configured with one line, releases what it made, says who asked for what.

    A node fills in :meth:`set_up`, :meth:`begin`, :meth:`stop` and :meth:`release`.
    """

    def set_up(self) -> str:
        """Make everything that waits for `configure`; return what to say of it.

        Raises:
            ImpactError: it cannot; nothing was made.
        """
        raise NotImplementedError

    def begin(self) -> str:
        """Begin to be active; return why not, "" if it has begun."""
        raise NotImplementedError

    def stop(self) -> None:
        """End being active."""
        raise NotImplementedError

    def release(self, reason: str) -> None:
        """Leave the robot safe and destroy what :meth:`set_up` made, if it did."""
        raise NotImplementedError

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Make what the parameters ask for."""
        try:
            said = self.set_up()
        except ImpactError as error:
            self.get_logger().error(str(error))
            return TransitionCallbackReturn.FAILURE
        self.get_logger().info(f"configured: {said}")
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin, unless there is a reason not to."""
        self.get_logger().info("activation was requested")
        if reason := self.begin():
            self.get_logger().error(f"not activated: {reason}")
            return TransitionCallbackReturn.FAILURE
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End what was begun."""
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
        """Destroy the node with its life cycle's services, which rclpy leaves to chance.

        Until the garbage collector came, others would find a node that does not answer.
        """
        super().destroy_node()
        self._state_machine.destroy_when_not_in_use()
