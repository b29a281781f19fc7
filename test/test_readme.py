# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the README says is true."""

import re

import pytest

from impact_sim import scenario_names


@pytest.fixture(scope="module")
def readme(project_root):
    return (project_root / "README.md").read_text()


def test_its_files_are_there(readme, project_root):
    links = re.findall(r"\]\(([^)#:]+)\)", readme)
    assert len(links) >= 8
    assert [link for link in links if not (project_root / link).exists()] == []


def test_its_demo_is_the_first_scenario():
    assert scenario_names()[0] == "qp_panda_demo"
