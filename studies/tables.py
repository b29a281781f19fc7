# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The four tables: their rows and studies."""

from __future__ import annotations

from collections.abc import Callable

from impact_robots import load_robot
from studies.controller import closed_loop, impulse_membership, sampling, speed_limits_report
from studies.controller.speed_limits import sampled_limits, scenario_limits
from studies.flexible_joints import (
    flexible_experiment,
    friction_search,
    planar_report,
    prediction_errors,
)
from studies.flexible_joints.planar_case import planar_cases
from studies.flexible_joints.planar_study import planar_study
from studies.humanoid_grabs import tracked_speed
from studies.impact_models import (
    contact_models,
    detection_report,
    flexibility,
    ranking_report,
    velocity_ratios,
    virtual_spring,
)
from studies.impact_models.detection_delay import detection_delays
from studies.impact_models.inertia_ranking import inertia_ranking
from studies.reference_spreading import hit_and_push, net_feedback, velocity_gaps
from studies.row import ClaimTable, Row, unavailable

Report = Callable[[float, str], None]  # fraction done, 0 to 1, and a note


def iim_table(seed: int, report: Report) -> ClaimTable:
    """Return the table of Wang 2022: inverse inertia, contact models, detection."""
    robot = load_robot("panda")
    masses = inertia_ranking(robot, seed, progress=report)
    delays = detection_delays(robot, seed, report)
    restitutions = contact_models.restitutions()
    rows = (
        ranking_report.row(masses),
        flexibility.row(robot, seed),
        virtual_spring.row(),
        contact_models.maxwell_row(),
        contact_models.viscoelastic_row(restitutions),
        contact_models.energy_row(),
        velocity_ratios.row(),
        detection_report.row(delays),
        _small_restitution(),
    )
    studies = (
        ranking_report.study(masses),
        contact_models.study(restitutions),
        detection_report.study(delays),
    )
    return ClaimTable(
        "iim", "Wang 2022: inverse inertia matrix and contact-force model", rows, studies
    )


def flex_table(seed: int, report: Report) -> ClaimTable:
    """Return the table of Rey Arias 2024: flexible joints."""
    results = planar_study(planar_cases(), report)
    without_loop = planar_study(planar_cases(torque_loop=False), report)
    report(1.0, "friction search")
    rows = (
        planar_report.row(results, without_loop),
        *prediction_errors.rows(),
        friction_search.row(load_robot("panda")),
    )
    flexible = flexible_experiment.experiment(seed, report)
    studies = (planar_report.study(results), *flexible_experiment.studies(flexible))
    return ClaimTable(
        "flex", "Rey Arias 2024: post-impact velocity, flexible joints", rows, studies
    )


def rs_table(seed: int, report: Report) -> ClaimTable:
    """Return the table of van Steen 2025: predictions by a nonsmooth simulator."""
    report(0.0, "lateral poses")
    poses = hit_and_push.push_poses(load_robot("panda"), seed)
    still, shaken = net_feedback.fit(), net_feedback.fit(vibration=net_feedback.VIBRATION)
    rows = (*velocity_gaps.rows(), hit_and_push.row(poses), net_feedback.row(still, shaken))
    studies = (hit_and_push.study(poses), net_feedback.study(still, shaken))
    return ClaimTable("rs", "van Steen 2025: sim-to-real gap of velocity jumps", rows, studies)


def qp_table(seed: int, report: Report) -> ClaimTable:
    """Return the table of Wang 2023: impact-aware control."""
    robot = load_robot("panda")
    report(0.0, "speed limits")
    scenarios, sampled = scenario_limits(robot), sampled_limits(robot, seed)
    report(0.5, "impulses")
    impulses = impulse_membership.memberships(robot, seed)
    samples = sampling.sampled_impulses()
    hits = closed_loop.hits(seed, report)
    report(1.0, "grab of a humanoid")
    rows = (
        speed_limits_report.speed_row(scenarios, sampled),
        impulse_membership.row(impulses),
        speed_limits_report.velocity_row(scenarios, sampled),
        tracked_speed.row_of_one_grab(seed),
        sampling.row(samples),
    )
    studies = (
        speed_limits_report.study(scenarios),
        closed_loop.study(hits),
        impulse_membership.study(impulses),
        sampling.study(samples),
    )
    return ClaimTable("qp", "Wang 2023: impact-aware task-space QP control", rows, studies)


def _small_restitution() -> Row:
    return unavailable(
        "H9",
        "a bound on measured restitution: needs force profiles recorded for Wang 2022 that are not"
        " public; restitution of a simulation is what one puts in",
        "e_r < 0.15",
    )


TABLES: dict[str, Callable[[int, Report], ClaimTable]] = {
    "iim": iim_table,
    "flex": flex_table,
    "rs": rs_table,
    "qp": qp_table,
}
