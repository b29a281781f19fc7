# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sections of parameter files that seem meant for a node, but are not of it, are named."""

from pathlib import Path

import pytest

from impact_ros.node.parameter_files import unmatched_sections

ROOT = Path(__file__).resolve().parents[2]
DETECTOR = "/impact_detector"


@pytest.mark.parametrize(
    ("sections", "node", "said"),
    [
        (["/**/impact_detector"], "/left/impact_detector", None),
        (["/left/impact_detector", "/right/impact_detector"], "/left/impact_detector", None),
        (["/*/impact_detector"], "/left/impact_detector", None),
        (["impact_detector"], DETECTOR, None),
        (["/**/impact_predictor", "/**"], DETECTOR, None),
        (["/**/impact_humanoid_sim"], "/impact_humanoid", None),
        (["/**/impact_detctor"], DETECTOR, "/**/impact_detctor"),
        (["impact_detector"], "/left/impact_detector", "/impact_detector"),
        (["/*/impact_detector"], DETECTOR, "/*/impact_detector"),
    ],
)
def test_a_section_that_is_nearly_a_nodes_is_named(tmp_path, sections, node, said):
    file = tmp_path / "own.yaml"
    file.write_text("".join(f"{each}: {{ros__parameters: {{a: 1}}}}\n" for each in sections))
    lines = unmatched_sections(["--ros-args", "--params-file", str(file)], [node])
    name = node.rsplit("/", 1)[-1]
    expected = f"no node of that name, expected /**/{name} or {node}"
    assert lines == ([f"parameter file: {said}: {expected}"] if said else [])


def test_nested_namespaces_are_parts_of_the_name(tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text("left: {impact_detector: {ros__parameters: {a: 1}}}\n")
    given = ["--params-file", str(file)]
    assert unmatched_sections(given, ["/left/impact_detector"]) == []
    assert unmatched_sections(given, [DETECTOR])


@pytest.mark.parametrize("name", ["suite", "franka_fr3", "franka", "franka_fake"])
def test_shipped_files_fit_their_nodes(name):
    given = ["--params-file", str(ROOT / "config" / f"{name}.yaml")]
    nodes = ["impact_qp", "impact_detector", "impact_predictor", "impact_spreading", "franka"]
    for namespace in ("", "/left"):
        assert unmatched_sections(given, [f"{namespace}/{each}" for each in nodes]) == []
