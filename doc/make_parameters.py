# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes doc/parameters.md from the dataclasses that declare the parameters.

Example:
    ./impact shell -- python doc/make_parameters.py
"""

import inspect
from pathlib import Path

from impact_detector.node import DetectorNode
from impact_drivers.franka.node import FrankaNode
from impact_predictor.node import PredictorNode
from impact_qp.arms.node import ImpactSpreadingNode
from impact_qp.body.node import ImpactHumanoidNode
from impact_qp.governor.node import ImpactGovernorNode
from impact_qp.learning.node import ImpactLearnerNode
from impact_qp.node import ImpactQpNode
from impact_ros.parameters import describe
from impact_sim.cell.node import ImpactCellNode
from impact_sim.humanoid.node import ImpactHumanoidSimNode
from impact_sim.node import ImpactSimNode

FILE = Path(__file__).with_name("parameters.md")
NODES = {
    "impact_qp": ImpactQpNode,
    "impact_detector": DetectorNode,
    "impact_predictor": PredictorNode,
    "impact_sim": ImpactSimNode,
    "impact_cell": ImpactCellNode,
    "impact_spreading": ImpactSpreadingNode,
    "impact_humanoid_sim": ImpactHumanoidSimNode,
    "impact_humanoid": ImpactHumanoidNode,
    "impact_learner": ImpactLearnerNode,
    "impact_governor": ImpactGovernorNode,
    "franka": FrankaNode,
}
HEAD = """\
# Parameters of the nodes

Written by `./impact shell -- python doc/make_parameters.py`; do not edit.

All are fixed once a node has started, unless the description says otherwise; `impact_qp` and
`franka` read theirs when they are configured. In a file or on a command line a double may be
given as an integer, in a list all or none of them; at run time it is `10.0`, not `10`. `.nan` means
unknown. For an unknown name, of a parameter or a section, there is a warning; a value out of
range ends the node with one line and status 2.
Examples of parameter files: [suite.yaml](../config/suite.yaml),
[franka_fr3.yaml](../config/franka_fr3.yaml), [franka.yaml](../config/franka.yaml) and, over it,
[franka_fake.yaml](../config/franka_fake.yaml).
`suite` runs `impact_qp`, `impact_detector` and `impact_predictor`: use a file that names the node,
because `-p NAME:=VALUE` goes to all three.
"""


def document() -> str:
    """Return the text of parameters.md."""
    return "\n".join([HEAD, *(_section(name, node) for name, node in NODES.items())])


def _section(name: str, node: type) -> str:
    """Return the heading, summary and table of one node."""
    parameters = node.PARAMETERS
    summary = inspect.getdoc(parameters).splitlines()[0]
    return f"## `{name}`\n\n{summary}\n\n{describe(parameters)}"


def main() -> None:
    """Write the file."""
    FILE.write_text(document())


if __name__ == "__main__":
    main()
