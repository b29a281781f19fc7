# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Packages import downwards only, none grows too large, and a name means one thing."""

import ast
import gc
from collections import Counter, defaultdict
from graphlib import CycleError, TopologicalSorter

import pytest

LAYERS = (  # a package imports from those before its own layer
    {"impact_robots"},
    {"impact_ros"},
    {"impact_predictor"},
    {"impact_detector", "impact_qp", "impact_sim"},
    {"impact_bags"},
    {"impact_trials", "impact_bringup", "impact_view"},
    {"impact_drivers"},
    {"impact_analysis"},
    {"impact_cli"},
    {"studies"},  # in a checkout, not installed
)
LEVELS = {package: level for level, packages in enumerate(LAYERS) for package in packages}
CONTROLLERS = (  # what commands robots; each entry of the suite that does
    *("impact_qp.node", "impact_qp.arms.node", "impact_qp.body.node", "impact_qp.learning.node"),
    "impact_qp.governor.node",
    *("impact_drivers.franka.node", "impact_drivers.franka.loop_main", "impact_bringup.suite"),
)
USED_BY_NAME = {  # and so imported by no other module of the suite
    *("impact_analysis.demo.program_picture", "impact_bringup.bring_up", "impact_bringup.suite"),
    *("impact_drivers.franka.loop_main", "impact_drivers.franka.node", "impact_view.live"),
    *("impact_qp.arms.node", "impact_qp.body.node", "impact_qp.learning.node"),
    "impact_qp.governor.node",
    *("impact_ros.node.ament_license", "impact_sim.cell.node", "impact_trials.warm_up"),
    "impact_trials.many_states",
}
REGISTRIES = ("impact_cli.commands", "impact_detector.detectors", "impact_predictor.laws")
ONE_KIND = ("impact_cli/commands", "impact_qp/compiled")  # a command, an inner loop of a cycle each
MOST_FILES = 12  # of a folder that is no registry of one kind
LARGEST = 0.25  # of the library's lines
MOST_EXPORTS = 40  # names of a package
MOST_ARGUMENTS = 8  # of a function; of plain ones, options that are given by name are not counted
COMPILERS = {"compiled", "part"}  # decorators of compiled functions


@pytest.fixture(scope="module")
def files(project_root):
    """The library's modules, path by name; a package's is that of its folder."""
    paths = [path for package in LEVELS for path in (project_root / package).rglob("*.py")]
    parts = {path: path.relative_to(project_root).with_suffix("").parts for path in paths}
    return {".".join(part for part in parts[path] if part != "__init__"): path for path in paths}


@pytest.fixture(scope="module")
def trees(files):
    gc.disable()  # of so many objects it would take as long as the parser
    try:
        return {name: ast.parse(path.read_text()) for name, path in files.items()}
    finally:
        gc.enable()


@pytest.fixture(scope="module")
def arrows(trees):
    """What each module imports, wherever it does."""
    return {name: imported(ast.walk(tree), trees) for name, tree in trees.items()}


def imported(nodes, known):
    """The modules of the suite, all of which are known, that syntax nodes import."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in known else node.module for name in names}
    return found & known.keys()


def all_imported(tree):
    """Return the names of all modules that a syntax tree imports, wherever it does."""
    nodes = list(ast.walk(tree))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom)}


def circle(graph):
    """Return a circle of a graph as text, or nothing."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " -> ".join(map(str, error.args[1]))
    return ""


def test_every_package_has_its_layer(project_root):
    found = {path.parent.name for path in project_root.glob("impact_*/__init__.py")}
    assert found | {"studies"} == set(LEVELS)


def test_packages_import_downwards_only(arrows):
    pairs = [(name, target) for name, targets in arrows.items() for target in targets]
    assert len(pairs) > len(arrows)
    upward = []
    for name, target in pairs:
        package, other = name.split(".")[0], target.split(".")[0]
        if other != package and LEVELS[other] >= LEVELS[package]:
            upward.append(f"{name} -> {target}")
    assert upward == []


