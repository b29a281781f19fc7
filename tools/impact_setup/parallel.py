# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""``./impact test`` in two processes, unless its arguments say otherwise."""

import re
from collections.abc import Sequence
from pathlib import Path
from stat import S_ISDIR, S_ISREG

# As many as a small machine has cores: a third saves an eighth of the time, and tests of time-outs
# then wait too long for a core. Each file's tests stay together, so that what they share is made
# once, and the files in their order: those that take longest come first.
# A process that dies ends the run: xdist 3.8 shares out the dead one's files anew, those that are
# over too, and waits for ever for an answer to such a one.
PARALLEL = (
    *("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"),
    *("--max-worker-restart", "0"),
)
# How many processes, or what needs the terminal or one process.
OTHERWISE = re.compile(
    r"-[lqvx]*(n\d*|s.*|h)|--numprocesses(=.*)?|--tx(=.*)?|(-p *)?no:xdist|--pdb|--trace"
    r"|--capture=no|--co|--collect-only|--help|--version|--fixtures|--markers"
)


def pytest_arguments(arguments: Sequence[str], root: Path) -> list[str]:
    """Return pytest's command line.

    Args:
        arguments: The caller's.
        root: Of the checkout, where pytest runs.

    Returns:
        The arguments, after those that make two processes; without these where the caller's name
        a number of processes, need a single one, or ask for one file only.
    """
    alone = any(OTHERWISE.fullmatch(argument) for argument in arguments)
    return [*(() if alone or is_one_file(arguments, root) else PARALLEL), *arguments]


def is_one_file(arguments: Sequence[str], root: Path) -> bool:
    """Return whether a single test file, or tests of it, are asked for."""
    places = {root / argument.split("::")[0] for argument in arguments}
    files = [place for place in places if place.suffix == ".py" and S_ISREG(_mode(place))]
    return len(files) == 1 and not any(S_ISDIR(_mode(place)) for place in places - {root})


def _mode(place: Path) -> int:
    """Return what a place is, 0 if nothing, as where an argument is too long for a name."""
    try:
        return place.stat().st_mode
    except OSError:
        return 0
