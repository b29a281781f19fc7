# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The Franka node in a process that a test may kill: it approaches, and prints the loop's id."""

import functools
import json
import sys

import rclpy
from rclpy.parameter import Parameter

from impact_drivers.franka.loop_process import LoopProcess
from impact_drivers.franka.memory.request import RequestKind
from impact_drivers.franka.node import FrankaNode
from impact_ros.node.spin import spin

if __name__ == "__main__":
    rclpy.init()
    given = json.loads(sys.argv[1])
    node = FrankaNode(
        loop=functools.partial(LoopProcess, module="direct_loop"),
        parameter_overrides=[Parameter(name, value=value) for name, value in given.items()],
    )
    node.trigger_configure()
    node.trigger_activate()
    loop = node._supervisor.loop
    loop.commands.ask(RequestKind.GOAL, node._goals.plan)
    print(loop.identifier, loop._link.descriptor, flush=True)
    spin([node])
