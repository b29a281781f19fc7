# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An adversary: random cycles, faults over DDS, mutated inputs, classes of cases; counts failures.

Not times but counts: how often what must hold was tried, and how often it did not. Run it with
``./impact bench adversary`` (full form: over an hour; ``--out`` and ``--resume`` keep what is
finished) or ``./impact bench adversary --quick``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from importlib import import_module
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import adversary_classes
import adversary_cycles

from impact_bringup.experiments.domain import own_domain
from impact_cli.progress import Progress
from impact_trials.processes import finished
from studies.long_studies import resumable
from studies.study_folder import StudyFolder

NAME, COMMAND = "adversary", "bench adversary"
JOBS, SEED = 2, 0
SHOWN = 20  # descriptions of failures, at most
# Modules with a campaign of inputs, and the share of each: a damaged recording takes the longest.
INPUTS = {"mutated_robots": 0.4, "damaged_recordings": 0.2, "odd_messages": 0.4}


class Size(NamedTuple):
    """How much is tried."""

    cycles: int
    chunks: int  # that the cycles are done in, each with a seed of its own
    inputs: int


QUICK, WHOLE = Size(24_000, 24, 2_100), Size(1_000_000, 40, 20_000)


class Count(NamedTuple):
    """How often something was tried, and how often it failed."""

    name: str
    tried: int
    failed: int


class Part(NamedTuple):
    """A part of the campaign that is finished."""

    key: str
    counts: tuple[Count, ...]
    failures: tuple[str, ...]  # its failures in words


class Work(NamedTuple):
    """A part that is to be tried; ``function(*arguments)`` returns its counts and failures."""

    key: str
    function: Callable[..., tuple[list[Count], list[str]]]
    arguments: tuple[Any, ...]

    def run(self) -> Part:
        """Try it."""
        counts, failures = self.function(*self.arguments)
        return Part(self.key, tuple(counts), tuple(failures))


def measure(quick: bool = False, out: Path | None = None, resume: bool = False) -> dict[str, Any]:
    """Try everything; return how often, and how often it failed, by name.

    The first failures are described on standard error.

    Args:
        quick: a short form of the same.
        out: folder that keeps each part as it is finished; none: none does.
        resume: go on with what the folder holds.

    Raises:
        UsageError: the folder cannot be used.
        SystemExit: Ctrl-C; how to go on has been said.
    """
    work = parts(quick)
    with _kept(out, resume) as finished:
        left = [each for each in work if each.key not in finished.trials]
        progress, most = Progress(NAME), max(1, len(work))
        for done in _tried(left):
            finished.add(done)
            progress.update(len(finished.trials) / most, done.key)
        progress.close("done")
    found = [finished.trials[each.key] for each in work]
    _print([text for each in found for text in each.failures])
    return {"seed": SEED, **finished.origin(), **figures(found)}


@contextmanager
def _kept(out: Path | None, resume: bool) -> Iterator[StudyFolder[Part]]:
    """Return the folder of what is finished, for the time being without ``out``."""
    with ExitStack() as stack:
        folder = out or Path(stack.enter_context(TemporaryDirectory()))
        finished = StudyFolder(folder, NAME, Part, SEED, resume=resume)
        stack.enter_context(resumable(finished, "parts", COMMAND) if out else finished)
        yield finished


def _tried(work: Sequence[Work]) -> Iterator[Part]:
    """Yield each part when it is finished: first faults, which are processes of their own."""
    from predictor_service import importable

    with importable(), ThreadPoolExecutor(JOBS) as pool:
        try:
            faults = [pool.submit(each.run) for each in work if each.function is fault]
            for future in as_completed(faults):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)
    others = [(each,) for each in work if each.function is not fault]
    yield from finished(Work.run, others, JOBS, COMMAND)


def _print(failures: Sequence[str]) -> None:
    """Describe the first failures."""
    for text in failures[:SHOWN]:
        print(f"{NAME}: {text}", file=sys.stderr)
    if len(failures) > SHOWN:
        print(f"{NAME}: and {len(failures) - SHOWN} more", file=sys.stderr)


def figures(found: Sequence[Part]) -> dict[str, dict[str, int]]:
    """Return the counts of all parts, both with the same names."""
    tried: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for count in (each for part in found for each in part.counts):
        tried[count.name] += count.tried
        failed[count.name] += count.failed
    return {"tried": dict(tried), "failed": {name: failed[name] for name in tried}}


# --- what is tried ----------------------------------------------------------------------------


def parts(quick: bool) -> list[Work]:
    """Return all that there is to try."""
    from adversary_faults import FAULTS
    from adversary_faults import QUICK as FEW

    size = QUICK if quick else WHOLE
    share = -(-size.cycles // size.chunks)
    work = [Work(f"fault: {name}", fault, (name,)) for name in (FEW if quick else FAULTS)]
    for name, first, count in adversary_classes.parts(quick):
        work.append(Work(f"{name} {first}", try_class, (name, first, count)))
    work += [Work(f"cycles {seed}", cycles, (share, seed)) for seed in range(size.chunks)]
    for module, fraction in INPUTS.items():
        count = ceil(size.inputs * fraction / JOBS)
        work += [Work(f"{module} {seed}", feed, (module, count, seed)) for seed in range(JOBS)]
    return work


def cycles(count: int, seed: int) -> tuple[list[Count], list[str]]:
    """Run random cycles without ROS."""
    found = adversary_cycles.campaign(count, seed)
    counts = [Count(f"cycles: {k}", n, found.failed[k]) for k, n in sorted(found.tried.items())]
    return counts, [f"{found.broken[name]} times {text}" for name, text in found.first.items()]


def fault(name: str) -> tuple[list[Count], list[str]]:
    """Run a named fault over DDS."""
    import adversary_faults

    said = adversary_faults.in_process(name)
    return [Count(f"fault: {name}", 1, int(bool(said)))], [f"fault: {name}: {said}"] * bool(said)


def feed(module: str, count: int, seed: int) -> tuple[list[Count], list[str]]:
    """Feed mutated inputs of one kind."""
    with own_domain():
        tried, failed, failures = import_module(module).campaign(count, seed)
    return [Count(f"inputs: {module.replace('_', ' ')}", tried, failed)], list(failures)


def try_class(name: str, first: int, count: int) -> tuple[list[Count], list[str]]:
    """Try cases of a class."""
    tried, failed, failures = adversary_classes.campaign(name, first, count)
    return [Count(name, tried, failed)], failures
