# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""No node starts unsecured when security was asked for. Needs no ROS to import.

ROS 2 takes `ROS_SECURITY_ENABLE` for false unless it is exactly "true", and with the default
strategy (Permissive) a node whose keys are not found starts without any, after a warning. A
middleware that was built without security, such as that of the wheels, fails in two lines or not at
all. Here each of these ends the process in one line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from impact_ros.exceptions import RosError

ENABLE, STRATEGY, KEYSTORE = (
    "ROS_SECURITY_ENABLE",
    "ROS_SECURITY_STRATEGY",
    "ROS_SECURITY_KEYSTORE",
)
FASTDDS = "librmw_fastrtps_shared_cpp.so"
WITHOUT_SECURITY = b"-DSECURITY=ON"  # text in the library only if it was built without security


class SecurityError(RosError):
    """Security was requested and is not available; the text gives the reason."""


def require_security(environ: Mapping[str, str]) -> None:
    """Check that nodes will be secured if the environment asks for it.

    Args:
        environ: Environment variables.

    Raises:
        SecurityError: Security is requested, and nodes would or could start without it.
    """
    enabled = environ.get(ENABLE, "")
    if enabled in ("", "false"):
        return
    if enabled != "true":
        raise SecurityError(f"{ENABLE}: expected true or false, got {enabled!r}")
    if lacks_security(environ):
        raise SecurityError(
            f"{ENABLE} is true, but this Fast DDS was built without security:"
            f" use a distribution's ROS 2, or set {ENABLE}=false"
        )
    strategy = environ.get(STRATEGY, "")
    if strategy != "Enforce":
        raise SecurityError(
            f"{STRATEGY}: expected Enforce, got {strategy!r}: without its keys a node would start"
            " unsecured"
        )
    folder = environ.get(KEYSTORE, "")
    if not folder or not (Path(folder) / "enclaves").is_dir():
        raise SecurityError(
            f"{KEYSTORE}: expected a keystore with a folder enclaves, got {folder!r}"
        )


def lacks_security(environ: Mapping[str, str]) -> bool:
    """Tell whether the middleware is a Fast DDS that was built without security.

    Others, and one that is not found, are left to ROS, which refuses by itself with Enforce.

    Args:
        environ: Environment variables.
    """
    if "fastrtps" not in environ.get("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp"):
        return False
    found = (folder / FASTDDS for folder in _library_folders(environ))
    library = next((file for file in found if file.is_file()), None)
    return library is not None and WITHOUT_SECURITY in library.read_bytes()


def _library_folders(environ: Mapping[str, str]) -> list[Path]:
    """List where the loader looks for the middleware, then where ROS keeps it."""
    loaded = environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    prefixes = environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    return [Path(part) for part in loaded if part] + [Path(p) / "lib" for p in prefixes if p]
