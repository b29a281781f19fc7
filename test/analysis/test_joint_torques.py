# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A report about an arm with flexible joints: torques, joints, surface, and a file for its YAML."""

import json

import numpy as np
import pytest
import yaml
from flexible_hits import FRICTION, NORMAL, RESTITUTION, SCALE, STIFFNESS, flexible_hit
from struck_arm import Hit, simulate, write

from impact_analysis.analyze import analyze
from impact_analysis.analyze import write as write_results
from impact_analysis.analyze.page.report import report_text
from impact_analysis.analyze.result import IdentifiedSurface
from impact_cli.options.number_options import bounds
from impact_robots import load_robot
from impact_robots.surface import ANY_STIFFNESS

pytestmark = pytest.mark.usefixtures("without_contact_laws")


@pytest.fixture(scope="module")
def bags(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flexible")
    for k, name in enumerate("abc"):
        write(folder / f"pose_{name}", flexible_hit(k))
    return folder


@pytest.fixture(scope="module")
def analysis(bags):
    return analyze(bags, normal=NORMAL)


@pytest.fixture(scope="module")
def written(analysis, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out")
    return folder, write_results(analysis, folder)


def test_joints_of_the_arm_lie_in_their_intervals(analysis):
    found = analysis.joints
    assert found.known.sum() >= 12 and found.hits.max() == 3
    inside = (found.low <= SCALE) & (found.high >= SCALE)
    assert inside[found.known].mean() >= 0.9
    assert found.known[0, 5] and abs(found.scale[0, 5] / SCALE[0, 5] - 1.0) < 0.05


def test_the_surface_lies_in_its_ranges(analysis):
    surface = analysis.surface
    for bounds_of, truth in (
        (surface.restitution, RESTITUTION),
        (surface.stiffness, STIFFNESS),
    ):
        assert bounds_of[0] <= truth <= bounds_of[1]


def test_hits_straight_at_a_surface_do_not_tell_its_friction(analysis):
    assert analysis.surface.friction is None
    found = analysis.coefficients[analysis.best.candidate.inertia].friction
    assert found.low <= FRICTION and found.high == np.inf


def test_the_options_hold_the_ranges_as_commands_read_them():
    surface = IdentifiedSurface((0.1234, 0.2), (0.0, 0.411), (123456.0, 4.01e6))
    named = dict(zip(*[iter(surface.options.split())] * 2, strict=True))
    for name, (low, high) in {
        "--friction": surface.friction,
        "--restitution": surface.restitution,
        "--stiffness": surface.stiffness,
    }.items():
        read = bounds(named[name])
        assert low * 0.9 - 0.01 <= read[0] <= low and high <= read[1] <= high * 1.1 + 0.01


def test_what_is_not_known_of_a_surface_is_left_open():
    nothing = IdentifiedSurface(None, None, None)
    assert nothing.options == ""
    surface = nothing.surface(np.array(NORMAL))
    assert surface.stiffness == ANY_STIFFNESS
    assert surface.friction == surface.restitution == (0.0, 1.0)


def test_measured_torques_lie_between_the_predicted_ones(analysis):
    for impact in analysis.impacts:
        assert not (impact.torques.above | impact.torques.below).any()
        assert impact.torques.measured.max() > 4.0


def test_joints_jump_when_they_are_predicted_to(analysis):
    for impact in analysis.impacts:
        jumps = impact.jumps
        assert np.isfinite(jumps.measured).sum() >= 3 and not jumps.outside.any()
        assert np.nanmax(jumps.measured) > 1.5 * np.nanmin(jumps.measured)


def test_the_document_has_what_the_report_says(analysis, written):
    folder, document = written
    assert document == json.loads((folder / "analysis.json").read_text())
    impact, compared = document["impacts"][0], analysis.impacts[0].torques
    assert impact["torque_change_nm"] == pytest.approx(compared.measured.tolist())
    low, high = impact["predicted_torque_change_low_nm"], impact["predicted_torque_change_high_nm"]
    assert (np.array(low) < high).all()
    assert document["joints"]["stiffness"]["share"][6] is None
    assert document["joints"]["file"] == "joints.yaml"
    assert document["surface"]["options"] in "\n".join(analysis.answer)
    head = (folder / "impacts.csv").read_text().splitlines()[0]
    assert "predicted_torque_change_high_7_nm" in head
    times = analysis.impacts[0].jumps.measured
    np.testing.assert_allclose(
        [np.nan if each is None else each for each in impact["jump_time_s"]], times
    )
    assert "predicted_jump_time_high_7_s" in head
    page = report_text(analysis)
    assert "When each joint jumps" in page
    assert "Measured joint torques" in page and "Identified joints" in page


def test_the_file_makes_a_robot_with_these_joints(analysis, written, project_root, tmp_path):
    entries = yaml.safe_load((written[0] / "joints.yaml").read_text())
    folder = project_root / "impact_robots"
    own = yaml.safe_load((folder / "panda.yaml").read_text()) | entries
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(own | {"urdf": str(folder / "panda.urdf")}))
    robot, found = load_robot(path), analysis.joints
    nominal = load_robot("panda").joint_stiffness
    ends = robot.joint_stiffness * robot.joint_ranges.stiffness / nominal
    np.testing.assert_allclose(ends, found.bounds[:, 0], rtol=1e-3)


def test_an_analysis_that_tells_no_joints_leaves_no_file(written, tmp_path):
    """Also not that of an earlier one; one hit is too little, and of rigid joints."""
    (tmp_path / "joints.yaml").write_text("stale")
    one = analyze(write(tmp_path / "hit", simulate(Hit())), normal=(0.0, 0.0, 1.0))
    document = write_results(one, tmp_path)
    assert document["joints"]["file"] is None
    assert not (tmp_path / "joints.yaml").exists()


def test_without_a_force_nothing_is_said_of_stiffness(tmp_path):
    """And the surface's own restitution may be anything below that of the arm."""
    for k, name in enumerate("ab"):
        write(tmp_path / "bags" / f"pose_{name}", flexible_hit(k), forces=False)
    surface = analyze(tmp_path / "bags", normal=NORMAL).surface
    assert surface.stiffness is None and "--stiffness" not in surface.options
    assert surface.restitution[0] == 0.0 and surface.restitution[1] >= RESTITUTION
