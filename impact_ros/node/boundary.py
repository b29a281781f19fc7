# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Where messages come in: whatever one brings about, the node goes on. Needs no ROS to import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from impact_robots.exceptions import ImpactError
from impact_ros.node.throttled_log import ThrottledLog


def guarded(
    node: Any,
    topic: str,
    callback: Callable[[Any], None],
    on_drop: Callable[[str], None] | None = None,
) -> Callable[[Any], None]:
    """Return the callback of a subscription that drops what it cannot use, with a line about it.

    Args:
        node: whose logger says so, at most once a second and topic.
        topic: name of it in that line.
        callback: takes a message; `ImpactError` says in one line what is wrong with it. Any other
            exception is an error of the node itself and is logged as such: an arm in motion needs
            its node all the same.
        on_drop: called with the line, for what else a dropped message means.

    Example:
        self.create_subscription(JointState, topic, guarded(self, topic, self._on_state), SENSOR)
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
