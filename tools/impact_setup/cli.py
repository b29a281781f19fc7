# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""``./impact COMMAND [ARGUMENTS]``: sets up what is missing, then becomes the command."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from impact_setup import documentation, environment, wheels, workspace
from impact_setup.distribution import RosSource, select_ros
from impact_setup.errors import SetupError, UsageError
from impact_setup.layout import Layout
from impact_setup.parallel import pytest_arguments
from impact_setup.requirements import COMMANDS, needed_by

FAILED = 1
WRONG_USAGE = 2
INTERRUPTED = 130
READER_GONE = 141  # as a shell says of what SIGPIPE ended

HELP = """\
usage: ./impact COMMAND [ARGUMENTS]

Sets up what is missing (Python packages, ROS 2, both colcon packages), then runs the command.

  demo        a Panda hits a wall four times, or pushes or grabs a box; table, plots and bags
  hit         a Franka Research 3 at an address hits a surface; this MOVES THE ARM
  fake-fr3    a simulated Franka Research 3 for hit, libfranka and ROS
  scenarios   list the scenarios that can be simulated
  learn       a simulated arm learns a wall from its own hits, and hits faster
  simulate    run many trials of a scenario and record them with the simulated truth
  view        show a recording in 3-D in the browser
  predict     predict an impact with every model
  sets        compute the possible impulses and their effects
  plan        compute the highest safe speed of an impact and the best configuration
  touch       compute how fast an arm may move until contact
  map         compute the highest safe speed at many points of a surface
  compare     compare arms at the points of a surface that all reach
  detect      find impacts in a recording
  reference   write references of reference spreading from a demonstration
  analyze     explain them: models compared, coefficients identified, a report
  evaluate    compare impact models on measured impacts
  reproduce   recompute the published claims
  bench       measure computation times
  robot       write the YAML of your own arm from its URDF
  export      write the arm and a scenario's wall for another simulator
  completion  print what lets a shell complete commands and names
  test        run the tests; arguments go to pytest; -m slow, pages, slow_build: more
  shell       a shell with everything sourced; ./impact shell -- COMMAND runs one command in it
  doc         build the documentation in build/doc; arguments go to Sphinx
  setup       only set up
  wheels      build the wheels of both packages in dist/, for pip on another machine

./impact COMMAND --help lists its options and examples. Where to begin:

  see it work                    ./impact demo --view
  an arm that hits hard, safely  ./impact plan --robot panda --friction 0,0.3 --restitution 0,0.3
                                 then doc/first_day.md, before a real one moves
  impact models, your data       ./impact detect RECORDING, then ./impact analyze RECORDING
"""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run the entry point.

    Args:
        arguments: The command line without the program's name.
        environ: The caller's variables.

    Returns:
        The exit status, when it does not become the command.
    """
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        return show(HELP)
    try:
        return run(arguments[0], list(arguments[1:]), environ)
    except UsageError as error:
        return complain(str(error), WRONG_USAGE)
    except SetupError as error:
        return complain(str(error), FAILED)
    except KeyboardInterrupt:
        return complain("interrupted; the next call resumes the set-up", INTERRUPTED)


def show(text: str) -> int:
    """Print a text on standard output and return the status, quietly when nobody reads it."""
    try:
        if sys.stdout is None:  # closed
            return FAILED
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return READER_GONE
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return complain(f"cannot write standard output: {error.strerror}", FAILED)
    return 0


def complain(line: str, status: int) -> int:
    """Say one line on standard error and return the status."""
    print(f"impact: {line}", file=sys.stderr)
    return status


def run(command: str, arguments: list[str], environ: Mapping[str, str]) -> int:
    """Set up, then become the command; returns only for ``setup`` and ``wheels``."""
    layout = Layout(Path(__file__).resolve().parents[2])
    call = command_line(command, arguments, layout, environ)
    source = select_ros(environ, layout.root)
    paths = prepare(command, arguments, environ, layout, source)
    if command == "wheels":
        for wheel in wheels.make(environ, layout, source):
            print(wheel.relative_to(layout.root))
        return 0
    if command == "doc":
        paths = documentation.prepare(environ, layout, source, paths)
    variables = environment.for_running(environ, paths, layout, source)
    if not call:
        return 0
    return become(command, call, variables, layout)


def prepare(
    command: str,
    arguments: list[str],
    environ: Mapping[str, str],
    layout: Layout,
    source: RosSource,
) -> dict[str, str]:
    """Set up what is missing and return the search paths.

    Without sections of the requirements that only the arguments hint at, or that a shell has, if
    these cannot be installed and all else is there.

    Raises:
        SetupError: It cannot be done; says why.
    """
    further = needed_by(command, arguments)
    try:
        return workspace.prepare(environ, layout, source, further)
    except SetupError as error:
        if not further or (command in COMMANDS and command != "shell"):
            raise
        paths = workspace.ready_paths(layout, workspace.current_keys(layout, source))
        if paths is None:
            raise
        complain(f"{error}; goes on with what is installed", FAILED)
        return paths


def command_line(
    command: str, arguments: list[str], layout: Layout, environ: Mapping[str, str]
) -> list[str]:
    """Return what to execute for a command; nothing for ``setup`` and ``wheels``.

    Raises:
        UsageError: ``shell``, ``setup`` or ``wheels`` got something else than it takes.
    """
    python = str(layout.python)
    if command == "test":
        return [python, "-m", "pytest", *pytest_arguments(arguments, layout.root)]
    if command == "shell":
        return shell_line(arguments, environ, layout)
    if command == "doc":
        return documentation.sphinx_line(arguments, layout)
    if command in ("setup", "wheels"):
        if arguments:
            raise UsageError(f"{command} takes no arguments, got {' '.join(arguments)}")
        return []
    return [python, "-m", "impact_cli", command, *arguments]


def shell_line(arguments: list[str], environ: Mapping[str, str], layout: Layout) -> list[str]:
    """Return the shell, or the one command after ``--``.

    Raises:
        UsageError: There are arguments, but no ``--`` with a command after it.
    """
    if not arguments:
        shell = environ.get("SHELL") or "bash"
        # a start-up file that puts another Python first in PATH must not win
        start = ["--rcfile", str(layout.root / "tools" / "shell.bash")]
        return [shell, *start] if Path(shell).name == "bash" else [shell]
    if arguments[0] != "--" or len(arguments) == 1:
        raise UsageError(f"expected shell, or shell -- COMMAND, got shell {' '.join(arguments)}")
    return arguments[1:]


def become(command: str, call: list[str], variables: dict[str, str], layout: Layout) -> int:
    """Replace this process by the command.

    Raises:
        SetupError: The command does not exist.
    """
    if command in ("test", "doc"):
        os.chdir(layout.root)
    if command == "test":
        variables["ROS_PYTHON_CHECK_FIELDS"] = "1"
    if sys.stdout is not None:
        sys.stdout.flush()
    try:
        os.execvpe(call[0], call, variables)
    except OSError as error:
        raise SetupError(f"cannot run {call[0]}: {error.strerror}") from error
