# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which Python interpreter the virtual environment is made from."""

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from impact_setup.distribution import RosSource
from impact_setup.errors import SetupError

WHEEL_VERSIONS = ("3.10", "3.11", "3.12", "3.13")
PROBE_TIMEOUT_S = 20.0

_PROBE = """
import importlib.util, json, os, sys, sysconfig
found = lambda name: importlib.util.find_spec(name) is not None
header = os.path.join(sysconfig.get_path("include"), "Python.h")
print(json.dumps({
    "path": os.path.realpath(sys.executable),
    "version": "%d.%d" % sys.version_info[:2],
    "has_venv": found("venv") and found("ensurepip"),
    "has_headers": os.path.exists(header),
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python on this machine, and whether a workspace can be built with it."""

    path: str
    version: str
    has_venv: bool
    has_headers: bool

    def lacks(self) -> str:
        """Return what is missing to build with it and how to get it, or nothing."""
        if not self.has_venv:
            return f"the venv module (Debian, Ubuntu: apt install python{self.version}-venv)"
        if not self.has_headers:
            return f"Python.h (Debian, Ubuntu: apt install python{self.version}-dev)"
        return ""


def probe(command: str) -> "Interpreter | None":
    """Ask an interpreter about itself; None when it does not run."""
    try:
        answer = subprocess.run(
            [command, "-I", "-c", _PROBE],
            capture_output=True,
            text=True,
            timeout=PROBE_TIMEOUT_S,
            check=True,
        )
        return Interpreter(**json.loads(answer.stdout))
    except (OSError, subprocess.SubprocessError, ValueError, TypeError):
        return None


def platform_tag() -> str:
    """Return the platform as wheels name it, such as ``linux_x86_64``."""
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def candidates(environ: Mapping[str, str]) -> list[str]:
    """List the commands to try: ``$PYTHON`` alone when it is set."""
    if environ.get("PYTHON"):
        return [environ["PYTHON"]]
    this = os.path.realpath(sys.executable)
    return ["python3", this, *(f"python{version}" for version in reversed(WHEEL_VERSIONS))]


def choose(found: Iterable["Interpreter | None"], source: RosSource) -> Interpreter:
    """Return the first interpreter that fits the ROS 2 and can build with it.

    Args:
        found: Interpreters in order of preference; probed one by one as they are needed.
        source: The ROS 2 to build on.

    Raises:
        SetupError: None fits; says what each lacks.
    """
    wanted = WHEEL_VERSIONS if source.from_wheels else (source.python,)
    seen = []
    for interpreter in filter(None, found):
        fits = interpreter.version in wanted
        if fits and not interpreter.lacks():
            return interpreter
        lacks = f" without {interpreter.lacks()}" if fits else ""
        seen.append(f"{interpreter.path} {interpreter.version}{lacks}")
    raise SetupError(
        f"Python {' or '.join(wanted)} is needed for ROS 2 from {source.name}; "
        f"found: {'; '.join(dict.fromkeys(seen)) or 'none'}. PYTHON=/path/to/python chooses one"
    )
