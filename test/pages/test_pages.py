# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the pages tell one to type is run, and what they say comes out of it is what does.

Each page has a folder in which its commands and its Python run in the order of the page.
`./impact test -m pages` runs all; without it those that take long are left out, as elsewhere.
"""

import contextlib
import io
import json
import re
import shlex
import subprocess
from collections import Counter
from pathlib import Path

import page_figures
import pytest
from page_exceptions import FOREIGN_PYTHON, NOT_RUN, is_long, reason, takes_minutes
from page_files import GIVEN
from printed_pages import PAGES, ROOT, read, sources

from impact_cli.command_line import run as impact
from impact_detector import DETECTORS, GROSS_METHODS
from impact_drivers.fake_fr3.fake_process import FakeProcess
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_predictor import CONTACT_LAWS, FRICTION_LAWS, PLANAR_LAWS
from impact_predictor.joint_load.materials import MATERIALS
from impact_qp.limits import IMPACT_LIMITS

REGISTRIES = (
    *(FRICTION_LAWS, PLANAR_LAWS, CONTACT_LAWS, DETECTORS, GROSS_METHODS),
    *(MATERIALS, IMPACT_LIMITS),
)
STEPS = {str(path.relative_to(ROOT)): read(path.read_text()) for path in PAGES}
PRINTED = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)


IN_BLOCKS = {each.text for steps in STEPS.values() for each in steps if each.block}


def is_run(step):
    if step.kind == "python":
        return re.search(FOREIGN_PYTHON, step.text) is None
    return step.kind == "shell" and not reason(step.text)


def is_repeated(step):
    """Return whether a table names a command that stands on a page with what it prints."""
    return not step.block and step.text in IN_BLOCKS


def items():
    for page, steps in STEPS.items():
        after_minutes = False  # a slow command needs what such a one before it has made
        for place, step in enumerate(steps):
            if is_run(step) and not is_repeated(step):
                after_minutes = after_minutes or takes_minutes(step.text)
                name = f"{page}:{step.line} {step.text.splitlines()[0][:60]}"
                marks = [pytest.mark.pages]
                if is_long(step.text):
                    marks += [pytest.mark.slow, *[pytest.mark.long] * after_minutes]
                yield pytest.param(page, place, id=name, marks=marks)


def studied():
    for page, steps in STEPS.items():
        for step in steps:
            if step.source.endswith(".json"):
                yield pytest.param(step, id=f"{page}:{step.line}", marks=pytest.mark.pages)


class PageRun:
    """What was run of one page, in a folder of its own."""

    def __init__(self, steps, folder):
        self.steps, self.folder = steps, folder
        self.outputs = {}  # by place; none: it failed

    def run(self, place, capture):
        """Run a step, and before it what stands before it, if it takes no longer."""
        for k, step in enumerate(self.steps[: place + 1]):
            long = step.kind != "file" and is_long(step.text)
            long &= not is_long(self.steps[place].text)
            if k not in self.outputs and not (long and k < place):
                self.outputs[k] = None
                with contextlib.suppress(*[Exception, SystemExit] * (k < place)):
                    self.outputs[k] = self._do(step, capture)

    def _do(self, step, capture):
        if step.kind == "file":
            Path(step.name).write_text(step.text)
        elif step.kind == "python":
            return self._python(step)
        elif is_run(step):
            return shell(step.text, capture)
        return ""

    def _python(self, step):
        """Run the page's Python up to a block, as one program; registries stay as they are."""
        names, printed = {"__name__": "page"}, io.StringIO()
        before = [
            each
            for each in self.steps[: self.steps.index(step)]
            if each.kind == "python" and is_run(each)
        ]
        with registries_kept():
            for block in before:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(block.text, "page", "exec"), names)
            with contextlib.redirect_stdout(printed):
                exec(compile(step.text, "page", "exec"), names)
        return printed.getvalue()

    def compared(self, place):
        """Return how many figures are as this step made them, and what differs."""
        count, problems = 0, []
        if self.steps[place].kind == "python":
            said = "\n".join(PRINTED.findall(self.steps[place].text))
            count, problems = page_figures.compare_lines(said, self.outputs[place])
        for k, step in enumerate(self.steps):
            made = sources(self.steps, k) if step.kind in ("output", "figures") else []
            made = [each for each in made if is_run(self.steps[each])]
            if made and made[-1] == place and all(self.outputs.get(m) is not None for m in made):
                same, differ = compared(step, "\n".join(self.outputs[each] for each in made))
                count += same
                problems += [f"line {step.line}: {each}" for each in differ]
        return count, problems


