# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Commands with ``--dask``: the work is done on the cluster, and the output is the same."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

pytest.importorskip("distributed")

import distributed

from impact_analysis.analyze import analyze
from impact_analysis.detection.score_run import judge_trials
from impact_cli.command_line import run
from impact_detector.parameters import DetectorParameters
from impact_detector.signals.sample import FUSED
from impact_robots import load_robot
from impact_robots.description.loader import robot_path
from impact_robots.yaml_file import read_mapping
from impact_ros.parameters import from_values
from impact_sim.cell.spreading_file import load_spreading
from impact_trials import processes
from impact_trials.processes import Workers, in_order, on_cluster
from impact_trials.trial import Trial
from impact_trials.truth.trial_table import read_trials

POINT = ["--point", "0.5,0,0.2"]
COMMANDS = {
    "map": ["map", *POINT, "--grid", "2,2", "--friction", "0,0.2", "--jobs", "1"],
    "plan": ["plan", "--friction", "0,0.2", "--optimize"],
    "reproduce": ["reproduce", "load", "--poses", "1", "--jobs", "1", "--out", "{folder}"],
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler with one worker, its address and its file."""
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "protocol": "tcp"}
    with distributed.LocalCluster(**options, dashboard_address=None) as made:
        file = tmp_path_factory.mktemp("scheduler") / "scheduler.json"
        file.write_text(json.dumps(made.scheduler.identity()))
        yield {"address": made.scheduler_address, "file": str(file)}


@pytest.fixture
def asked(monkeypatch):
    """Names of the functions that the cluster is given."""
    names, whole = [], processes._on_dask

    def on_dask(work, arguments, address):
        names.append(work.__name__)
        yield from whole(work, arguments, address)

    monkeypatch.setattr(processes, "_on_dask", on_dask)
    return names


def output(arguments, capsys):
    assert run([*arguments, "--json"]) in (0, 1)
    document = json.loads(capsys.readouterr().out)
    return {key: document[key] for key in document if key not in ("seconds", "commit", "took_s")}


@pytest.mark.parametrize("command", ["map", "plan"])
def test_the_output_is_that_of_this_machine(command, cluster, asked, capsys):
    here = output(COMMANDS[command], capsys)
    assert not asked
    assert output([*COMMANDS[command], "--dask", cluster["address"]], capsys) == here
    assert asked


def test_a_study_is_made_on_the_cluster(cluster, asked, capsys, tmp_path):
    given = [each.format(folder=tmp_path / "study") for each in COMMANDS["reproduce"]]
    output([*given, "--dask", cluster["file"]], capsys)
    assert asked
    assert (tmp_path / "study").is_dir()


@pytest.fixture
def elsewhere(monkeypatch, tmp_path_factory):
    """The folder of a cluster whose workers are not where the command is."""
    there = tmp_path_factory.mktemp("there")

    def on_dask(work, arguments, address):
        for each in list(arguments):
            with monkeypatch.context() as worker:
                worker.chdir(there)
                result = work(*each)
            yield result

    monkeypatch.setattr(processes, "_on_dask", on_dask)
    return there


def test_relative_paths_are_right_for_workers_in_other_folders(
    elsewhere, tmp_path, monkeypatch, capsys
):
    panda = read_mapping(robot_path("panda"))
    (tmp_path / "arms").mkdir()
    (tmp_path / "arms" / "arm.urdf").write_text(load_robot("panda").urdf)
    (tmp_path / "arms" / "arm.yaml").write_text(yaml.dump(panda | {"urdf": "arm.urdf"}))
    (tmp_path / "hit.yaml").write_text("like: iim_wall_cfg1\nrobot: arms/arm.yaml\n")
    monkeypatch.chdir(tmp_path)
    output(["simulate", "hit.yaml", "--record", "trials", "--dask", "there"], capsys)
    parameters = from_values(DetectorParameters, {"robot": "arms/arm.yaml"})
    with on_cluster("there"):
        found = analyze("trials", robot="arms/arm.yaml", urdf="arms/arm.urdf")
        (judged,) = judge_trials(read_trials(Path("trials"), 7), parameters)[FUSED]
    assert len(found.impacts) == 1
    assert judged.truth.bag.name == "hit_000"
    assert not list(elsewhere.iterdir())


def test_a_cell_and_its_references_are_sent_with_absolute_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scenario = load_spreading("rs_grab_catfood_late")
    left, right = scenario.cell.robots
    own = replace(scenario.cell, robots=(left._replace(robot="arm.yaml"), right))
    trial = Trial(replace(scenario, cell=own, references=("l.yaml", "r.yaml")), 0, 0)
    with on_cluster("there"), monkeypatch.context() as patched:
        patched.setattr(processes, "_on_dask", lambda _, arguments, __: arguments)
        ((sent, folder),) = Workers(1, "test").finished(square, [(trial, Path("out"))])
    assert folder == tmp_path / "out"
    assert [each.robot for each in sent.scenario.cell.robots] == [
        str(tmp_path / "arm.yaml"),
        right.robot,
    ]
    assert sent.scenario.references == (str(tmp_path / "l.yaml"), str(tmp_path / "r.yaml"))


def square(number):
    return number * number


@pytest.mark.parametrize("how", ["address", "file"])
def test_work_is_handed_out_a_little_at_a_time(cluster, how):
    taken, results = [], []

    def arguments():
        for number in range(1000):
            taken.append(number)
            yield (number,)

    with on_cluster(cluster[how]):
        for result in in_order(square, arguments(), 1, "test"):
            results.append(result)
            assert len(taken) <= len(results) + processes.TASKS_AHEAD * processes.MOST
    assert results == [number * number for number in range(1000)]


def test_processes_get_a_little_at_a_time_too():
    taken, count = [], 0

    def arguments():
        for number in range(200):
            taken.append(number)
            yield (number,)

    with Workers(2, "test") as workers:
        for _ in workers.finished(abs, arguments()):
            count += 1
            assert len(taken) <= count + 3 * processes.AHEAD
    assert count == 200


def test_a_cluster_is_used_only_within_its_context(asked):
    with on_cluster("tcp://127.0.0.1:9"):
        pass
    assert list(in_order(square, [(2,)], 1, "test")) == [4]
    assert not asked


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["plan", "--dask", "tcp://127.0.0.1:9"], "--dask: only with --optimize"),
        (["map", *POINT, "--dask", "tcp://127.0.0.1:9"], "--dask: no scheduler at"),
        (["reproduce", "iim", "--dask", "tcp://127.0.0.1:9"], "--dask: expected table foreign or "),
    ],
)
def test_wrong_usage_is_one_line(arguments, text, capsys):
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert text in said
    assert [line for line in said.splitlines() if line != "map ..."] == [said.splitlines()[-1]]
