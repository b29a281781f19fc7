# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The variables that a command runs with.

Sourcing colcon's scripts takes a second, so it is done once after a build; what it adds to each
search path is cached, and put in front of the caller's own at every start.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from impact_setup import stamps
from impact_setup.distribution import RosSource, foreign_entries, is_within
from impact_setup.errors import SetupError
from impact_setup.layout import Layout

ROS_PATHS = ("AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH", "COLCON_PREFIX_PATH")
SEARCH_PATHS = (*ROS_PATHS, "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "PYTHONPATH")
# Set by a start-up hook of the ROS 2 wheels; another environment's Python must not inherit it.
WHEELS_MARK = "_ROS_WHEELS_BOOTSTRAP_COMPLETE"
# Containers often set it; every process would compile the suite's sources again.
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
DEFAULTS = {
    "OPENBLAS_NUM_THREADS": "1",
    "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    "FASTDDS_BUILTIN_TRANSPORTS": "UDPv4",
    "CMAKE_GENERATOR": "Ninja",
    "NUMBA_OPT": "2",  # compiles in two thirds of the time of 3, to code that is as fast
}
IN_HOME = {"ROS_HOME": "ros", "MPLCONFIGDIR": "matplotlib"}  # logs, fonts; kept here without one
SOURCE_TIMEOUT_S = 60.0
_DUMP = "import json, os; print(json.dumps(dict(os.environ)))"


def clean(environ: Mapping[str, str], layout: Layout, source: RosSource) -> dict[str, str]:
    """Return the caller's variables without traces of this or another workspace.

    With the wheels the ROS search paths start empty; with a distribution they keep its entries.
    """
    result = {
        name: value
        for name, value in environ.items()
        if name not in (WHEELS_MARK, NO_BYTECODE, "PYTHONHOME", *SEARCH_PATHS)
    }
    result["PATH"] = joined(foreign_entries(environ.get("PATH", os.defpath), layout.root))
    if not source.from_wheels:
        for name in SEARCH_PATHS:
            result[name] = joined(foreign_entries(environ.get(name, ""), layout.root))
    return {name: value for name, value in result.items() if value or name not in SEARCH_PATHS}


def for_building(environ: Mapping[str, str], layout: Layout, source: RosSource) -> dict[str, str]:
    """Return the variables that pip and colcon run with."""
    result = clean(environ, layout, source)
    result["PATH"] = joined([str(layout.venv / "bin"), result["PATH"]])
    result["VIRTUAL_ENV"] = str(layout.venv)
    result["PIP_USER"] = "0"
    for name in ("CMAKE_GENERATOR", "NUMBA_OPT"):
        result.setdefault(name, DEFAULTS[name])
    if source.from_wheels:
        result["AMENT_PREFIX_PATH"] = result["CMAKE_PREFIX_PATH"] = str(layout.venv)
    return result


def capture(environ: Mapping[str, str], layout: Layout, source: RosSource) -> dict[str, str]:
    """Source the built workspace and return the search paths that result.

    Raises:
        SetupError: The workspace's script fails.
    """
    folder = layout.root / "install"
    script = folder / "setup.sh"
    start = for_building(environ, layout, source)
    # colcon's scripts do not quote these two, so a checkout whose path has a space needs them
    start["COLCON_CURRENT_PREFIX"] = str(folder)
    start["COLCON_PYTHON_EXECUTABLE"] = os.path.realpath(sys.executable)
    answer = subprocess.run(
        ["sh", "-c", '. "$0" && exec "$1" -I -S -c "$2"', script, sys.executable, _DUMP],
        env=start,
        capture_output=True,
        text=True,
        timeout=SOURCE_TIMEOUT_S,
        check=False,
    )
    if answer.returncode:
        raise SetupError(f"sourcing {script} failed: {answer.stderr.strip() or 'no message'}")
    variables = json.loads(answer.stdout)
    paths = {name: joined(entries(variables.get(name, ""))) for name in SEARCH_PATHS}
    # the checkout first: an edited Python file is what runs
    paths["PYTHONPATH"] = joined([str(layout.root), *entries(paths["PYTHONPATH"])])
    return paths


def save(key: str, paths: Mapping[str, str], layout: Layout) -> None:
    """Cache captured search paths under the key of the build that they come from."""
    stamps.write(layout.environment, {"key": key, **paths})


def cached(key: str, layout: Layout) -> "dict[str, str] | None":
    """Return the cached search paths, or None when they belong to another build."""
    content = stamps.read(layout.environment)
    return content if content.pop("key", None) == key else None


def for_running(
    environ: Mapping[str, str], paths: Mapping[str, str], layout: Layout, source: RosSource
) -> dict[str, str]:
    """Return the variables that a command runs with.

    Args:
        environ: The caller's variables; where they set one of the defaults, theirs stays.
        paths: The captured search paths.
        layout: The checkout.
        source: The ROS 2 that it is built on.
    """
    result = {**DEFAULTS, **clean(environ, layout, source), "VIRTUAL_ENV": str(layout.venv)}
    if not os.access(environ.get("HOME", ""), os.W_OK):
        for name, folder in IN_HOME.items():
            result.setdefault(name, str(layout.environment.parent / folder))
    for name, path in paths.items():
        result[name] = joined([*entries(path), *callers_own(name, environ, layout)])
    result["PATH"] = joined([str(layout.venv / "bin"), result["PATH"]])
    return {name: value for name, value in result.items() if value or name not in SEARCH_PATHS}


def callers_own(name: str, environ: Mapping[str, str], layout: Layout) -> list[str]:
    """Return the entries of a search path that no ROS workspace put there.

    Without this, the shell of one checkout would lend its messages to the commands of another.
    """
    if name in ROS_PATHS:
        return []
    prefixes = [*entries(environ.get("AMENT_PREFIX_PATH", "")), environ.get("VIRTUAL_ENV", "")]
    workspaces = [Path(prefix) for prefix in prefixes if prefix]
    own = foreign_entries(environ.get(name, ""), layout.root)
    return [entry for entry in own if not is_within(entry, workspaces)]


def entries(path: str) -> list[str]:
    """Split a search path; an empty entry, which would mean the current directory, is dropped."""
    return [entry for entry in path.split(os.pathsep) if entry]


def joined(parts: list[str]) -> str:
    """Join the entries of a search path, each once."""
    return os.pathsep.join(dict.fromkeys(parts))
