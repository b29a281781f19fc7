# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of doc/joint_load.md and writes its tables, from what the study has found.

Keeps the study's document in doc/results/load.json, without its hits one by one.

Example:
    ./impact reproduce load --json > load.json
    ./impact shell -- python doc/make_joint_load_figures.py load.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import make_study_tables
import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from impact_analysis.demo.plots import STYLE
from impact_predictor.inertia.impulse_maps import joint_torque_map
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import DURATION, joint_load, load_contact
from impact_predictor.joint_load.load_case import LoadCase, viscoelastic
from impact_robots import ArmDynamics, load_robot
from impact_sim.arm.direct_run import direct_run
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.arm.passive_impact import GAP, gravity_compensation
from impact_sim.scenarios import load_scenario
from studies.joint_loads.load_poses import WallPose, moving, wall_at

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "load.json"
MODEL, FORMULA, LIMIT = "#1f5fa8", "#dd8452", "#c44e52"
SCENARIO, SPEED, JOINT = "qp_panda_robust", 0.168, 4  # its published bound [m/s]; joint 5
WALLS = ((1.2e5, 0.3), (1e6, 0.3), (1e7, 0.3))  # stiffness [N/m], restitution
BOUNDS = {
    "known_change": "joints known, change alone",
    "known": "joints known, change and range",
    "announced": "joints in their ranges",
}


def main(path: str) -> None:
    """Write figures and tables of a study's JSON document."""
    document = json.loads(Path(path).read_text())
    (table,) = document["tables"]
    studies = table["studies"]
    with plt.rc_context(STYLE):
        draw_histories()
        draw_study(studies)
    table["studies"] = {"load_scenarios": studies["load_scenarios"]}
    RESULTS.write_text(json.dumps(document, indent=1) + "\n")
    make_study_tables.main(["load"])


def draw_histories() -> None:
    """Draw the load of one joint over time on three walls: plant, model and formula."""
    robot = load_robot("panda")
    q = np.array(load_scenario(SCENARIO).q_impact)
    pose = WallPose(q, ArmDynamics(robot)(q, np.zeros(robot.dof)))
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.6), sharey=True, layout="constrained")
    for axes, (stiffness, restitution) in zip(panels, WALLS, strict=True):
        _history(axes, pose, LoadCase(stiffness, restitution, 0.05, np.ones((3, robot.dof))))
        axes.set_title(f"wall of {stiffness:.1e} N/m, restitution {restitution:g}", fontsize=10)
        axes.set_xlabel("time since the touch [ms]")
    panels[0].set_ylabel(f"change of torque, joint {JOINT + 1} [N.m]")
    panels[0].legend(loc="center right", fontsize=8)
    figure.savefig(HERE / "figures" / "joint_load_history.png")
    plt.close(figure)


def _history(axes: Axes, pose: WallPose, case: LoadCase) -> None:
    robot = load_robot("panda")
    point, wall = moving(robot, pose, SPEED), wall_at(pose, case, SPEED, GAP)
    plant = LoadedPlant(robot, wall)
    plant.reset(point.q, point.dq)
    run = direct_run(plant, gravity_compensation, after_contact=DURATION)
    law = viscoelastic(case.stiffness, case.restitution, SPEED)
    contact = load_contact(point, wall.surface.rotation, law, case.friction)
    history = joint_load(elastic_arm(robot, point.robot_state), [contact], with_history=True)
    time, load = history.history.time, history.history.load[:, JOINT]
    torque = -joint_torque_map(contact.J)[JOINT] @ plant.load.impulse[0]  # what bears it
    measured = run.tau[:, JOINT] - plant.torque_before[JOINT]
    axes.plot(1e3 * time, load, color=MODEL, lw=2, label="model")
    axes.plot(1e3 * (run.t - run.contact_start.time), measured, "k.", ms=5, label="simulated arm")
    axes.axhline(torque, color=FORMULA, ls="--", label=r"$(a/\delta_t)J_v^T\iota$ of the impulse")
    limit = float(np.sign(load[np.abs(load).argmax()]) * robot.limits.impulsive_torque[JOINT])
    axes.axhline(limit, color=LIMIT, lw=1, label="limit")
    axes.set_xlim(-1.0, 1e3 * DURATION)


def draw_study(studies: dict[str, list[dict[str, Any]]]) -> None:
    """Draw predictions over measured loads, what hits use of the limits, and the bounds."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.9), layout="constrained")
    _predictions(left, studies["load_impacts"])
    _hits(middle, studies["load_hits"])
    _bounds(right, studies["load_bounds"])
    figure.savefig(HERE / "figures" / "joint_load_study.png")
    plt.close(figure)


def _predictions(axes: Axes, impacts: list[dict[str, Any]]) -> None:
    measured = np.array([each["load_over_limit"] for each in impacts])
    stiffness = [each["contact_stiffness_npm"] for each in impacts]
    for key, colour, label in (
        ("formula", FORMULA, r"$(a/\delta_t)J_v^T\iota$ of the impact's impulse"),
        ("model", MODEL, "model of the flexible joints"),
    ):
        share = np.array([each[f"{key}_load_over_limit"] for each in impacts]) / measured
        axes.semilogx(stiffness, share, ".", color=colour, ms=4, label=label)
    axes.axhline(1.0, color="black", lw=0.8)
    axes.set(xlabel="stiffness of the wall [N/m]", ylabel="predicted over measured load")
    axes.set_title(f"largest load of a joint, {len(impacts)} impacts", fontsize=10)
    axes.legend(loc="upper right", fontsize=8)


def _hits(axes: Axes, hits: list[dict[str, Any]]) -> None:
    for name, colour in (("drawn", MODEL), ("worst cases", FORMULA)):
        of = [hit for hit in hits if hit["wall_and_joints"] == name]
        used = [max(hit["change_over_limit"] + hit["range_over_limit"]) for hit in of]
        axes.hist(
            used, bins=np.arange(0.0, 1.06, 0.025), color=colour, label=f"{name}: {len(of)} hits"
        )
    axes.axvline(1.0, color=LIMIT, lw=1.2)
    axes.set(xlabel="largest load over its limit", ylabel="hits at the bound")
    axes.set_title("closed loop, sensor noise", fontsize=10)
    axes.legend(loc="upper left", fontsize=8)


def _bounds(axes: Axes, bounds: list[dict[str, Any]]) -> None:
    share = (np.arange(len(bounds)) + 0.5) / len(bounds)
    for (key, label), colour in zip(BOUNDS.items(), ("#8c8c8c", "#2a7f62", MODEL), strict=True):
        ratio = [each[f"{key}_speed_bound_mps"] / each["robust_speed_bound_mps"] for each in bounds]
        axes.plot(np.sort(ratio), share, color=colour, label=label)
    axes.axvline(1.0, color="black", lw=0.8)
    axes.set(xlabel="speed bound over the published robust one", ylabel="share of poses")
    axes.set_xlim(0.5, 5.0)
    axes.set_title(f"{len(bounds)} drawn poses", fontsize=10)
    axes.legend(loc="lower right", fontsize=8)


if __name__ == "__main__":
    main(*sys.argv[1:])
