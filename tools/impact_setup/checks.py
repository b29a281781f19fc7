# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What must be there before the set-up starts, so that it fails in a second and not in a minute."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from impact_setup.errors import SetupError

COMPILERS = ("c++", "g++", "clang++")
GIGABYTE = 1e9
# Measured: 1.1 GB of packages, 0.1 GB of builds, and as much again as pip unpacks at one time.
VENV_GB = 2.5
BUILD_GB = 0.2


def require_writable(root: Path) -> None:
    """Raise SetupError unless the checkout can be written to."""
    if not os.access(root, os.W_OK):
        raise SetupError(
            f"cannot write to {root}: the set-up needs to make .venv, build and install"
        )


def require_space(root: Path, needed_gb: float) -> None:
    """Raise SetupError unless the checkout's disk has the space."""
    free_gb = shutil.disk_usage(root).free / GIGABYTE
    if free_gb < needed_gb:
        raise SetupError(
            f"no space left: {needed_gb:.1f} GB are needed in {root}, {free_gb:.1f} GB are free"
        )


def require_compiler(environ: Mapping[str, str]) -> None:
    """Raise SetupError unless a C++ compiler is found."""
    names = [environ["CXX"]] if environ.get("CXX") else list(COMPILERS)
    # CXX may carry options or a launcher: "ccache g++"
    if not any(shutil.which(name.split()[0], path=environ.get("PATH")) for name in names):
        raise SetupError(
            f"no C++ compiler: looked for {', '.join(names)} (Debian, Ubuntu: apt install g++)"
        )
