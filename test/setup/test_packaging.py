# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The packaging files agree with the tree and with each other."""

import ast
import os
import re
import runpy
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import setuptools
from impact_setup.cli import HELP
from packaging.requirements import Requirement
from packaging.version import Version

ROSDEP_KEYS = {  # of what is imported; a module that is not here is the ROS package of its name
    "matplotlib": "python3-matplotlib",
    "mpl_toolkits": "python3-matplotlib",
    "mujoco": "python3-mujoco-pip",
    "numba": "python3-numba",
    "numpy": "python3-numpy",
    "quadprog": "quadprog-pip",
    "rosbags": "python3-rosbags-pip",
    "scipy": "python3-scipy",
    "transforms3d": "python3-transforms3d",
    "yaml": "python3-yaml",
    "hypothesis": "python3-hypothesis",
    "pytest": "python3-pytest",
    "pytest_timeout": "python3-pytest-timeout",
}
WITHOUT_KEY = {  # of rosdep; the last five are in extras
    "daqp",
    "plotly",
    "viser",
    "distributed",
    "franky_sim",
    "h5py",
    "pyarrow",
    "pylibfranka",
}
WITH_NUMBA = {"llvmlite"}
WITH_VISER = {"imageio", "trimesh", "websockets"}
WITH_ROSBAGS = {"backports", "compression", "lz4", "ruamel"}  # come with rosbags
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]


@pytest.fixture(scope="module")
def setup_tree(project_root):
    return ast.parse((project_root / "setup.py").read_text())


