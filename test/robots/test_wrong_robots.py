# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What no robot can be is refused in one line that names file and entry."""

import math
import sys
from itertools import pairwise

import numpy as np
import pytest
import yaml
from other_arms import ARMS, write_arm

from impact_analysis.detection.threshold_file import read_thresholds
from impact_predictor.exceptions import PredictionError
from impact_predictor.learning.learned_file import with_wall
from impact_robots import RobotError, load_robot, robot_from_urdf
from impact_robots.description.loader import _HERE
from impact_robots.exceptions import UsageError
from impact_robots.urdf.chain import find_chain
from impact_robots.urdf.urdf_file import full_model, read_urdf
from impact_robots.yaml_file import read_mapping

PANDA = (_HERE / "panda.yaml").read_text()
PANDA_URDF = (_HERE / "panda.urdf").read_text()
AXIS1 = '<axis xyz="0 0 1"/>'
LINK1 = '<inertia ixx="0.70337" ixy="-0.000139" ixz="0.006772" iyy="0.70661"'


@pytest.fixture
def written(tmp_path):
    """Write the Panda's files with changes, and return the YAML's path."""

    def write(change=None, old="", new=""):
        assert not old or old in PANDA_URDF
        (tmp_path / "panda.urdf").write_text(PANDA_URDF.replace(old, new, 1))
        entries = yaml.safe_load(PANDA)
        tool = (change or {}).pop("tool", {})
        entries |= change or {}
        entries["tool"] = entries["tool"] | tool if isinstance(tool, dict) else tool
        (tmp_path / "arm.yaml").write_text(yaml.safe_dump(entries))
        return tmp_path / "arm.yaml"

    return write


def refusal(load, path):
    """Return the one line with which a file is refused."""
    with pytest.raises(RobotError) as caught:
        load(path)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


TABLE = """<link name="world"/><joint name="table" type="fixed"><parent link="world"/>
<child link="panda_link0"/><origin xyz="0 0 {}" rpy="0 0 0"/></joint><link name="panda_link0">"""


def test_base_axes_are_those_of_the_root(written):
    """Of an arm on a table they were the root's under the name of the arm's own link."""
    first, mounted = '<link name="panda_link0">', TABLE.format(0.8)
    said = refusal(load_robot, written(old=first, new=mounted))
    assert "base_link: expected 'world', the URDF's root, or a link fixed in its place" in said
    assert load_robot(written({"base_link": "world"}, first, mounted)).base_frame == "world"
    assert load_robot(written(old=first, new=TABLE.format(0))).base_frame == "panda_link0"
    moving = written({"base_link": "link3"})
    assert "got 'panda_link3', which is elsewhere" in refusal(load_robot, moving)


