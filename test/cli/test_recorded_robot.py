# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which robot a recording is of, where nobody says it."""

from pathlib import Path

import pytest

from impact_cli.recorded_robot import recorded_robot
from impact_robots.exceptions import UsageError

ROBOT = "like: panda\n"


@pytest.fixture
def bag(tmp_path):
    """A bag, as far as its place goes: in a run's folder, in a command's."""
    folder = tmp_path / "out" / "run" / "bag"
    folder.mkdir(parents=True)
    (folder / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
    return folder


def test_that_of_the_option_goes_before_what_lies_beside(bag):
    (bag.parent / "arm.yaml").write_text(ROBOT)
    assert recorded_robot("ur5.yaml", bag) == "ur5.yaml"


@pytest.mark.parametrize("levels", [1, 2])
def test_it_lies_in_the_folders_around_a_bag(bag, levels):
    path = bag.parents[levels - 1] / "arm.yaml"
    path.write_text(ROBOT)
    assert recorded_robot(None, bag) == str(path)


@pytest.mark.parametrize(
    ("folder", "path"),
    [("out/run", "bag"), ("out/run/bag", "."), ("out/run/bag", "../bag"), ("out", "run/bag"),
     ("out/run/bag", "bag_0.mcap"), ("out/run", "bag/bag_0.mcap"), (".", "out/link")],
)  # fmt: skip
@pytest.mark.parametrize("levels", [1, 2])
def test_however_the_path_is_written(bag, monkeypatch, tmp_path, folder, path, levels):
    (bag / "bag_0.mcap").touch()
    (tmp_path / "out" / "link").symlink_to(bag)
    place = bag.parents[1] if path.endswith("link") else bag.parents[levels - 1]
    (place / "arm.yaml").write_text(ROBOT)
    monkeypatch.chdir(tmp_path / folder)
    assert recorded_robot(None, Path(path)) == str(place / "arm.yaml")
    assert recorded_robot(None, Path(path).absolute()) == str(place / "arm.yaml")


def test_of_a_folder_of_bags_it_lies_in_that_folder(bag):
    out = bag.parents[1]
    (out.parent / "arm.yaml").write_text(ROBOT)
    assert recorded_robot(None, out) == "panda"
    (out / "arm.yaml").write_text("joints: [a]\nbase_link: b\n")
    assert recorded_robot(None, out) == str(out / "arm.yaml")


@pytest.mark.parametrize("other", ["like: rs_push", "a: 1", "[1]", "a: [", "impact_qp: {a: 1}"])
def test_other_yamls_are_no_robots(bag, other):
    (bag.parent / "parameters.yaml").write_text(other)
    assert recorded_robot(None, bag) == "panda"


def test_several_are_one_line(bag):
    for name in ("a", "b"):
        (bag.parent / f"{name}.yaml").write_text(ROBOT)
    with pytest.raises(UsageError, match=r"^--robot: expected one of the YAMLs beside .*a\.yaml, "):
        recorded_robot(None, bag)
