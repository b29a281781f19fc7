# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The fake FR3 in the foreground."""

from __future__ import annotations

import argparse
import time

import numpy as np

from impact_drivers.exceptions import DriverError
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.franka.arm.fr3_model import write_urdf
from impact_drivers.franka.arm.libfranka_arm import is_on_this_machine
from impact_robots.dynamics import ArmDynamics
from impact_robots.exceptions import UsageError

KEPT = 1000  # measurements in the log
BRAKED_WITHIN = 3.0  # time for a running motion to stop after Ctrl-C [s]


def serve(arguments: argparse.Namespace) -> None:
    """Serve the arm until Ctrl-C; a running motion then has some seconds to stop.

    Args:
        arguments: of the command line.

    Raises:
        UsageError: the address is not one of this machine.
        DriverError: the address is taken, or a package is missing.
        WriteError: the URDF cannot be written.
    """
    if arguments.address is not None and not is_on_this_machine(arguments.address):
        raise UsageError(f"--address: expected a local one, 127.*, got {arguments.address}")
    setup = FakeSetup(seed=arguments.seed, lockstep=not arguments.realtime)
    wall = _wall(setup)
    if arguments.urdf is not None:
        write_urdf(arguments.urdf)
    from impact_drivers.fake_fr3.server import FakeServer, local_addresses  # needs franky-sim

    addresses = local_addresses(0) if arguments.address is None else [arguments.address]
    server = FakeServer(setup.arm(KEPT), addresses, lockstep=setup.lockstep)
    try:
        server.init()
    except OSError:
        taken = arguments.address or "127.1.*"
        raise DriverError(f"fake FR3: cannot use the address {taken}: is it taken?") from None
    try:
        _tell(server.hostname, wall)
        while True:
            server.cycle()
    except KeyboardInterrupt:
        end = time.monotonic() + BRAKED_WITHIN
        while server.is_moved and time.monotonic() < end:
            server.cycle()
    finally:
        server.cleanup()


def _wall(setup: FakeSetup) -> str:
    """Return where the wall is, in one line."""
    robot, scenario = setup.load_robot(), setup.load_scenario()
    q, place, normal = setup.start(robot), scenario.surface_point(robot), scenario.normal
    dynamics = ArmDynamics(robot)
    tip = dynamics.position(q)
    axis = dynamics(q, np.zeros(robot.dof)).rotation[:, 2]
    distance = (place - tip) @ normal / (axis @ normal)
    point, out = (", ".join(f"{value:.3g}" for value in vector) for vector in (place, normal))
    return (
        f"A wall is {distance:.2f} m in front of the tool's tip: contact_point [{point}],"
        f" contact_normal [{out}]."
    )


def _tell(address: str, wall: str) -> None:
    """Print the address and the next command."""
    print(f"fake FR3 at {address}  (Ctrl-C ends it)\n{wall}\nIn another terminal:")
    print(f"  impact hit {address}", flush=True)
