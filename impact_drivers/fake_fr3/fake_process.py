# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The fake arm in a process of its own, as libfranka holds Python's lock while it waits."""

from __future__ import annotations

import multiprocessing
import os
import signal
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

import numpy as np

from impact_drivers.exceptions import DriverError
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.fake_fr3.strike_setup import StrikeSetup
from impact_ros.interrupts import interrupts_blocked
from impact_sim.driver.simulation import Measurement

STARTED_WITHIN, ENDED_WITHIN = 60.0, 10.0  # [s]
LOG, COLLISION, HIGHEST, LOAD, SUNK = "log", "collision", "highest", "load", "sunk"
PRESS, RELEASE, END = "press", "release", "end"


class FakeProcess:
    """A context manager around a running fake arm.

    Attributes:
        address: for libfranka.
    """

    def __init__(self, setup: FakeSetup | StrikeSetup) -> None:
        """Set the arm's configuration."""
        self._setup, self.address = setup, ""

    def __enter__(self) -> FakeProcess:
        """Start it and wait until it can be connected to.

        Raises:
            DriverError: it did not start.
        """
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(self._setup, other), daemon=True)
        with interrupts_blocked():  # inherited by the process: its parent handles Ctrl-C
            self._process.start()
        other.close()
        try:
            if not self._pipe.poll(STARTED_WITHIN):
                raise DriverError(f"fake FR3: not started within {STARTED_WITHIN:g} s")
            self.address = self._pipe.recv()
        except (EOFError, DriverError) as error:
            self._process.kill()
            raise DriverError(f"fake FR3: it did not start ({error or 'it died'})") from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        if self._process.is_alive():
            self._pipe.send(END)
        self._process.join(ENDED_WITHIN)
        if self._process.is_alive():
            self._process.kill()
        self._pipe.close()

    @property
    def log(self) -> list[Measurement]:
        """Every measurement so far, with the true contact forces."""
        log: list[Measurement] = self._ask(LOG)
        return log

    @property
    def collision_behavior(self) -> tuple[np.ndarray, np.ndarray]:
        """Thresholds in force: torques (7,) [N.m], forces (6,) [N; N.m]."""
        torque, force = self._ask(COLLISION)
        return torque, force

    @property
    def highest_thresholds(self) -> tuple[np.ndarray, np.ndarray]:
        """The highest thresholds since the start, likewise."""
        torque, force = self._ask(HIGHEST)
        return torque, force

    @property
    def load(self) -> tuple[float, np.ndarray]:
        """Configured load: mass [kg], centre of mass (3,) [m]."""
        mass, centre = self._ask(LOAD)
        return mass, centre

    @property
    def sunk(self) -> float:
        """Depth to which a surface that yields was driven [m]."""
        depth: float = self._ask(SUNK)
        return depth

    def press_button(self) -> None:
        """Press the user stop."""
        self._ask(PRESS)

    def release_button(self) -> None:
        """Release the user stop."""
        self._ask(RELEASE)

    def _ask(self, what: str) -> Any:
        self._pipe.send(what)
        return self._pipe.recv()


def _serve(setup: FakeSetup | StrikeSetup, pipe: Connection) -> None:
    """Run the arm until a request to end, or until the parent process has ended."""
    from impact_drivers.fake_fr3.server import FakeServer, local_addresses  # needs franky-sim

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = FakeServer(setup.arm(), local_addresses(os.getpid()), lockstep=setup.lockstep)
    server.init()
    pipe.send(server.hostname)
    try:
        while True:
            server.cycle()
            if pipe.poll() and not _answer(server, pipe):
                return
    except (EOFError, BrokenPipeError):
        return
    finally:
        server.cleanup()


def _answer(server: Any, pipe: Connection) -> bool:
    """Answer a request of the parent; return False if it was to end."""
    arm, asked = server.arm, pipe.recv()
    if asked == PRESS:
        arm.stop_by_user()
        server.end_stopped_motion()
    elif asked == RELEASE:
        arm.release_button()
    now, most = arm.safety.behavior, arm.highest_thresholds
    answers = {
        LOG: list(arm.log),
        COLLISION: (now.torque, now.force),
        HIGHEST: (most.torque, most.force),
        LOAD: arm.load,
        SUNK: float(arm.simulation.plant.wall_motion[0]),
    }
    if asked != END:
        pipe.send(answers.get(asked))
    return bool(asked != END)
