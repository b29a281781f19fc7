# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Subscription callbacks that check their messages: none ends the node. Needs no ROS to import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from impact_robots.exceptions import ImpactError
from impact_ros.node.throttled_log import ThrottledLog


def checked_callback(
    node: Any,
    topic: str,
    callback: Callable[[Any], None],
    on_drop: Callable[[str], None] | None = None,
) -> Callable[[Any], None]:
    """Return a subscription callback that drops unusable messages, with a log line.

    Args:
        node: whose logger is used, at most once per second and topic.
        topic: name of the topic in the log line.
        callback: takes a message; it raises `ImpactError` for an invalid message. Any other
            exception is an error of the node and is logged as such; the node keeps running, because
            a moving arm needs it.
        on_drop: called with the log line after a message was dropped.

    Example:
        take = checked_callback(self, topic, self._on_state)
        self.create_subscription(JointState, topic, take, SENSOR)
    """
    log = ThrottledLog(node.get_logger())

    def take(message: Any) -> None:
        try:
            callback(message)
            return
        except ImpactError as error:
            line = f"{topic} dropped: {error}"
            log.warning(line)
        except Exception as error:
            line = f"{topic} dropped: {type(error).__name__}: {' '.join(str(error).split())}"
            log.error(line)
        if on_drop is not None:
            on_drop(line)

    return take
