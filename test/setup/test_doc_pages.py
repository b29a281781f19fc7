# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the documentation takes from the code is what the code says."""

import re
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pydoc import locate

import pytest
from printed_pages import PAGES, commands

from impact_cli.command_names import COMMANDS
from studies.published import claims

FENCE = re.compile(r"^[ >]*```(.*)\n", re.MULTILINE)
DOC = Path(__file__).resolve().parents[2] / "doc"
WIDTH = 92  # of what stands in a block, in a window of 1200 px


@dataclass(frozen=True)
class Record:
    """A record whose fields are explained behind them."""

    mass: float  # of all links [kg]
    name: str
    pair: tuple[int, int] = (  # not here
        1,
        2,
    )  # |low|, high


@pytest.fixture
def page_module(project_root, monkeypatch):
    """A function that imports a module of doc/."""
    monkeypatch.syspath_prepend(str(project_root / "doc"))
    monkeypatch.syspath_prepend(str(project_root / "tools"))
    before = set(sys.modules)
    yield import_module
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(
            str(project_root / "doc")
        ):
            del sys.modules[name]


def test_every_command_has_a_section_with_its_options(page_module, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")  # a narrow terminal, which must not matter
    page = page_module("make_command_line").document()
    sections = dict(part.split("`", 1) for part in page.split("\n## `")[1:])
    assert list(sections) == list(COMMANDS)
    assert "```{option} --friction" in sections["plan"]
    assert "```{option} NAME" in sections["bench"]
    assert "Exit status" in sections["plan"]
    assert "usage: impact plan [-h] [--robot ROBOT] [--urdf PATH]" in sections["plan"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_commands_are_no_wider_than_the_site_shows_them(path):
    parts = FENCE.split(path.read_text())  # prose, language, block, nothing, prose, ...
    for language, block in zip(parts[1::4], parts[2::4], strict=False):
        if not language.startswith("{") and commands(block.splitlines()):
            assert [line for line in block.splitlines() if len(line) > WIDTH] == []


def test_comments_behind_fields_are_their_documentation(page_module):
    comments = page_module("field_comments").field_comments(Record)
    assert comments == [("mass", "of all links [kg]"), ("pair", r"\|low\|, high")]


@pytest.mark.parametrize("maker", sorted(path.stem for path in DOC.glob("make_*.py")))
def test_whatever_writes_pages_and_figures_can_be_loaded(page_module, maker):
    assert page_module(maker).__doc__


def test_every_package_has_a_page_and_exports_are_on_one_alone(page_module):
    pages = page_module("make_api").documents()
    assert {"impact_robots", "impact_cli", "impact_qp", "impact_qp.limits"} < pages.keys()
    assert ":members:" in pages["impact_qp"]
    assert "Contact" in pages["impact_qp.limits"].split(":exclude-members:")[1]
    assert "`impact_cli.command_names`" in pages["impact_cli"]


def test_the_picture_has_the_imports_and_the_topics(page_module):
    graph = page_module("package_graph")
    arrows = graph.imports()
    assert arrows["impact_robots"] == set()
    assert arrows["impact_predictor"] == {"impact_ros"}  # and robots through it
    assert graph.levels(arrows)["impact_cli"] == max(graph.levels(arrows).values())
    between, others = graph.conversations()
    assert "status" in between["impact_detector", "impact_qp"]
    assert between["impact_qp", "impact_sim"] == ["command"]
    assert "impact" in others["impact_detector"]


def test_tables_of_studies_are_those_of_their_documents(page_module, project_root):
    module = page_module("make_study_tables")
    for name, (page, _) in module.TABLES.items():
        text = (project_root / "doc" / f"{page}.md").read_text()
        assert module.written(name, text) == text, name


def test_the_table_of_claims_has_all_published_ones_and_those_of_kept_studies(
    page_module, project_root
):
    page = (project_root / "doc" / "reproduce.md").read_text()
    module = page_module("make_reproduce_figures")
    kept = module.kept_rows()
    assert len({row["id"] for row in kept}) == len(kept) > 20
    assert module.claims_table(kept) in page
    lines = [line.split(" | ") for line in page.split(module.CLAIMS)[1].splitlines()]
    published = {line[0].strip("| "): line for line in lines if len(line) == 7}
    assert claims().keys() <= published.keys()
    assert all(line[-1].strip(" |") for name, line in published.items() if name in claims())
    differs = {**kept[0], "id": "E99", "verdict": "differs"}
    with pytest.raises(KeyError, match="E99"):
        module.claims_table([differs])


def test_what_it_does_has_each_figure_and_its_command(page_module, project_root):
    module = page_module("make_overview_figures")
    text = (project_root / "doc" / "what_it_does.md").read_text()
    said = commands(text.splitlines())
    assert f"./impact {module.RECORD}" in said
    for name, overview in module.OVERVIEW.items():
        file = module.file_of(name)
        assert f"](figures/{file.name})" in text and f"./impact {overview.command}" in said
        svg = file.read_text()
        assert svg.count("prefers-color-scheme: dark") == 1 and "var(--ink, " in svg
        drawn = svg.split("</style>", 1)[1]
        assert [light for light, _ in module.COLORS.values() if f": {light}" in drawn] == []


@pytest.fixture(scope="module")
def prose(project_root):
    """The pages that are written by hand, as one text."""
    folder = project_root / "doc"
    return "".join(file.read_text() for file in [*folder.glob("*.md"), *folder.glob("models/*.md")])


def test_files_that_pages_name_exist(project_root, prose):
    folders = r"impact_\w+|test|benchmarks|doc|config|launch|examples|foxglove"
    named = set(re.findall(rf"`((?:{folders})/[\w/.]+\.\w+)", prose))
    assert len(named) > 10
    named = {name for name in named if "NAME" not in name}  # of a file that a reader adds
    assert [name for name in sorted(named) if not (project_root / name).exists()] == []


def test_python_files_that_pages_name_without_a_folder_exist(project_root, prose):
    named = set(re.findall(r"`(\w+\.py)`", prose))
    made = {"build", "install", "log"}
    kept = [each for each in project_root.glob("[a-z]*") if each.name not in made]
    there = {file.name for each in kept for file in [each, *each.rglob("*.py")]}
    assert len(named) > 10 and named <= there


def test_the_page_of_the_architecture_names_every_sub_package(project_root):
    page = (project_root / "doc/architecture.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", page, re.MULTILINE))
    assert len(rows) > 10
    for package, column in rows.items():
        parts = {file.parent.name for file in (project_root / package).glob("*/__init__.py")}
        assert set(re.findall(r"`(\w+)`", column)) == parts, package


def test_python_that_pages_name_exists(prose):
    named = set(re.findall(r"`(impact_\w+(?:\.\w+)+)", prose))
    assert len(named) > 20
    assert [name for name in sorted(named) if locate(name) is None] == []


def test_no_page_tells_history(prose, project_root):
    """That is in CHANGELOG.md: a page says what is."""
    readme = (project_root / "README.md").read_text()
    words = r"\| (?:before|now)[,|]|\bbefore: \d|[Ww]hat (?:has )?changed\b|\bAn earlier\b"
    words += r"|Before and after|\b[Cc]ommit [0-9a-f]{7}"
    assert [line for line in (prose + readme).splitlines() if re.search(words, line)] == []
