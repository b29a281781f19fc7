# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The highest safe speed at a point and over a wall: python examples/plan_hit.py."""

import numpy as np

from impact_qp import Contact, Plan
from impact_qp.planning import safe_speed
from impact_qp.speed_map import SHORT, MapSearch
from impact_qp.surface_grid import SurfaceGrid
from impact_robots import ArmDynamics, load_robot

robot = load_robot("panda")
q = np.array([0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02])  # in front of a wall [rad]
point = ArmDynamics(robot).position(q)
contact = Contact(point, [-1, 0, 0], friction=(0, 0.3), restitution=(0, 0.3), stiffness=(1e5, 1e7))
for limits in ("robust", "joint_load"):
    limit = Plan(contact, limits).impact_limit(robot, period=0.0)
    bound = safe_speed(robot, limit, q).bound
    print(f"{limits}: {bound.speed:.3f} m/s, limited by {bound.name}")

grid = SurfaceGrid(point, contact.normal, size=(0.2, 0.2), count=(3, 2))
search = MapSearch(robot, limit, grid, axis=np.array([0.0, 0.0, 1.0]), effort=SHORT)
known = [q for place in search.anchors for q in search.at_anchor(*place)]
rows = [search.row(k, known) for k in range(grid.count[1])]
columns = [search.column(k, [row[k] for row in rows]) for k in range(grid.count[0])]
print("highest safe speed over the wall [m/s], top row first")
for row in reversed(list(zip(*columns, strict=True))):
    print("  " + "  ".join(f"{hit.bound.speed:.3f}" if hit else "  -  " for hit in row))
