# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for files that a reader of the pages has, but not the repository."""

from pathlib import Path
from tempfile import TemporaryDirectory

from other_arms import UR, write_arm

from impact_sim.cell.spreading_file import load_spreading

ROBOTS = Path(__file__).resolve().parents[1] / "impact_robots"


def write_fr3_urdf(path: Path) -> None:
    """Write the Panda's links under the FR3's names: its own URDF is the maker's."""
    path.write_text((ROBOTS / "panda.urdf").read_text().replace("panda_", "fr3_"))


def write_arm_urdf(path: Path) -> None:
    """Write the URDF of an arm that the suite does not know."""
    with TemporaryDirectory() as folder:
        path.write_text(write_arm(Path(folder), UR).with_suffix(".urdf").read_text())


def write_arm_yaml(path: Path) -> None:
    """Write an arm that the suite does not know: URDF and YAML."""
    write_arm(path.parent, UR).rename(path)


def write_scenario(path: Path) -> None:
    """Write a scenario of one's own."""
    path.write_text("like: rs_grab_catfood_case1\n")


def write_demonstration(path: Path) -> None:
    """Write the bag of a push that a simulated hand demonstrates."""
    from studies.demonstrations.guided_push import guided_push  # loads slowly

    guided_push(load_spreading("rs_push_catfood_case2"), 0, path)


# by the name that the pages use
GIVEN = {
    "fr3.urdf": write_fr3_urdf,
    "arm.urdf": write_arm_urdf,
    "ur5.urdf": write_arm_urdf,
    "arm.yaml": write_arm_yaml,
    "mine.yaml": write_scenario,
    "guided.bag": write_demonstration,
}
