# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What ``./impact doc`` needs besides: Sphinx, in a folder of its own, when it is first asked for.

Not in ``.venv``: Sphinx does not accept the docutils that colcon needs, and whoever only wants the
demo need not wait for it.
"""

import shutil
import sys
from collections.abc import Mapping

from impact_setup import environment, lock, stamps
from impact_setup.distribution import RosSource
from impact_setup.errors import in_one_line
from impact_setup.layout import Layout
from impact_setup.runner import Runner


def sphinx_line(arguments: list[str], layout: Layout) -> list[str]:
    """Return what builds all pages anew; every warning is an error, and all of them are shown."""
    pages, built = str(layout.root / "doc"), str(layout.build("doc"))
    options = ["--fail-on-warning", "--keep-going", "--fresh-env", "--write-all"]
    return [str(layout.python), "-m", "sphinx", *options, *arguments, pages, built]


def prepare(
    environ: Mapping[str, str], layout: Layout, source: RosSource, paths: Mapping[str, str]
) -> dict[str, str]:
    """Install Sphinx if it is not there, and return the search paths with it.

    Args:
        environ: The caller's variables.
        layout: A checkout that is set up.
        source: The ROS 2 that it is built on.
        paths: The search paths of the workspace.

    Raises:
        SetupError: It cannot be installed; says why.
    """
    with in_one_line(layout.root), lock.held(layout.lock) as descriptor:
        runner = Runner(layout.log, layout.root, descriptor)
        _install(runner, environment.for_building(environ, layout, source), layout)
    found = [str(layout.sphinx), *environment.entries(paths.get("PYTHONPATH", ""))]
    return {**paths, "PYTHONPATH": environment.joined(found)}


def _install(runner: Runner, environ: Mapping[str, str], layout: Layout) -> None:
    """Install the requirements of doc/ for the present interpreter, unless that was done."""
    requirements = layout.root / "doc" / "requirements.txt"
    stamp = layout.sphinx / "impact-setup.json"
    key = stamps.digest([stamps.read(layout.venv_stamp).get("venv", "")], [requirements])
    if stamps.read(stamp).get("key") == key:
        return
    print("installing Sphinx... ", end="", file=sys.stderr, flush=True)
    shutil.rmtree(layout.sphinx, ignore_errors=True)
    options = ["--no-input", "--disable-pip-version-check", "--target", str(layout.sphinx)]
    pip = [str(layout.python), "-m", "pip", "install", *options, "-r", str(requirements)]
    runner.run(pip, {**environ, "PYTHONPATH": ""})
    stamps.write(stamp, {"key": key})
    print("done", file=sys.stderr)
