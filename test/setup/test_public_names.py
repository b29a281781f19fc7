# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""No public name vanishes, and each new one is listed, see doc/versions.md."""

import pytest
from doc_scripts import loaded

from impact_cli.command_names import COMMANDS


@pytest.fixture(scope="module")
def maker():
    return loaded("make_public_names")


def test_listed_names_are_those_of_this_tree(maker):
    listed, found = set(maker.listed()), set(maker.names())
    assert not listed - found, "gone without a deprecation: see doc/versions.md"
    assert not found - listed, "new: run ./impact shell -- python doc/make_public_names.py"


def test_each_kind_is_listed(maker):
    kinds = {name.split()[0] for name in maker.listed()}
    assert kinds == {
        *("python", "command", "executable", "message", "parameter", "topic"),
        *("launch", "robot", "json"),
    }
    assert {name.split()[1] for name in maker.listed() if name.startswith("command")} == {*COMMANDS}
    arguments = {name for name in maker.listed() if name.startswith("launch governor.launch.py")}
    assert "launch governor.launch.py interface" in arguments


def test_what_left_the_tree_stays_in_the_list_until_it_is_deleted(maker, tmp_path, monkeypatch):
    monkeypatch.setattr(maker, "FILE", tmp_path / "names.txt")
    monkeypatch.setattr(maker, "names", lambda: ["python new", "python old"])
    maker.main()
    monkeypatch.setattr(maker, "names", lambda: ["python newer"])
    maker.main()
    assert maker.listed() == ["python new", "python newer", "python old"]
