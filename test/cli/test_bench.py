# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `bench`: figures, the state of the machine, counts, and refused options."""

import itertools
import json
from importlib import import_module
from types import SimpleNamespace

import pytest

from impact_cli.command_line import run
from impact_cli.commands import bench as bench_command

pytestmark = pytest.mark.usefixtures("benchmarks")


@pytest.fixture
def often(monkeypatch):
    """On a machine that is interrupted 20,000 times a second."""
    monkeypatch.setattr(import_module("side_by_side"), "interruptions", lambda: 2e4)


def test_figures_come_with_how_often_the_machine_is_interrupted(monkeypatch, capsys, often):
    timed = SimpleNamespace(measure=lambda: {"robust / floor": 2.8})
    monkeypatch.setattr(bench_command, "_benchmark", lambda name: timed)
    assert run(["bench", "qp", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["figures"] == {"robust / floor": 2.8}
    assert document["machine"]["cores"] >= 1
    for when in ("before", "after"):
        assert document["machine"][f"interruptions {when} [1/s]"] == 2e4
    assert run(["bench", "qp"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert any(row.split()[-1] == "20,000.00" for row in rows)
    assert rows[-1].split() == ["robust", "/", "floor", "2.80"]


def test_an_interruption_is_a_step_of_the_clock_beyond_a_microsecond(monkeypatch):
    side_by_side = import_module("side_by_side")
    steps = itertools.cycle([60] * 99 + [2000])  # [ns]
    monkeypatch.setattr(side_by_side, "perf_counter_ns", itertools.accumulate(steps).__next__)
    monkeypatch.setattr(side_by_side, "WATCHED", 79_400_000)  # of 7,940 ns for a hundred steps
    assert side_by_side.interruptions() == pytest.approx(1e9 / 7940, rel=1e-3)


@pytest.mark.parametrize(("failed", "status"), [(0, 0), (2, 1)])
def test_counts_are_one_document_or_a_table_and_failures_the_status(
    monkeypatch, capsys, often, failed, status
):
    counts = {"tried": {"cycles": 1200}, "failed": {"cycles": failed}}
    measure = lambda quick=False: counts  # noqa: E731
    monkeypatch.setattr(bench_command, "_benchmark", lambda name: SimpleNamespace(measure=measure))
    assert run(["bench", "adversary", "--json", "--quick"]) == status
    assert json.loads(capsys.readouterr().out) == counts
    assert run(["bench", "adversary"]) == status
    title, row = capsys.readouterr().out.splitlines()
    assert title.split() == ["tried", "failed"]
    assert row.split() == ["cycles", "1,200", str(failed)]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--quick", "has no short form"),
        ("--out=kept", "keeps nothing"),
        ("--resume", "keeps nothing"),
    ],
)
def test_a_benchmark_refuses_an_option_that_it_has_not_in_one_line(
    monkeypatch, refused, option, said
):
    monkeypatch.setattr(
        bench_command, "_benchmark", lambda name: SimpleNamespace(measure=lambda: {})
    )
    line = refused("bench", "qp", option)
    assert f"{option.partition('=')[0]}: benchmark qp {said}" in line
