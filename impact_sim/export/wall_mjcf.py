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

The face may be that of a nail: a disc on a slide. Its friction loss is the force at which the nail
yields, and a spring adds what that force grows by with depth. The friction holds the nail where it
was driven until that spring is the stronger one, so the model is valid up to the depth at which the
resistance has doubled, 20 mm of a new nail; deeper the nail comes back to there. The disc needs a
mass, which the plant's nail has not.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from impact_predictor.contact_force.linear_contact import LinearContact
from impact_predictor.joint_load.load import YieldingLaw
from impact_robots.state.quaternions import quaternion_wxyz
from impact_robots.surface import Surface
from impact_sim.export.arm_mjcf import TIP, TIP_RADIUS, numbers

WALL = "wall"  # body, geom, and the sensor's name under ros2_control
NAIL = "nail"  # body and joint
IMPEDANCE = 0.01  # d [-]
FRICTION_RATIO = 100.0  # impratio [-]
FRICTION_RATE = 50.0  # of the slip's decay, before the cone limits it [1/s]
SIZE = 0.3  # half the width at which the plane, which is infinite, is drawn [m]
STEPS = 20  # of integration in sqrt(m/k), at least
NAIL_MASS = 0.01  # [kg]
NAIL_STEPS = 5  # of integration in sqrt(m/k) of the nail alone, at least
NAIL_RADIUS, NAIL_HALF = 0.05, 0.005  # of its disc, beside which no head slips [m]
STICTION, STICTION_RATE = 0.9999, 1e4  # impedance of the nail's friction [-], decay of slip [1/s]


@dataclass(frozen=True)
class ExportedWall:
    """Where the wall is, and how it gives way."""

    surface: Surface  # its friction is the highest of the range
    contact: LinearContact
    time_constant: float  # sqrt(m/k) of the effective mass [s]
    nail: YieldingLaw | None = None  # whose face it is; None: it stays where it is

    def largest_step(self, nominal: float) -> float:
        """Return a step not longer than ``nominal`` that resolves the contact [s]."""
        needed = self.time_constant / STEPS
        if self.nail is not None:
            needed = min(needed, np.sqrt(NAIL_MASS / self.contact.stiffness) / NAIL_STEPS)
        return nominal / np.ceil(max(1.0, nominal / needed))


def add_wall(root: Element, wall: ExportedWall) -> None:
    """Add the wall and its sensor to an MJCF root that has an arm; :func:`add_contact` is next.

    The sensor's force is that on the robot, in base axes. (MuJoCo gives what the parent, the world,
    does to the wall; ``mujoco_ros2_control`` publishes its negative, the force on the wall.)

    Args:
        root: of the arm.
        wall: to be added.
    """
    (world,), (sensors,) = root.findall("worldbody"), root.findall("sensor")
    surface = wall.surface
    place = np.asarray(surface.moved(-TIP_RADIUS).point)
    body = SubElement(world, "body", {"name": WALL, "pos": numbers(place)})
    look = {"type": "plane", "size": numbers([SIZE, SIZE, 0.01]), "rgba": "0.5 0.4 0.3 1"}
    axes = {"quat": numbers(quaternion_wxyz(surface.rotation))}
    SubElement(body, "site", {"name": WALL, "size": numbers([TIP_RADIUS])})
    if wall.nail is not None:
        body = _add_nail(body, surface.normal, wall.nail)
        centre = {"pos": numbers(-NAIL_HALF * surface.normal)}
        disc = {"type": "cylinder", "size": numbers([NAIL_RADIUS, NAIL_HALF])}
        look |= disc | centre | {"rgba": "0.6 0.6 0.6 1"}
    no_contacts = {"contype": "0", "conaffinity": "0", "mass": "0"}
    SubElement(body, "geom", {"name": WALL, **axes, **look, **no_contacts})
    for kind in ("force", "torque"):
        SubElement(sensors, kind, {"name": f"{WALL}_{kind}", "site": WALL})


def _add_nail(base: Element, normal: np.ndarray, law: YieldingLaw) -> Element:
    """Add what slides into the surface, and return it."""
    body = SubElement(base, "body", {"name": NAIL, "gravcomp": "1"})
    inertia = {"diaginertia": numbers([1e-4 * NAIL_MASS] * 3)}
    SubElement(body, "inertial", {"pos": "0 0 0", "mass": numbers([NAIL_MASS]), **inertia})
    resistance = {
        "frictionloss": numbers([law.resistance]),
        "stiffness": numbers([law.hardening]),
        "solimpfriction": numbers([STICTION, STICTION, 0.001, 0.5, 2.0]),
        "solreffriction": numbers([-1.0, -STICTION_RATE]),
    }
    slide = {"name": NAIL, "type": "slide", "axis": numbers(-normal)}
    SubElement(body, "joint", slide | resistance)
    return body


def add_contact(root: Element, wall: ExportedWall, inverse_weight: float) -> None:
    """Let the tip touch the wall.

    Args:
        root: with arm and wall.
        wall: that was added.
        inverse_weight: A', the sum of the translational ``body_invweight0`` of the bodies with the
            tip and with the wall's face [1/kg].
    """
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