@pytest.mark.parametrize("name", CONTROLLERS)
def test_nothing_that_controls_imports_a_simulator(arrows, name):
    """A real arm or humanoid is configured without a word of simulation, lazily imported or not."""
    reached, waiting = set(), [name]
    while waiting:
        module = waiting.pop()
        reached.add(module)
        waiting += arrows[module] - reached
    assert len(reached) > 40
    assert [each for each in sorted(reached) if each.startswith("impact_sim")] == []


def test_what_only_tests_studies_or_benchmarks_use_is_not_installed(project_root, trees, arrows):
    launched = [ast.parse(path.read_text()) for path in project_root.glob("launch/*.py")]
    used = set().union(*(imported(ast.walk(tree), trees) for tree in launched))
    used |= {each for name in trees if not is_study(name) for each in arrows[name]}
    unused = {name for name in trees if name not in used and not is_study(name)}
    unused -= {name for name in unused if name.rpartition(".")[0] in REGISTRIES}
    packages = {name.rpartition(".")[0] for name in trees}
    assert unused - packages - set(LEVELS) == USED_BY_NAME


def is_study(name):
    return name.split(".")[0] == "studies"


def test_trials_need_no_ros(trees):
    trials = [name for name in trees if name.startswith("impact_trials")]
    assert len(trials) > 20
    for name in trials:
        roots = {module.split(".")[0] for module in all_imported(trees[name])}
        assert not roots & {"rclpy", "impact_msgs", "sensor_msgs", "geometry_msgs"}, name


def test_no_files_import_each_other_in_a_circle(arrows):
    """Not within functions either, nor for types alone."""
    assert not circle(arrows)


def test_no_rooms_import_each_other_in_a_circle(files, arrows):
    rooms = defaultdict(set)
    for name, targets in arrows.items():
        for target in targets:
            room, other = (files[each].parent for each in (name, target))
            if room != other and other.parent.name in LEVELS and room.parent == other.parent:
                rooms[room].add(other)
    assert len(rooms) > 10
    assert not circle(rooms)


def test_folders_have_a_dozen_files_at_most(project_root, files):
    found = [path.parent for path in files.values() if path.name != "__init__.py"]
    counts = Counter(folder.relative_to(project_root).as_posix() for folder in found)
    assert set(ONE_KIND) <= set(counts)
    large = {folder: count for folder, count in counts.items() if count > MOST_FILES}
    assert {folder: count for folder, count in large.items() if folder not in ONE_KIND} == {}


def test_no_package_is_most_of_the_library(files):
    lines = Counter()
    for name, path in files.items():
        lines[name.split(".")[0]] += len(path.read_text().splitlines())
    package, count = lines.most_common(1)[0]
    assert count < LARGEST * lines.total(), package


def test_no_class_name_has_two_meanings(trees):
    places = defaultdict(list)
    for name, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    assert len(places) > 100
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_packages_export_what_users_need(trees):
    counts = {}
    for package in LEVELS:
        for node in trees[package].body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                counts[package] = len(ast.literal_eval(node.value))
    assert max(counts.values()) > 20
    assert {package: count for package, count in counts.items() if count > MOST_EXPORTS} == {}


def is_compiled(function):
    names = {node.id for node in function.decorator_list if isinstance(node, ast.Name)}
    return bool(names & COMPILERS)


def count(function):
    """Arguments of a function, without that of a method for its object."""
    given = function.args
    names = [each.arg for each in given.posonlyargs + given.args]
    options = len(given.kwonlyargs) if is_compiled(function) else 0
    return len(names) + options - (names[:1] in (["self"], ["cls"]))


def test_no_function_has_more_arguments_than_one_can_keep_apart(trees):
    found = [
        (name, node.name, count(node), is_compiled(node))
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    ]
    assert sum(compiled for *_, compiled in found) > 100
    assert [each for each in found if each[2] > MOST_ARGUMENTS] == []