def test_a_drafted_base_is_where_the_root_is(tmp_path):
    """`base_link` behind a mount was taken for the base axes."""
    for height, base in ((0.8, "world"), (0.0, "base_link")):
        text = PANDA_URDF.replace("panda_link0", "base_link")
        mounted = TABLE.format(height).replace("panda_link0", "base_link")
        (tmp_path / "arm.urdf").write_text(text.replace('<link name="base_link">', mounted, 1))
        path = tmp_path / "arm.urdf"
        model = full_model(path, *read_urdf(path), "fixed")
        assert find_chain(path, model).base == base


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"driver_compensates_gravity": "false"}, "expected true or false, got 'false'"),
        ({"driver_compensates_gravity": 0}, "expected true or false, got 0"),
        ({"tool": {"mass": -0.1}}, "tool.mass: expected a finite number from 0 to 1000, got -0.1"),
        ({"tool": {"mass": "0.1"}}, "tool.mass: expected a finite number .* got '0.1'"),
        ({"tool": {"radius": math.inf}}, "tool.radius: expected a finite number"),
        (
            {"tool": {"com": [0, 0, math.nan]}},
            r"tool.com: expected 3 finite numbers, got \[0, 0, n",
        ),
        ({"tool": {"com": [0, 0]}}, "tool.com: expected 3 finite numbers"),
        (
            {"tool": {"contact_point": 0.1}},
            "tool.contact_point: expected 3 finite numbers, got 0.1",
        ),
        ({"tool": {"parent": 8}}, "tool.parent: expected a text, got 8"),
        ({"tool": {"weight": 1}}, "tool.'weight': expected one of parent, mass"),
        ({"tool": None}, "tool: expected entries parent, mass, radius"),
        (
            {"tool": {"com": [0, 0, 50]}},
            r"tool.com: .* at most 3 m .*, got 50 m, which looks like m",
        ),
        (
            {"tool": {"contact_point": [0, 0, -100.0]}},
            "tool.contact_point: expected at most 3 m from the link's frame, got 100 m, which",
        ),
        ({"tool": {"contact_point": [0, 0, 1e11]}}, r"got 1e\+11 m$"),
        ({"tool": {"radius": 30.0}}, "tool.radius: expected a finite number from 0 to 3, got 30.0"),
        ({"tool": {"mass": 1e4}}, "tool.mass: expected a finite number from 0 to 1000, got 1"),
        (
            {"velocity": [2.2] * 7},
            "velocity: expected at most the URDF's 2.175 of panda_joint1, got 2.2"
            r" \(limits_beyond_urdf: true allows what is meant\)",
        ),
        ({"velocity": [2, 2, 2, 124.6, 2, 2, 2]}, "2.175 of panda_joint4, got 124.6: is it in deg"),
        ({"torque": [80000] * 7}, "torque: expected at most the URDF's 87 .*, got 80000"),
        ({"torque": [87000] * 7}, "87 of panda_joint1, got 87000: is it in thousandths of the un"),
        ({"torque": [87000] * 7, "limits_beyond_urdf": True}, "is it in thousandths of the unit"),
        ({"position_upper": [166] * 7}, "URDF's 2.8973 of panda_joint1, got 166: is it in degrees"),
        ({"position_lower": [-2.91] * 7}, "position_lower: expected at least the URDF's -2.8973"),
        ({"limits_beyond_urdf": 1}, "limits_beyond_urdf: expected true or false, got 1"),
        ({"position_lower": [3.0] * 7}, "position_lower: expected less than position_upper"),
        ({"stance": [0, 0, 0, 0, 0, 2, 0]}, "stance: expected positions from position_lower"),
        ({"velocity": [True] * 7}, "velocity: expected 7 finite numbers"),
        ({"velocity": ["2"] * 7}, "velocity: expected 7 finite numbers"),
        ({"jerk": [10**400] * 7}, "jerk: expected 7 finite numbers"),
        ({"torque_rate": [1e308] * 7}, "torque_rate: expected 7 finite numbers"),
        ({"joint_damping": [-1] * 7}, "joint_damping: expected 7 finite numbers above 0"),
        ({"name": 7}, "name: expected a text, got 7"),
        ({"joint_prefix": None}, "joint_prefix: expected a text, got None"),
        ({"joints": "joint1"}, "joints: expected a list of texts"),
        ({"joints": ["joint1", "joint1"]}, "joints: expected a list of texts, none twice"),
        ({"joints": []}, "joints: expected a list of texts, none twice, at least one"),
        ({"base_link": ["link0"]}, "base_link: expected a text"),
        ({"detection_joints": [True]}, "detection_joints: expected numbers 1 to 7"),
        ({"detection_joints": [6, 6]}, "detection_joints: expected numbers 1 to 7, none twice"),
        ({"assumed": [1]}, "assumed: expected a list of texts"),
        ({"velocitty": [1] * 7}, "'velocitty': expected one of name, urdf"),
        ({"inertias_identified_as_a_set": "yes"}, "as_a_set: expected true or false, got 'yes'"),
        ({"urdf": "."}, "no URDF file .*directory"),
        ({"urdf": "a\0b"}, "no URDF file"),
    ],
)
def test_a_wrong_entry_is_refused(written, change, message):
    path = written(change)
    line = refusal(load_robot, path)
    assert str(path.parent) in line
    with pytest.raises(RobotError, match=message):
        load_robot(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'value="4.970684"',
            'value="4,970684"',
            "link 'panda_link1': <mass> value: expected a num",
        ),
        ('value="4.970684"', 'value="-4"', "<mass> value: expected at least 0, got -4"),
        ('value="4.970684"', 'value="0"', "'panda_joint1': expected a mass above 0, got 0 kg"),
        ('value="4.970684"', 'value="nan"', "<mass> value: expected a number, got 'nan'"),
        ('<mass value="4.970684"/>', "", "<inertial>: <mass> is missing"),
        ('<mass value="4.970684"/>', '<mass value="1"/><mass value="2"/>', "one <mass>, got 2"),
        ('ixx="0.70337"', 'ixx="0,70337"', "<inertia> ixx: expected a number, got '0,70337'"),
        ('ixx="0.70337" ', "", "<inertia>: ixx is missing"),
        ('ixx="0.70337"', 'ixx="-0.7"', "expected principal moments of inertia above 0, got -0.7"),
        (LINK1, LINK1.replace("0.70337", "1e300"), "<inertia> ixx: expected a number, got '1e300'"),
        ('xyz="0 0 0.333"', 'xyz="0 0 0,333"', "<origin> xyz: expected 3 numbers, got '0 0 0,333'"),
        ('xyz="0 0 0.333"', 'xyz="0 0"', "<origin> xyz: expected 3 numbers, got '0 0'"),
        ('xyz="0 0 0.333"', 'xzy="0 0 0.333"', "<origin>: expected xyz, rpy, got 'xzy'"),
        ('rpy="-1.5707963267948966 0 0"', 'rpy="x 0 0"', "<origin> rpy: expected 3 numbers"),
        ('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>', "<axis> xyz: expected a direction"),
        ('<axis xyz="0 0 1"/>', '<axis xyz="0,0 0 1"/>', "<axis> xyz: expected 3 numbers"),
        ('lower="-2.8973"', 'lower="-2,8973"', "<limit> lower: expected a number, got '-2,8973'"),
        ('lower="-2.8973"', 'lower="3"', "<limit>: expected lower <= upper, got 3 and 2.8973"),
        ('effort="87"', "", "joint 'panda_joint1': <limit>: expected effort and velocity"),
        (AXIS1, f'{AXIS1}<dynamics K="x"/>', "<dynamics> K: expected a number, got 'x'"),
        (AXIS1, f'{AXIS1}<dynamics k="1"/>', "<dynamics>: expected damping, friction, D, K, gear"),
        (
            AXIS1,
            f'{AXIS1}<mimic joint="panda_joint2" multiplier="2"/>',
            "joint 'panda_joint1': <mimic> of 'panda_joint2' is not supported: a YAML",
        ),
        ('type="revolute"', 'type="revolut"', "type: expected one of revolute, prismatic"),
        ('parent link="panda_link0"', 'parent link="base"', "parent: expected a link of the file"),
        (
            'child link="panda_link1"',
            'child link="panda_link0"',
            "link 'panda_link0': expected joints from",
        ),
        ('child link="panda_link1"', 'child link="panda_link2"', "expected the child of one joint"),
        (
            'joint name="panda_joint2"',
            'joint name="panda_joint1"',
            "expected once, got 2 of that n",
        ),
        ('name="panda_link0"', "", "link: name is missing"),
        ("</robot>", "", "not XML"),
    ],
)
@pytest.mark.parametrize("load", ["yaml", "urdf"])
def test_a_wrong_urdf_is_refused(written, load, old, new, message):
    path = written(None, old, new)
    urdf = path.parent / "panda.urdf"
    with pytest.raises(RobotError, match=message) as caught:
        load_robot(path) if load == "yaml" else robot_from_urdf(urdf)
    assert len(str(caught.value).splitlines()) == 1
    assert str(path.parent) in str(caught.value)


