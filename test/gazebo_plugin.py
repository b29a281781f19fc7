# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Gazebo's physics plugin of Debian 12 (Fortress), which loads the exported files as Gazebo does.

It is compiled against with ``gazebo_plugin.cpp``, some 10 s once. Links have their weight: this
version does not know links without one (gazebosim/gz-physics, pull request 633).
"""

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from impact_sim.export.gazebo_files import WORLD
from impact_sim.export.gazebo_world import STEP
from impact_sim.export.mjcf_files import URDF
from impact_sim.export.wall_mjcf import WALL

LIBRARIES = ("ignition-physics5-sdf", "ignition-plugin1-loader", "sdformat12")
# the names of the -dev metapackage, or of the plugin's own package
PLUGIN = "lib/*/ign-physics-5/engine-plugins/libignition-physics*-dartsim-plugin.so*"
PACKAGES = (
    "libignition-physics-dev, or of its parts libignition-physics5-dartsim-plugin5,"
    " libignition-physics-sdf-dev and libeigen3-dev"
)


class GazeboPlugin:
    """One world with one arm; forces are on the robot, base axes [N]."""

    weightless = False  # a link can be

    @staticmethod
    def missing():
        """Return what is not there, "" where all is."""
        tools = all(shutil.which(name) for name in ("g++", "pkg-config"))
        ask = ["pkg-config", *LIBRARIES]
        if tools and any(Path("/usr").glob(PLUGIN)) and subprocess.run(ask).returncode == 0:
            return ""
        return f"needs g++, pkg-config and Debian 12's {PACKAGES}"

    def __init__(self, folder, names):
        self.library, plugin = _compiled()
        listed = (ctypes.c_char_p * (len(names) + 1))(*[name.encode() for name in names], None)
        files = [str(each).encode() for each in (plugin, folder / WORLD, folder / URDF)]
        self.handle = self.library.load(*files, listed)
        assert self.handle, "the plugin refuses the exported files"
        self.numbers = [np.zeros(len(names)) for _ in range(3)]

    def place(self, q, dq):
        q, dq = (np.ascontiguousarray(each, dtype=float) for each in (q, dq))
        self.library.place(self.handle, q.ctypes, dq.ctypes)

    def state(self):
        self.library.read(self.handle, *[each.ctypes for each in self.numbers])
        return [each.copy() for each in self.numbers]

    def step(self, efforts):
        efforts, force = np.ascontiguousarray(efforts, dtype=float), np.zeros(3)
        duration = ctypes.c_double(STEP)
        self.library.step(self.handle, efforts.ctypes, duration, WALL.encode(), force.ctypes)
        return -force


@cache
def _compiled():
    """Return the library of gazebo_plugin.cpp and the plugin's path."""
    flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", *LIBRARIES], text=True)
    source = Path(__file__).with_suffix(".cpp")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "gazebo_plugin.so"
        options = ["-std=c++17", "-O1", "-shared", "-fPIC", "-o", str(target), str(source)]
        subprocess.run(["g++", *options, *flags.split()], check=True)
        library = ctypes.CDLL(str(target))
    library.load.restype = ctypes.c_void_p
    for name, count in (("place", 2), ("read", 3)):
        getattr(library, name).argtypes = [ctypes.c_void_p] * (1 + count)
    kinds = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double, ctypes.c_char_p, ctypes.c_void_p]
    library.step.argtypes = kinds
    return library, sorted(Path("/usr").glob(PLUGIN))[0]
