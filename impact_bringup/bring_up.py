# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Configure and activate a lifecycle node; report a failure within a time limit.

`ros2 lifecycle set` does not wait for the node, `ros2 service call` does not check the response,
and launch's own LifecycleNode would rename every node of a process that runs several. A node that
is configured already is only activated; an active node is left unchanged.

Example:
    ros2 run impact_control bring_up impact_qp --timeout 30
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import rclpy
from lifecycle_msgs.msg import State
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from impact_bringup.lifecycle import LifecycleClient
from impact_ros.exceptions import RosError
from impact_ros.node.closing import close
from impact_ros.node.spin import Stop, spin, stop_on_signals
from impact_ros.standard_streams import failed

NAME = "bring_up"
CHANGES = ("configure", "activate")
DONE = {State.PRIMARY_STATE_INACTIVE: 1, State.PRIMARY_STATE_ACTIVE: 2}  # finished changes


def main(args: Sequence[str] | None = None) -> int:
    """Run the console script.

    Returns:
        0 active, or stopped on request; 1 refused, or no response in time; 2 wrong usage.
    """
    given = list(sys.argv if args is None else [NAME, *args])
    with stop_on_signals() as stop:
        try:
            rclpy.init(args=given, signal_handler_options=SignalHandlerOptions.NO)
        except Exception as error:  # rclpy has one private class per mistake
            return failed(NAME, f"cannot start ROS: {error}", 2)
        try:
            options = _parser().parse_args(remove_ros_args(given)[1:])
            return _bring_up(options.node, options.timeout, stop)
        finally:
            rclpy.try_shutdown()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=NAME, description=__doc__.splitlines()[0])
    parser.add_argument("node", nargs="?", default="impact_qp", help="default: impact_qp")
    parser.add_argument("--timeout", type=_seconds, default=30.0, help="in all [s], default 30")
    return parser


def _seconds(text: str) -> float:
    value = float(text)
    if not 0.0 < value < 1e6:
        raise ValueError
    return value


def _bring_up(name: str, timeout: float, stop: Stop) -> int:
    """Bring a node up."""
    node, end = Node(NAME), time.monotonic() + timeout

    def wait(condition, limit: float, cause: str = "") -> bool:
        left = min(limit, end - time.monotonic())
        reason = spin([node], until=condition, timeout=left, stop=stop)
        if reason not in ("condition", "timeout"):
            raise KeyboardInterrupt
        if time.monotonic() >= end and not condition():
            raise RosError(
                f"{name}: not active within {timeout:g} s{cause}; on a busy machine give it more"
                " (--timeout, of a launch file timeout:=)"
            )
        return reason == "condition"

    try:
        client = LifecycleClient(node, name, wait)
        wait(client.ready, timeout, f", no node {name} in this namespace and ROS_DOMAIN_ID")
        for change in CHANGES[DONE.get(client.state(), 0) :]:
            client.request(change)
    except KeyboardInterrupt:
        return 0
    except RosError as error:
        return failed(NAME, str(error), 1)
    finally:
        close(node)
    return 0


if __name__ == "__main__":
    sys.exit(main())
