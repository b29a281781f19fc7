# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The steps of the set-up. Each can be repeated; each leaves a stamp only when it is complete."""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from impact_setup import stamps
from impact_setup.distribution import RosSource
from impact_setup.layout import Layout
from impact_setup.runner import Runner

# Where the wheels' CMake files say that Python and numpy are: the machine that they were built on.
_BUILD_NUMPY = re.compile(r"/opt/python/[\w-]+/lib/python[\d.]+/site-packages/numpy/_core/include")
_BUILD_HEADERS = re.compile(r"/opt/python/[\w-]+/include/python[\d.]+")
_BUILD_PREFIX = re.compile(r"/opt/python/cp[\w-]+/")
_INCLUDES = """
import json, sysconfig, numpy
print(json.dumps([numpy.get_include(), sysconfig.get_path("include")]))
"""
# Installed by the wheels alone; a distribution has its own.
_WHEEL_ONLY = re.compile(r"(ros-|empy\b|lark-parser\b)")
PROBE_TIMEOUT_S = 60.0


def make_venv(
    runner: Runner, environ: Mapping[str, str], base: str, layout: Layout, source: RosSource
) -> None:
    """Make the virtual environment anew; what is left of an older one goes."""
    if layout.venv.is_dir():
        stamps.remove(layout.venv_stamp)
        shutil.rmtree(layout.venv)
    options = [] if source.from_wheels else ["--system-site-packages"]
    runner.run([base, "-m", "venv", *options, str(layout.venv)], environ)


def install(runner: Runner, environ: Mapping[str, str], layout: Layout, source: RosSource) -> None:
    """Install the pinned requirements; the wheels' CMake files are mended afterwards."""
    requirements = layout.state / "requirements.txt"
    requirements.write_text(wanted_requirements(layout.requirements.read_text(), source))
    runner.run(
        [
            str(layout.python),
            "-m",
            "pip",
            "install",
            "--no-input",
            "--disable-pip-version-check",
            "-r",
            str(requirements),
        ],
        {**environ, "PYTHONPATH": ""},
    )
    if source.from_wheels:
        mend(layout.venv, *include_folders(layout.python))


def began_installing(log: Path) -> bool:
    """Say whether pip had begun to change the environment when it failed."""
    return "Installing collected packages" in log.read_text(errors="replace")


def wanted_requirements(text: str, source: RosSource) -> str:
    """Return the requirements that a ROS 2 needs: all with the wheels, else those beside ROS 2."""
    lines = text.splitlines()
    if not source.from_wheels:
        lines = [line for line in lines if not _WHEEL_ONLY.match(line)]
    return "\n".join(lines) + "\n"


def include_folders(python: Path) -> tuple[str, str]:
    """Ask an interpreter for numpy's and its own header folders."""
    answer = subprocess.run(
        [python, "-c", _INCLUDES],
        capture_output=True,
        text=True,
        timeout=PROBE_TIMEOUT_S,
        check=True,
    )
    numpy_include, python_include = json.loads(answer.stdout)
    return numpy_include, python_include


def mend(venv: Path, numpy_include: str, python_include: str) -> int:
    """Make the wheels' exported CMake files name this machine's paths.

    Args:
        venv: The virtual environment.
        numpy_include: The folder of numpy's headers.
        python_include: The folder of Python's headers.

    Returns:
        How many files were changed; none when they were mended before.
    """
    changed = 0
    for file in sorted(venv.glob("share/*/cmake/*.cmake")):
        text = file.read_text()
        mended = mended_text(text, venv, numpy_include, python_include)
        if mended != text:
            file.write_text(mended)
            changed += 1
    return changed


def mended_text(text: str, venv: Path, numpy_include: str, python_include: str) -> str:
    """Return a CMake file's text with the build machine's paths replaced."""
    text = _BUILD_NUMPY.sub(lambda _: numpy_include, text)
    text = _BUILD_HEADERS.sub(lambda _: python_include, text)
    return _BUILD_PREFIX.sub(lambda _: f"{venv}/", text)


def build(runner: Runner, environ: Mapping[str, str], package: str, layout: Layout) -> None:
    """Build one colcon package from scratch, so that nothing of an older build is left in it."""
    stamps.remove(layout.package_stamp(package))
    shutil.rmtree(layout.build(package), ignore_errors=True)
    shutil.rmtree(layout.install(package), ignore_errors=True)
    runner.run(
        [
            str(layout.venv / "bin" / "colcon"),
            "build",
            "--symlink-install",
            "--packages-select",
            package,
            "--cmake-args",
            f"-DPython3_EXECUTABLE={layout.python}",
            "-DCMAKE_BUILD_TYPE=Release",
        ],
        environ,
    )


def compile_loops(runner: Runner, environ: Mapping[str, str], layout: Layout) -> None:
    """Compile what is compiled at its first use, and kept beside its source."""
    runner.run([str(layout.python), "-m", "impact_trials.warm_up"], environ)
