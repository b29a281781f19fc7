# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What of the workspace is stale, and mending it in the right order."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from impact_setup import checks, environment, interpreter, lock, stamps, steps
from impact_setup.distribution import RosSource
from impact_setup.errors import SetupError, in_one_line
from impact_setup.layout import MESSAGES, SUITE, Layout
from impact_setup.runner import Runner, Started

SUITE_FILES = ("setup.py", "setup.cfg", "package.xml", "colcon_defaults.yaml")
MESSAGE_FILES = (".msg", ".srv", ".action", ".txt", ".xml")
SUITE_DATA = ("launch", "config", "rviz", "resource")

Step = tuple[str, Callable[[], "str | None"]]  # what is printed, and what is done


@dataclass(frozen=True)
class Keys:
    """Digests of everything that each part of the workspace is made from."""

    venv: str
    requirements: str
    messages: str
    suite: str

    @property
    def all(self) -> str:
        """One digest of the whole workspace."""
        return stamps.digest([self.venv, self.requirements, self.messages, self.suite])


def current_keys(layout: Layout, source: RosSource) -> Keys:
    """Compute the digests of the checkout as it is now."""
    venv = stamps.digest([str(layout.root), *source.texts()])
    requirements = stamps.digest([venv], [layout.requirements])
    against = [venv, *compiled_against(layout.requirements)]
    messages = stamps.digest(against, message_files(layout.root))
    return Keys(venv, requirements, messages, suite_key(layout.root, venv))


def compiled_against(requirements: Path) -> list[str]:
    """Return the requirements that the compiled messages depend on: numpy and ROS 2."""
    lines = requirements.read_text().splitlines()
    return [line for line in lines if line.startswith(("numpy=", "ros-"))]


def message_files(root: Path) -> list[Path]:
    """List the files that the messages are built from."""
    return sorted(file for file in (root / MESSAGES).rglob("*") if file.suffix in MESSAGE_FILES)


def suite_key(root: Path, venv: str) -> str:
    """Digest what an edit-in-place install of the suite copies; edits of modules do not count."""
    data = [str(f) for folder in SUITE_DATA for f in sorted((root / folder).glob("*"))]
    packages = [str(f.parent) for f in sorted(root.glob("impact_*/**/__init__.py"))]
    return stamps.digest([venv, *data, *packages], [root / name for name in SUITE_FILES])


@dataclass(frozen=True)
class Stale:
    """Which parts must be made again."""

    venv: bool
    requirements: bool
    messages: bool
    suite: bool

    def any(self) -> bool:
        """Whether anything must be made again."""
        return self.venv or self.requirements or self.messages or self.suite


def find_stale(layout: Layout, keys: Keys, further: Iterable[str] = ()) -> Stale:
    """Compare the stamps with the checkout, and the installed requirements with the needed ones."""
    made = stamps.read(layout.venv_stamp)
    venv = made.get("venv") != keys.venv or not layout.python.exists()
    return Stale(
        venv=venv,
        requirements=venv
        or made.get("requirements") != keys.requirements
        or not installed_sections(layout).issuperset(further),
        messages=venv or _package_key(layout, MESSAGES) != keys.messages,
        suite=venv or _package_key(layout, SUITE) != keys.suite,
    )


def installed_sections(layout: Layout) -> set[str]:
    """Return the further sections of the requirements that were installed before."""
    return set(stamps.read(layout.venv_stamp).get("further", "").split())


def _package_key(layout: Layout, package: str) -> str:
    return stamps.read(layout.package_stamp(package)).get("key", "")


def ready_paths(layout: Layout, keys: Keys, further: Iterable[str] = ()) -> "dict[str, str] | None":
    """Return the search paths of a workspace that is up to date, else None."""
    stale = find_stale(layout, keys, further)
    return None if stale.any() else environment.cached(keys.all, layout)


def prepare(
    environ: Mapping[str, str], layout: Layout, source: RosSource, further: Iterable[str] = ()
) -> dict[str, str]:
    """Bring the workspace up to date and return its search paths.

    Args:
        environ: The caller's variables.
        layout: The checkout.
        source: The ROS 2 to build on.
        further: The sections of the requirements that are needed besides the base.

    Raises:
        SetupError: It cannot be done; says why.
    """
    paths = ready_paths(layout, current_keys(layout, source), further)
    if paths is not None:
        return paths
    checks.require_writable(layout.root)
    with in_one_line(layout.root), lock.held(layout.lock) as descriptor:
        # another set-up may have done it meanwhile
        return _SetUp(environ, layout, source, descriptor, further).run()


