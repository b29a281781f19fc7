# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How fast an arm may hit here, and elsewhere on the surface: python examples/plan_and_map.py."""

import numpy as np

from impact_cli.surface_map import MapTask, map_surface
from impact_qp import Contact, Plan
from impact_qp.planning import safe_speed
from impact_qp.surface_grid import SurfaceGrid
from impact_robots import ArmDynamics, load_robot

robot = load_robot("panda")
point = ArmDynamics(robot).position(robot.stance)
contact = Contact(point, normal=[-1, 0, 0], friction=(0.0, 0.3), restitution=(0.0, 0.3))
for limits in ("joint_load", "robust"):
    plan = Plan(contact, limits)
    here = safe_speed(robot, plan.impact_limit(robot, period=1e-3), robot.stance)
    print(f"{limits}: {here.bound.speed:.3f} m/s, limited by {here.bound.name}")

grid = SurfaceGrid(point, contact.normal, size=(0.4, 0.2), count=(3, 2))
tool = np.array([0.0, 0.0, 1.0])  # points into the surface, axes of the contact frame
task = MapTask(robot, plan, grid, tool, tilt=0.5, seed=0)
rows = map_surface(task, jobs=1, progress=lambda done: None)
for points, hits in zip(grid.points(), rows, strict=True):
    for place, hit in zip(points, hits, strict=True):
        speed = f"{hit.bound.speed:.3f} m/s" if hit else "out of reach"
        print(f"y {place[1]:+.2f} m, z {place[2]:.2f} m: {speed}")