def names_in(steps):
    """Return all words of a page's commands."""
    return {word for step in steps if step.kind == "shell" for word in step.text.split()}


def compared(step, printed):
    """Compare output or figures of a page with what was printed."""
    if step.kind == "output":
        return page_figures.compare_lines(step.text, printed)
    values = page_figures.printed_values(printed)
    return page_figures.compare_figures(step.text, values, step.exempt)


@contextlib.contextmanager
def registries_kept():
    """Take out of the registries what is put in within."""
    before = [set(registry) for registry in REGISTRIES]
    try:
        yield
    finally:
        for registry, known in zip(REGISTRIES, before, strict=True):
            for name in set(registry) - known:
                registry.remove(name)


def shell(text, capture):
    """Run a command of a page, and return what it prints."""
    words = shlex.split(text)
    capture.readouterr()
    if words[1] == "shell":
        done = subprocess.run(words[3:], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout
    with fake_arm(words) as words:
        status = impact(words[1:])
    out, err = capture.readouterr()
    assert status == 0, f"{text}\n{err}\n{out[-2000:]}"
    return out + err


@contextlib.contextmanager
def fake_arm(words):
    """Yield a command; one that hits asks nothing, and its arm is a fake one, 0.1 m before a wall.

    Without libfranka the test is skipped.
    """
    if words[1] != "hit":
        yield words
        return
    pytest.importorskip("pylibfranka", reason="pylibfranka is not installed")
    with FakeProcess(FakeSetup()) as fake:
        unasked = ("--unattended", "--raise-thresholds", "--distance", "0.1")
        yield [*words[:2], fake.address, *words[3:], *unasked]


@pytest.fixture(scope="module")
def page_runs(tmp_path_factory):
    """A function that returns the run of a page."""
    runs = {}

    def of(page):
        if page not in runs:
            folder = tmp_path_factory.mktemp(page.replace("/", "_").removesuffix(".md"))
            for name in GIVEN.keys() & names_in(STEPS[page]):
                GIVEN[name](folder / name)
            runs[page] = PageRun(STEPS[page], folder)
        return runs[page]

    return of


@pytest.mark.parametrize(("page", "place"), [*items()])
def test_a_command_is_run_and_its_figures_are_those_of_the_page(
    page, place, page_runs, monkeypatch, capfd, record_property
):
    run = page_runs(page)
    monkeypatch.chdir(run.folder)
    run.run(place, capfd)
    assert run.outputs[place] is not None, "it failed when a later one asked for it"
    count, problems = run.compared(place)
    assert not problems, "\n".join(problems)
    record_property("page figures", count)


@pytest.mark.parametrize("step", [*studied()])
def test_figures_of_a_study_are_those_of_its_document(step, record_property):
    document = json.loads((ROOT / step.source).read_text())
    assert {"seed", "commit", "date", "duration_s"} <= document.keys()
    values = page_figures.study_values(document)
    count, problems = page_figures.compare_figures(step.text, values, step.exempt)
    assert count and not problems, "\n".join(problems)
    record_property("study figures", count)


@pytest.mark.pages
def test_what_is_not_run_has_a_reason_that_is_needed(record_property):
    every = [step for steps in STEPS.values() for step in steps]
    left = Counter(reason(each.text) for each in every if each.kind == "shell")
    del left[""]
    assert set(left) == set(NOT_RUN.values())
    record_property("pages not run", dict(left))


def test_every_block_that_is_compared_was_made_by_what_is_run():
    for page, steps in STEPS.items():
        for place, step in enumerate(steps):
            if step.kind in ("output", "figures") and not step.source.endswith(".json"):
                made = [steps[k] for k in sources(steps, place)]
                assert any(map(is_run, made)), f"{page}:{step.line}: which command makes this?"


@pytest.mark.parametrize("wrong", ["0.0663", "0.116"])
def test_a_wrong_figure_in_a_copy_of_a_page_is_noticed(wrong, tmp_path, capfd, monkeypatch):
    text = (ROOT / "doc" / "tutorial.md").read_text()
    assert wrong in text
    planted = text.replace(wrong, f"{wrong[:-1]}{(int(wrong[-1]) + 1) % 10}", 1)
    monkeypatch.chdir(tmp_path)
    found = {}
    for name, page in (("right", text), ("wrong", planted)):
        run = PageRun(read(page), tmp_path)
        plans = [k for k, step in enumerate(run.steps) if step.text.startswith("./impact plan")]
        for k in plans:
            run.run(k, capfd)
        found[name] = [problem for k in plans for problem in run.compared(k)[1]]
    assert found["right"] == []
    assert len(found["wrong"]) == 1 and wrong[:-1] in found["wrong"][0]
