# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Files that a reader of the pages has, and the repository has not: stand-ins for them."""

from pathlib import Path

ROBOTS = Path(__file__).resolve().parents[1] / "impact_robots"


def write_fr3_urdf(path: Path) -> None:
    """Write the Panda's links under the FR3's names: its own URDF is the maker's."""
    path.write_text((ROBOTS / "panda.urdf").read_text().replace("panda_", "fr3_"))


GIVEN = {"fr3.urdf": write_fr3_urdf}
