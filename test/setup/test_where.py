# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The page that says where things are names files and folders that exist."""

import re


def test_every_path_on_the_page_exists(project_root):
    text = (project_root / "doc" / "where.md").read_text()
    paths = re.findall(r"`(\w+(?:/\w+)+(?:\.py)?)`", text)
    assert len(paths) > 90
    assert [path for path in paths if not (project_root / path).exists()] == []


def test_a_file_is_on_a_way_once(project_root):
    ways = (project_root / "doc" / "where.md").read_text().split("\n### ")[1:]
    assert len(ways) == 5
    for way in ways:
        steps = re.findall(r"^1\. `([\w/.]+)`", way, re.MULTILINE)
        assert len(set(steps)) == len(steps) > 5
