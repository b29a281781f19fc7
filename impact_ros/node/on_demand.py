# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions that no executor serves: their newest message is taken when it is needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from rclpy.node import Node
from rclpy.subscription import Subscription

from impact_ros.qos import SENSOR


class OnDemandNode(Node):
    """A node that leaves some messages with the middleware until it needs one.

    To take a message that is not read costs the other nodes of its process time, even those that
    another thread serves.

    Attributes:
        unserved: these subscriptions.
    """

    unserved: tuple[Subscription, ...] = ()

    @property
    def subscriptions(self) -> Iterator[Subscription]:
        """Those that executors serve."""
        return (each for each in super().subscriptions if each not in self.unserved)

    def subscribe_on_demand(self, kind: Any, topic: str) -> Callable[[], bytes | None]:
        """Subscribe to a topic, of which the newest message is stored.

        Args:
            kind: class of the messages.
            topic: its name.

        Returns:
            A function that returns the newest message serialized, for `deserialize_message` of
            rclpy; None if it was returned before or none has come.
        """
        given: deque[bytes] = deque(maxlen=1)  # by those that call the callback themselves

        def give(message: bytes) -> None:
            given.append(message)

        subscription = self.create_subscription(kind, topic, give, SENSOR, raw=True)
        self.unserved = (*self.unserved, subscription)

        def newest() -> bytes | None:
            with subscription.handle:
                taken = subscription.handle.take_message(kind, True)
            if taken is not None:
                return bytes(taken[0])
            return given.pop() if given else None

        return newest