def test_what_the_maker_of_the_fr3_says_of_its_joints_is_no_mistake(written):
    said = '<dynamics damping="0.003" D="1" K="7000" gear_ratio="120" mu_viscous="16"/>'
    assert load_robot(written(None, AXIS1, AXIS1 + said)).dof == 7


FINGER = """<link name="finger{0}"><inertial><mass value="0.01"/><inertia ixx="1e-5" ixy="0"
ixz="0" iyy="1e-5" iyz="0" izz="1e-5"/></inertial></link><joint name="slide{0}" type="prismatic">
<parent link="panda_link8"/><child link="finger{0}"/><axis xyz="0 1 0"/><limit effort="9"
velocity="1" lower="0" upper="0.04"/>{1}</joint>"""


def test_fingers_beyond_the_contact_may_mimic(written):
    fingers = FINGER.format(1, "") + FINGER.format(2, '<mimic joint="slide1"/>') + "</robot>"
    path = written(None, "</robot>", fingers)
    urdf = path.parent / "panda.urdf"
    assert load_robot(path).dof == 7
    assert robot_from_urdf(urdf, contact_frame="panda_link8").dof == 9
    assert "joint 'slide2': <mimic> of 'slide1'" in refusal(robot_from_urdf, urdf)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    for name in ("arm.yaml", "arm.urdf"):
        (tmp_path / name).write_bytes(b"name: \xff\xfe\n")
    assert "expected a text in UTF-8" in refusal(load_robot, tmp_path / "arm.yaml")
    assert "expected a text in UTF-8" in refusal(robot_from_urdf, tmp_path / "arm.urdf")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PANDA + "torque: [1, 1, 1, 1, 1, 1, 1]\n", "entry 'torque' is given twice"),
        ("[\n" * 1000, "not YAML"),
        ("[\n" * 100_000, "not YAML"),  # too deep for a compiled parser
        ("a: 2026-13-45", "not YAML"),
        ("a: !!bool maybe", "not YAML"),
        ("- 1", "expected a mapping of entries, got list"),
        ("", "expected a mapping of entries, got NoneType"),
    ],
)
def test_what_is_no_mapping_is_refused(tmp_path, text, message):
    (tmp_path / "arm.yaml").write_text(text)
    assert message in refusal(load_robot, tmp_path / "arm.yaml")