def arguments_of_setup(project_root, command):
    """What setup.py gives to setuptools for a command."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(setuptools, "setup", lambda **arguments: found.update(arguments))
        patch.setattr(sys, "argv", ["setup.py", command])
        patch.chdir(project_root)
        runpy.run_path("setup.py")
    return found


@pytest.fixture(scope="module")
def setup_arguments(project_root):
    """The keyword arguments of setup() for colcon."""
    return arguments_of_setup(project_root, "develop")


@pytest.fixture(scope="module")
def pins(project_root):
    lines = (project_root / "requirements.txt").read_text().splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def pinned(pins, python):
    """Versions by name, as they are installed on a Python."""
    environment = {"python_version": python}
    wanted = [pin for pin in pins if pin.marker is None or pin.marker.evaluate(environment)]
    names = [pin.name for pin in wanted]
    assert len(names) == len(set(names)), "a package is pinned twice"
    return {pin.name.lower(): str(pin.specifier).removeprefix("==") for pin in wanted}


def test_every_package_in_the_tree_is_listed(project_root, setup_tree):
    assigned = next(
        node.value
        for node in ast.walk(setup_tree)
        if isinstance(node, ast.Assign) and node.targets[0].id == "PACKAGES"
    )
    found = setuptools.find_packages(str(project_root), include=["impact_*"])
    assert sorted(ast.literal_eval(assigned)) == sorted(found)


def test_every_console_script_has_its_main(project_root, setup_arguments):
    scripts = setup_arguments["entry_points"]["console_scripts"]
    for script in scripts:
        module, function = re.fullmatch(r"\w+ = ([\w.]+):(\w+)", script).groups()
        source = (project_root / module.replace(".", "/")).with_suffix(".py").read_text()
        assert function in names_defined(ast.parse(source).body), script


@pytest.mark.parametrize("command", ["dist_info", "bdist_wheel"])  # pip gives both
def test_all_that_a_wheel_puts_on_the_path_is_named_impact(project_root, setup_arguments, command):
    for_wheel = arguments_of_setup(project_root, command)["entry_points"]["console_scripts"]
    names = [script.split(" = ") for script in for_wheel]
    assert all(name.startswith("impact") for name, _ in names)
    of_colcon = setup_arguments["entry_points"]["console_scripts"]
    assert [each for _, each in names] == [each.split(" = ")[1] for each in of_colcon]


def test_an_index_shows_the_readme_without_what_it_cannot_find(project_root, setup_arguments):
    shown = setup_arguments["long_description"]
    assert "impact demo" in shown
    assert re.findall(r"\]\((?!https?:)", (project_root / "README.md").read_text())
    assert not re.findall(r"\]\((?!https?:)", shown)


def test_the_extra_for_ros_is_pinned_within_its_range(pins, setup_arguments, project_root):
    versions = {**pinned(pins, "3.11"), "impact-msgs": setup_arguments["version"]}
    for requirement in map(Requirement, setup_arguments["extras_require"]["ros"]):
        assert requirement.specifier.contains(versions[requirement.name]), requirement


def test_the_extra_for_ros_has_all_that_the_nodes_import(project_root, setup_arguments):
    names = {Requirement(each).name for each in setup_arguments["extras_require"]["ros"]}
    manifest = ElementTree.parse(project_root / "package.xml")
    needed = {element.text.replace("_", "-") for element in manifest.iter("exec_depend")}
    messages = {f"ros-{name}" for name in needed if re.search("-(msgs|srvs|interfaces)$", name)}
    assert names >= messages - {"ros-impact-msgs", "ros-builtin-interfaces"}  # brought in


def names_defined(body):
    """Functions and assigned names of a module."""
    assigned = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    return functions | {getattr(target, "id", "") for target in assigned}


def test_colcon_runs_the_tests(setup_arguments):
    assert "pytest" in setup_arguments["extras_require"]["test"]


def test_both_ros_packages_have_one_version_which_is_cited_and_has_its_changes(project_root):
    manifests = [project_root / name / "package.xml" for name in ("", "impact_msgs")]
    (version,) = {ElementTree.parse(file).findtext("version") for file in manifests}
    assert f"\nversion: {version}\n" in (project_root / "CITATION.cff").read_text()
    dated = rf"{re.escape(version)}\]? (- |\()\d{{4}}-\d\d-\d\d"
    for file in ("CHANGELOG.md", "impact_msgs/CHANGELOG.rst"):
        assert re.search(dated, (project_root / file).read_text()), file


def test_the_messages_own_tests_pass(project_root):
    pytest.importorskip("rclpy")
    folder = project_root / "impact_msgs"
    command = [sys.executable, "-m", "pytest", "-q", "test"]
    plain = {name: text for name, text in os.environ.items() if name != "PYTEST_ADDOPTS"}
    result = subprocess.run(
        command, cwd=folder, env=plain, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout
    assert "test/test_messages.py" in (folder / "CMakeLists.txt").read_text()


@pytest.mark.parametrize("field", ["author", "maintainer", "license", "description"])
@pytest.mark.parametrize("package", ["package.xml", "impact_msgs/package.xml"])
def test_a_manifest_says_who_and_what(project_root, package, field):
    assert ElementTree.parse(project_root / package).findtext(field)


def imported(files):
    """Return the top-level names that files import, wherever they do."""
    found = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module.split(".")[0])
    return found


def test_the_manifest_names_all_that_is_imported(project_root, setup_arguments):
    files = [*project_root.glob("impact_*/**/*.py"), *project_root.glob("launch/*.py")]
    files = [file for file in files if file.parts[-3] != "impact_msgs"]
    own = {path.parent.name for path in project_root.glob("impact_*/__init__.py")}
    modules = imported(files) - own - set(sys.stdlib_module_names) - WITHOUT_KEY
    modules -= WITH_NUMBA | WITH_ROSBAGS | WITH_VISER
    keys = {ROSDEP_KEYS.get(name, name) for name in modules}
    manifest = ElementTree.parse(project_root / "package.xml")
    named = {element.text for element in manifest.iter("exec_depend")}
    assert "pinocchio" in keys and "python3-numpy" in keys
    assert keys <= named
    for_tests = {element.text for element in manifest.iter("test_depend")}
    names = [name.replace("-", "_") for name in setup_arguments["extras_require"]["test"]]
    assert {ROSDEP_KEYS[name] for name in names} <= for_tests


@pytest.mark.parametrize("python", PYTHONS)
def test_every_requirement_is_pinned_exactly_once(python, pins):
    for name, version in pinned(pins, python).items():
        assert str(Version(version)) == version, f"{name} has no exact version"


@pytest.mark.parametrize("python", PYTHONS)
def test_what_the_library_needs_is_pinned_within_its_range(python, pins, setup_arguments):
    versions = pinned(pins, python)
    for text in setup_arguments["install_requires"]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(versions[requirement.name]), text


def test_setuptools_still_builds_links(pins):
    assert Version(pinned(pins, "3.11")["setuptools"]) < Version("80")


def test_the_entry_point_lists_the_commands_there_are():
    from impact_cli.command_names import COMMANDS, OF_CHECKOUT

    listed = set(re.findall(r"^  ([\w-]+)  ", HELP, re.MULTILINE))
    assert listed == {*COMMANDS, *OF_CHECKOUT}


@pytest.mark.parametrize("python", PYTHONS)
def test_the_documentation_is_built_with_the_versions_of_the_suite(project_root, pins, python):
    lines = (project_root / "doc" / "requirements.txt").read_text().splitlines()
    own = pinned([Requirement(line) for line in lines if line and line[0] != "#"], python)
    assert {"sphinx", "myst-parser", "furo"} < own.keys()
    assert all(re.fullmatch(r"[\w.]+", version) for version in own.values())
    others = pinned(pins, python)
    differ = {name for name, version in own.items() if others.get(name, version) != version}
    assert differ == {"docutils"}  # colcon's is newer than Sphinx takes


def test_no_source_file_names_a_package_index(project_root):
    host = "pypi" + ".org"
    names = ("requirements.txt", "setup.py", "pyproject.toml", ".ci/run", "impact")
    for name in (*names, "doc/requirements.txt"):
        assert host not in (project_root / name).read_text(), name
