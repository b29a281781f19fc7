# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The statements of the README are true."""

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


def test_it_is_short_and_the_list_of_the_documentation_has_every_page(readme, project_root):
    rows = re.findall(r"^\| [^|]+\|.*\]\(doc/.*\|$", readme, re.MULTILINE)
    assert 8 <= len(rows) <= 10
    folder = project_root / "doc"
    listed = set(re.findall(r"\]\(([\w/]+\.md)", (folder / "index.md").read_text()))
    pages = {path.name for path in folder.glob("*.md")} - {"index.md"}
    assert sorted(pages - listed) == []


def test_every_example_is_named(readme, project_root):
    names = sorted(path.name for path in (project_root / "examples").glob("*.py"))
    assert sorted(re.findall(r"\]\(examples/(\w+\.py)\)", readme)) == names
