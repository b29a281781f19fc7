# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The time to analyse a long recording, compared with reading the same bag with ``rosbags``.

Joint states at 1 kHz with the motion and noise of a real Panda. Memory is the largest that a
process of its own ever had. Run it with ``./impact bench analyze`` (three minutes).
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pinocchio as pin
from rosbags.highlevel import AnyReader
from side_by_side import times

from impact_analysis.analyze import AnalysisSettings, analyze, collect
from impact_bags import BagWriter
from impact_robots import load_robot

SHORT, LONG = 60, 600  # [s]
PIECE = 20_000  # states after which the motion begins again
RATE = 2.0 * np.pi / 5.0  # four times in that [rad/s]
MILLISECOND = 1_000_000
ROBOT = load_robot("panda")
KIND = "sensor_msgs/msg/JointState"


def measure() -> dict[str, float]:
    """Return all figures."""
    with tempfile.TemporaryDirectory() as folder:
        short, long = Path(folder) / "short", Path(folder) / "long"
        _write(short, SHORT)
        _write(long, LONG)

        def read() -> None:
            with AnyReader([long]) as reader:
                for connection, _, raw in reader.messages():
                    reader.deserialize(raw, connection.msgtype)

        def search() -> None:
            (found,) = analyze(long, jobs=os.cpu_count() or 1).recordings
            if found.samples != LONG * 1000 or found.impacts or found.error:
                raise RuntimeError(f"{found.samples} samples, {len(found.impacts)} impacts")

        taken = times({"read": read, "analyze": search}, rounds=2, calls=1)
        memory = {path.name: _memory(path) for path in (short, long)}
    return {
        f"rosbags alone, {LONG} s at 1 kHz [s]": taken["read"],
        f"analyze on {os.cpu_count()} cores, the same bag [s]": taken["analyze"],
        "analyze / rosbags alone": taken["analyze"] / taken["read"],
        f"largest memory of a process, {SHORT} s [MB]": memory["short"],
        f"largest memory of a process, {LONG} s [MB]": memory["long"],
    }


def _memory(path: Path) -> float:
    """Return the largest memory of a process that searches a bag [MB]."""
    command = [sys.executable, __file__, str(path)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _motion() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, dq and tau of a motion that begins again after PIECE states, each (PIECE, 7)."""
    random, t = np.random.default_rng(0), np.arange(PIECE)[:, None] * 1e-3
    phase, rate = RATE * t + np.arange(7), RATE
    q, dq = ROBOT.stance + 0.1 * np.sin(phase), 0.1 * rate * np.cos(phase)
    columns = zip(q, dq, -0.1 * rate**2 * np.sin(phase), strict=True)
    data = ROBOT.model.createData()
    tau = np.array([pin.rnea(ROBOT.model, data, *each) for each in columns])
    return q, dq + random.normal(0, 4e-3, q.shape), tau + random.normal(0, 0.08, q.shape)


def _write(folder: Path, seconds: int) -> None:
    """Write joint states."""
    names = list(ROBOT.joint_names)
    q, dq, tau = _motion()
    with BagWriter(folder) as bag:
        types = bag.typestore.types
        stamp, header = types["builtin_interfaces/msg/Time"], types["std_msgs/msg/Header"]
        for k in range(seconds * 1000):
            row = k % PIECE
            time = header(stamp(*divmod(k * MILLISECOND, 10**9)), "")
            message = types[KIND](time, names, q[row], dq[row], tau[row])
            bag.write("/joint_states", KIND, message, k * MILLISECOND)


if __name__ == "__main__":
    assert collect(Path(sys.argv[1]), AnalysisSettings()).samples
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