class _SetUp:
    """One run of the set-up, with the lock held."""

    def __init__(
        self,
        environ: Mapping[str, str],
        layout: Layout,
        source: RosSource,
        descriptor: int,
        further: Iterable[str],
    ) -> None:
        self.environ = environ
        self.layout = layout
        self.source = source
        self.keys = current_keys(layout, source)
        self.stale = find_stale(layout, self.keys, further)
        self.further = set(further) | (set() if self.stale.venv else installed_sections(layout))
        self.runner = Runner(layout.log, layout.root, descriptor)
        self.messages_runner = Runner(layout.messages_log, layout.root, descriptor)
        self.messages_build: Started | None = None
        self.build_environ = environment.for_building(environ, layout, source)

    def run(self) -> dict[str, str]:
        """Do what is stale, then cache the environment."""
        if self.stale.any():
            self._check()
            self.layout.log.write_text("")
            try:
                self._do(self._plan())
            finally:
                if self.messages_build:  # another step failed beside it
                    self.messages_build.stop()
        paths = environment.capture(self.environ, self.layout, self.source)
        environment.save(self.keys.all, paths, self.layout)
        return paths

    def _check(self) -> None:
        checks.require_space(
            self.layout.root, checks.VENV_GB if self.stale.venv else checks.BUILD_GB
        )
        if self.stale.messages:
            checks.require_compiler(self.environ)
        self.base = self._choose_python() if self.stale.venv else ""

    def _choose_python(self) -> str:
        found = map(interpreter.probe, interpreter.candidates(self.environ))
        return interpreter.choose(found, self.source).path

    def _plan(self) -> "list[Step]":
        ros = "ROS 2 Kilted from wheels" if self.source.from_wheels else "the Python packages"
        plan = [
            (self.stale.venv, "making .venv", self._venv),
            (self.stale.requirements, f"installing {ros} (about a minute)", self._install),
            (self.stale.suite, "compiling inner loops (half a minute)", self._loops),
            (self.stale.messages, f"building {MESSAGES}", self._messages),
            (self.stale.suite, f"building {SUITE}", self._suite),
        ]
        return [(text, step) for due, text, step in plan if due]

    def _do(self, plan: "list[Step]") -> None:
        for number, (text, step) in enumerate(plan, start=1):
            print(f"[{number}/{len(plan)}] {text}... ", end="", file=sys.stderr, flush=True)
            try:
                said = step()
            except BaseException:
                print("not finished", file=sys.stderr)
                raise
            print(said or "done", file=sys.stderr)

    def _venv(self) -> None:
        steps.make_venv(self.runner, self.build_environ, self.base, self.layout, self.source)

    def _install(self) -> None:
        stamp = self.layout.venv_stamp
        before = stamps.read(stamp)
        stamps.remove(stamp)
        try:
            steps.install(
                self.runner, self.build_environ, self.layout, self.source, sorted(self.further)
            )
        except (SetupError, KeyboardInterrupt):
            if before and not steps.began_installing(self.layout.log):
                stamps.write(stamp, before)  # the environment is as it was
            raise
        made = {"venv": self.keys.venv, "requirements": self.keys.requirements}
        stamps.write(stamp, {**made, "further": " ".join(sorted(self.further))})

    def _start_messages(self) -> None:
        self.layout.messages_log.write_text("")
        self.messages_build = steps.start_build(
            self.messages_runner, self.build_environ, MESSAGES, self.layout
        )

    def _messages(self) -> None:
        if not self.messages_build:
            self._start_messages()
        started, self.messages_build = self.messages_build, None
        assert started
        self.messages_runner.finish(started)
        stamps.write(self.layout.package_stamp(MESSAGES), {"key": self.keys.messages})

    def _suite(self) -> None:
        self.runner.finish(steps.start_build(self.runner, self.build_environ, SUITE, self.layout))
        stamps.write(self.layout.package_stamp(SUITE), {"key": self.keys.suite})

    def _loops(self) -> "str | None":
        if self.stale.messages:  # the compiler of the messages is busy at the same time
            self._start_messages()
        try:
            steps.compile_loops(self.runner, self.build_environ, self.layout)
        except SetupError:  # what is not compiled now, is when it is first used
            return f"left to their first use, see {self.layout.log}"
        return None
