# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A scenario's wall as MJCF: a plane with spring, damper and friction, on a force sensor.

MuJoCo's constraints are accelerations weighed against their regularisation R. With an impedance d
near 0, R is much larger than the contact's own inverse inertia A, and the force is the spring's and
damper's alone: :math:`f = k r + c v` for ``solref = (-k A', -c A')``, where A' is MuJoCo's
estimate of A in the model's zero pose, ``body_invweight0`` (MuJoCo's documentation, "Solver
parameters"). With an impedance near 1 the wall would instead give the point an acceleration,
whatever mass is behind it. ``impratio`` makes friction so much stiffer than the normal that the
friction cone takes nothing from the normal force.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from impact_robots.state.quaternions import quaternion_wxyz
from impact_robots.surface import Surface
from impact_sim.export.arm_mjcf import TIP, TIP_RADIUS, numbers
from impact_sim.export.linear_contact import LinearContact

WALL = "wall"  # body, geom, and the sensor's name under ros2_control
IMPEDANCE = 0.01  # d [-]
FRICTION_RATIO = 100.0  # impratio [-]
FRICTION_RATE = 50.0  # of the slip's decay, before the cone limits it [1/s]
SIZE = 0.3  # half the width at which the plane, which is infinite, is drawn [m]
STEPS = 20  # of integration in sqrt(m/k), at least


@dataclass(frozen=True)
class ExportedWall:
    """Where the wall is, and how it gives way."""

    surface: Surface  # its friction is the highest of the range
    contact: LinearContact
    time_constant: float  # sqrt(m/k) of the effective mass [s]

    def largest_step(self, nominal: float) -> float:
        """Return a step not longer than ``nominal`` that resolves the contact [s]."""
        return nominal / np.ceil(max(1.0, nominal * STEPS / self.time_constant))


def add_wall(root: Element, wall: ExportedWall, inverse_weight: float) -> None:
    """Add the wall, its contact with the tip, and its sensor to an MJCF root that has an arm.

    The sensor's force is that on the robot, in base axes. (MuJoCo gives what the parent, the world,
    does to the wall; ``mujoco_ros2_control`` publishes its negative, the force on the wall.)

    Args:
        root: of the arm.
        wall: to be added.
        inverse_weight: A', the translational ``body_invweight0`` of the body with the tip [1/kg].
    """
    (world,), (sensors,) = root.findall("worldbody"), root.findall("sensor")
    surface = wall.surface
    place = np.asarray(surface.moved(-TIP_RADIUS).point)
    body = SubElement(world, "body", {"name": WALL, "pos": numbers(place)})
    look = {"type": "plane", "size": numbers([SIZE, SIZE, 0.01]), "rgba": "0.5 0.4 0.3 1"}
    axes = {"quat": numbers(quaternion_wxyz(surface.rotation))}
    untouchable = {"contype": "0", "conaffinity": "0", "mass": "0"}
    SubElement(body, "geom", {"name": WALL, **axes, **look, **untouchable})
    SubElement(body, "site", {"name": WALL, "size": numbers([TIP_RADIUS])})
    _add_pair(root, wall, inverse_weight)
    for kind in ("force", "torque"):
        SubElement(sensors, kind, {"name": f"{WALL}_{kind}", "site": WALL})


def _add_pair(root: Element, wall: ExportedWall, inverse_weight: float) -> None:
    """Let the tip touch the wall."""
    spring = [-wall.contact.stiffness * inverse_weight, -wall.contact.damping * inverse_weight]
    friction = wall.surface.friction[1]
    law = {
        "condim": "3" if friction > 0.0 else "1",
        "friction": numbers([friction, friction, 0.0, 0.0, 0.0]),
        "solref": numbers(spring),
        "solreffriction": numbers([-1.0, -FRICTION_RATE]),
        "solimp": numbers([IMPEDANCE, IMPEDANCE, 0.001, 0.5, 2.0]),
    }
    pairs = SubElement(root, "contact")
    SubElement(pairs, "pair", {"geom1": WALL, "geom2": TIP, **law})
