# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The steps of the set-up. Each can be repeated; each leaves a stamp only when it is complete."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from impact_setup import requirements, stamps
from impact_setup.distribution import RosSource
from impact_setup.layout import Layout
from impact_setup.runner import Runner, Started

# Where the wheels' CMake files say that Python and numpy are: the machine that they were built on.
_BUILD_NUMPY = re.compile(r"/opt/python/[\w-]+/lib/python[\d.]+/site-packages/numpy/_core/include")
_BUILD_HEADERS = re.compile(r"/opt/python/[\w-]+/include/python[\d.]+")
_BUILD_PREFIX = re.compile(r"/opt/python/cp[\w-]+/")
_INCLUDES = """
import json, sysconfig, numpy
print(json.dumps([numpy.get_include(), sysconfig.get_path("include")]))
"""
# The headers of Boost, Pinocchio and others, against which nothing is compiled: 0.2 GB.
UNUSED_HEADERS = "cmeel.prefix/include"
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


def install(
    runner: Runner,
    environ: Mapping[str, str],
    layout: Layout,
    source: RosSource,
    further: Iterable[str],
) -> None:
    """Install the pinned requirements; the wheels' CMake files are mended afterwards.

    Bytecode is left to the first import: most modules are never imported.
    """
    text = layout.requirements.read_text()
    wanted = layout.state / "requirements.txt"
    wanted.write_text(requirements.wanted(text, source, further))
    versions = layout.state / "constraints.txt"
    versions.write_text(requirements.constraints(text))
    options = ["--no-input", "--disable-pip-version-check", "--no-compile"]
    files = ["-r", str(wanted), "-c", str(versions)]
    pip = [str(layout.python), "-m", "pip", "install", *options, *files]
    runner.run(pip, {**environ, "PYTHONPATH": ""})
    slim(layout.venv)
    if source.from_wheels:
        mend(layout.venv, *include_folders(layout.python))


def slim(venv: Path) -> None:
    """Remove unused headers, and join the copies that wheels hold in place of links."""
    for packages in venv.glob("lib/python3*/site-packages"):
        shutil.rmtree(packages / UNUSED_HEADERS, ignore_errors=True)
        join_copies((packages / UNUSED_HEADERS).parent / "lib")


def join_copies(folder: Path) -> int:
    """Make equal libraries of a folder, such as ``libx.so`` and ``libx.so.1``, one file.

    Returns:
        How many files were replaced by a hard link.
    """
    first: dict[str, Path] = {}
    joined = 0
    for file in sorted(folder.glob("*.so*")):
        if file.is_symlink():
            continue
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        same = first.setdefault(content, file)
        if not file.samefile(same):
            link = file.with_name(file.name + ".link")
            link.unlink(missing_ok=True)
            os.link(same, link)
            link.replace(file)
            joined += 1
    return joined


def began_installing(log: Path) -> bool:
    """Say whether pip had begun to change the environment when it failed."""
    return "Installing collected packages" in log.read_text(errors="replace")


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


def start_build(
    runner: Runner,
    environ: Mapping[str, str],
    package: str,
    layout: Layout,
    to_copy: bool = False,
) -> Started:
    """Start to build a colcon package from scratch: nothing of an older build is left in it.

    Args:
        runner: Runs colcon.
        environ: The variables.
        package: Its name.
        layout: The checkout.
        to_copy: Whether the result is to be copied elsewhere: no links, no paths of libraries.
    """
    from_wheels = environ.get("AMENT_PREFIX_PATH") == str(layout.venv)
    stamps.remove(layout.package_stamp(package))
    shutil.rmtree(layout.build(package), ignore_errors=True)
    shutil.rmtree(layout.install(package), ignore_errors=True)
    return runner.start(
        [
            str(layout.venv / "bin" / "colcon"),
            "build",
            *([] if to_copy else ["--symlink-install"]),
            "--packages-select",
            package,
            "--cmake-args",
            f"-DPython3_EXECUTABLE={layout.python}",
            "-DCMAKE_BUILD_TYPE=Release",
            *(["-DONE_UNIT_PER_LIBRARY=ON"] if from_wheels else []),
            *(["-DCMAKE_SKIP_RPATH=ON", "-DBUILD_TESTING=OFF"] if to_copy else []),
        ],
        environ,
    )


def compile_loops(runner: Runner, environ: Mapping[str, str], layout: Layout) -> None:
    """Compile what is compiled at its first use, and kept beside its source."""
    runner.run([str(layout.python), "-m", "impact_trials.warm_up"], environ)
