# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which ROS 2 is built on follows from what is sourced."""

import pytest
from impact_setup.distribution import RosSource, select_ros
from impact_setup.errors import SetupError
from impact_setup.requirements import wanted


def sourced(name, *prefixes):
    return {"ROS_DISTRO": name, "AMENT_PREFIX_PATH": ":".join(map(str, prefixes))}


@pytest.fixture
def root(tmp_path):
    return tmp_path / "checkout"


def test_nothing_sourced_means_wheels(tmp_path):
    assert select_ros({}, tmp_path) == RosSource("wheels")


@pytest.mark.parametrize("name", ["jazzy", "kilted", "lyrical"])
def test_a_sourced_distribution_is_used_with_its_own_python(name, stand_in, root):
    prefix = stand_in(name, python="3.12")
    assert select_ros(sourced(name, prefix), root) == RosSource(name, (str(prefix),), "3.12")


def test_debians_folder_for_python_packages_is_found_too(stand_in, root):
    prefix = stand_in(python="3.13", folder="local/lib/python{}/dist-packages/rclpy")
    assert select_ros(sourced("jazzy", prefix), root).python == "3.13"


def test_the_prefixes_of_an_overlay_stay_in_order(stand_in, root):
    base = stand_in()
    overlay = root.parent / "robot_ws" / "install"
    assert select_ros(sourced("jazzy", overlay, base), root).prefixes == (str(overlay), str(base))


def test_the_checkouts_own_install_is_no_distribution(tmp_path):
    own = tmp_path / "install" / "impact_msgs"
    assert select_ros(sourced("kilted", own, tmp_path / ".venv"), tmp_path).from_wheels


def test_the_checkouts_own_install_is_known_by_another_name_too(tmp_path):
    (tmp_path / "checkout" / "install").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "checkout")
    environ = sourced("kilted", tmp_path / "link" / "install")
    assert select_ros(environ, tmp_path / "checkout").from_wheels


def test_a_neighbour_whose_name_begins_like_the_checkouts_is_foreign(stand_in, tmp_path):
    prefix = stand_in("jazzy")
    root = prefix.with_name("jaz")
    assert not select_ros(sourced("jazzy", prefix), root).from_wheels


def test_another_workspace_of_wheels_is_no_distribution(tmp_path):
    environ = {"AMENT_PREFIX_PATH": "/elsewhere/install/impact_msgs:/elsewhere/.venv"}
    assert select_ros(environ, tmp_path).from_wheels


def test_an_unsupported_distribution_is_refused_with_the_choices(stand_in, root):
    with pytest.raises(SetupError, match="ROS 2 humble is sourced; supported are jazzy, kilted, "):
        select_ros(sourced("humble", stand_in("humble")), root)


def test_a_distribution_without_rclpy_is_refused(tmp_path):
    prefix = tmp_path / "opt" / "ros"
    prefix.mkdir(parents=True)
    with pytest.raises(SetupError, match=r"rclpy is in none of .*: install ros-jazzy-rclpy"):
        select_ros(sourced("jazzy", prefix), tmp_path / "checkout")


def test_a_distribution_gets_no_wheels_of_ros(project_root):
    text = (project_root / "requirements.txt").read_text()
    assert "\nros-rclpy[fastrtps]==" in wanted(text, RosSource())
    left = wanted(text, RosSource("jazzy", ("/opt/ros/jazzy",), "3.12"))
    assert "\nros-" not in left
    assert "\nempy" not in left
    assert "\npin==" in left
    assert "\ncolcon-core==" in left