def nested(first, of):
    """Return a text of about 450 bytes whose aliases make 10^8 entries and more."""
    lines = [f"a: &a {first}"]
    for known, name in pairwise("abcdefgh"):
        lines.append(f"{name}: &{name} {of(', '.join(['*' + known] * 13))}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        nested("[1, 1, 1, 1, 1, 1, 1, 1, 1]", "[{}]".format),
        nested("{x: 1}", "{{<<: [{}]}}".format),
        "a: &a [*a]",
    ],
    ids=["lists", "merged", "endless"],
)
def test_nested_aliases_are_refused_before_they_are_written_out(tmp_path, text):
    assert len(text) < 500
    (tmp_path / "arm.yaml").write_text(text)
    line = refusal(load_robot, tmp_path / "arm.yaml")
    assert "expected at most 1000000 entries, got aliases that make a document" in line
    with pytest.raises(UsageError, match="aliases that make a document"):
        read_thresholds(tmp_path / "arm.yaml")
    with pytest.raises(PredictionError, match="aliases that make a document"):
        with_wall(None, text)


def test_an_alias_of_what_is_small_is_read(tmp_path):
    (tmp_path / "some.yaml").write_text("a: &a [1, 2]\nb: [*a, *a]\nc: {<<: {x: 1}, y: *a}")
    read = read_mapping(tmp_path / "some.yaml")
    assert read == {"a": [1, 2], "b": [[1, 2], [1, 2]], "c": {"x": 1, "y": [1, 2]}}


def test_wider_limits_than_the_urdfs_may_be_meant(written):
    robot = load_robot(written({"velocity": [2.62] * 7, "limits_beyond_urdf": True}))
    np.testing.assert_array_equal(robot.limits.velocity, 2.62)


def test_narrower_limits_and_rounded_ones_are_no_wider_than_the_urdfs(written):
    robot = load_robot(written({"velocity": [2.1751] * 4 + [1e-2] * 3, "torque": [12.0] * 7}))
    np.testing.assert_array_equal(robot.limits.torque, 12.0)


@pytest.mark.parametrize("text", ["1e4", "1.0e4", "1.e4", ".1e5", "+1E4", "1.0e+4"])
def test_numbers_with_exponents_are_read_as_in_yaml_1_2(written, text):
    """PyYAML takes most of these for texts, as YAML 1.1 does."""
    path = written()
    path.write_text(path.read_text().replace("- 14250\n", f"- {text}\n"))
    assert load_robot(path).joint_stiffness[0] == 1e4


def test_a_link_without_inertia_is_not_hidden_by_the_tool(written):
    start = PANDA_URDF.index("<inertial>", PANDA_URDF.index('<link name="panda_link7">'))
    inertial = PANDA_URDF[start : PANDA_URDF.index("</inertial>", start) + len("</inertial>")]
    line = refusal(load_robot, written(None, inertial, ""))
    assert "link moved by joint 'panda_joint7': expected a mass above 0, got 0 kg" in line


def test_a_mass_matrix_that_no_computation_survives_is_refused(written):
    line = refusal(load_robot, written(None, 'izz="0.009117"', 'izz="1e11"'))
    assert "expected a positive definite mass matrix of condition below 1e+09, got" in line


def test_inertias_identified_as_a_set_may_break_the_triangle_inequality(written):
    """Link 4 of the maker's own URDF of this arm does: 0.0127 > 0.0037 + 0.0080 kg.m^2."""
    old = 'ixx="0.025853" ixy="0.007796" ixz="-0.001332" iyy="0.019552" iyz="0.008641" izz="0.0283'
    new = (
        'ixx="0.007846" ixy="-0.003396" ixz="0.001587" iyy="0.006495" iyz="-0.001815" izz="0.01003'
    )
    path = written({"inertias_identified_as_a_set": False}, old, new)
    line = refusal(load_robot, path)
    assert "'panda_joint4': expected no principal moment of inertia above the sum of the" in line
    assert "inertias_identified_as_a_set: true in a YAML allows it" in line
    assert load_robot(written({"inertias_identified_as_a_set": True}, old, new)).dof == 7


def test_links_that_the_parser_would_leave_out_are_missed(written):
    """A ring of links that hangs nowhere is no part of the model."""
    ring = (
        '<link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"'
        ' izz="1"/></inertial></link><link name="b"/><joint name="ab" type="fixed"><parent link="a"'
        '/><child link="b"/></joint><joint name="ba" type="fixed"><parent link="b"/><child link="a"'
        "/></joint></robot>"
    )
    line = refusal(load_robot, written(None, "</robot>", ring))
    assert "link 'a': expected joints from 'panda_link0' to it" in line


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_arms_of_other_makers_load(tmp_path, arm):
    robot = load_robot(write_arm(tmp_path, arm))
    assert robot.dof == len(arm["joints"])
    assert robot_from_urdf(tmp_path / f"{arm['name']}.urdf").dof == robot.dof


def test_a_commanded_torque_rate_stays_below_the_arms_own():
    """Its maker's library refuses more than 1000 N.m/s, and limits to a thousandth less."""
    assert np.all(load_robot("panda").limits.torque_rate == 990.0)


def test_no_damaged_file_gets_through(project_root, monkeypatch, capfd):
    monkeypatch.syspath_prepend(str(project_root / "benchmarks"))
    campaign = sys.modules.get("mutated_robots") or __import__("mutated_robots")
    tried, failed, first = campaign.campaign(400, seed=13)
    assert (tried, failed) == (400, 0), first
    assert capfd.readouterr().err == ""  # the parser has nothing left to complain about
