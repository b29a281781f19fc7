# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A page of the documentation, parsed into commands, Python, files and figures."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "doc").glob("**/*.md")])
PAGES = [path for path in PAGES if "generated" not in path.parts]

PROGRAMS = r"\./impact|impact|ros2|sudo|colcon|taskset|communication_test"
COMMAND = re.compile(rf"(?:\$ )?((?:{PROGRAMS}) \S.*)")
INLINE = re.compile(r"`(\./impact \w+ [^`]+)`")
FENCE = re.compile(r"[ >]*```(.*)")
SOURCE = re.compile(r"<!-- from (.*?)(?:; not (.*?))? -->")
FILE = re.compile(r"`([\w-]+\.yaml)`")


@dataclass(frozen=True)
class Step:
    """One thing on a page, in the order of the page.

    ``kind`` is "shell" or "python" (it is run), "file" (it is written), "output" (a block, which is
    compared line by line) or "figures" (a paragraph or table, whose numbers are looked for).
    """

    kind: str
    text: str
    line: int  # of the page, from 1
    name: str = ""  # of a file
    block: int = 0  # commands of one block have one number; 0: in a table
    source: str = ""  # of output and figures: the command, or a file; empty: the block before
    exempt: tuple[str, ...] = ()  # numbers that come from elsewhere


@dataclass
class _Reader:
    steps: list[Step] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)  # since the last block
    blocks: int = 0

    def block(self, kind: str, lines: list[str], line: int) -> None:
        """Read what stands between two fences."""
        self.blocks += 1
        if kind == "python":
            self.steps.append(Step(kind, "\n".join(lines), line, block=self.blocks))
        elif kind == "yaml":
            names = FILE.findall("\n".join(self.prose))
            if names:
                self.steps.append(Step("file", "\n".join(lines) + "\n", line, names[-1]))
        elif kind in ("", "text", "sh", "bash", "console"):
            found = commands(lines)
            whole = [Step("shell", text, line, block=self.blocks) for text in found]
            self.steps += whole or [Step("output", "\n".join(lines), line)]
        self.prose = []

    def line(self, text: str, number: int) -> None:
        """Read a line of prose."""
        said = SOURCE.search(text)
        if not said:
            self.prose.append(text)
            if text.startswith("|"):  # in a sentence it is a reference
                self.steps += [Step("shell", each, number) for each in INLINE.findall(text)]
            return
        source, exempt = said[1].strip("`"), tuple((said[2] or "").split(", "))
        paragraph = "\n".join(self.prose).rstrip().split("\n\n")[-1].strip()
        if paragraph:
            self.steps.append(
                Step("figures", paragraph, number, source=above(source), exempt=exempt)
            )
        else:  # it stands behind a block
            self.steps[-1] = replace(self.steps[-1], source=source)
        self.prose = []


def above(source: str) -> str:
    """Return the source, nothing if it is what stands above."""
    return "" if source == "above" else source


def read(text: str) -> list[Step]:
    """Return the steps of a page's text."""
    reader, inside, start = _Reader(), None, 0
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.fullmatch(line)
        if not fence and inside is None:
            reader.line(line, number)
        elif not fence:
            lines.append(line)
        elif inside is None:
            inside, start, lines = fence[1].split(" ")[0], number, []
        else:
            reader.block(inside, lines, start)
            inside = None
    return reader.steps


def commands(lines: list[str]) -> list[str]:
    """Return the commands among lines of a block, continued ones whole, without comments."""
    whole = "\n".join(lines).replace("\\\n", " ").splitlines()
    found, open_quote = [], False
    for line in whole:
        start = COMMAND.fullmatch(line.strip())
        if open_quote:
            found[-1] += "\n" + line
        elif start:
            found.append(re.sub(r"\s+#.*", "", start[1]))
        else:
            continue
        open_quote = found[-1].count('"') % 2 == 1
    return [re.sub(r" +", " ", each).strip() for each in found]


def sources(steps: list[Step], place: int) -> list[int]:
    """Return which steps made what the output or the figures at a place show; none: a file did."""
    step = steps[place]
    run = [k for k, each in enumerate(steps) if each.kind in ("shell", "python")]
    if step.source:
        return [k for k in run if steps[k].text == step.source][:1]
    before = [steps[k].block for k in run if k < place and steps[k].block]
    return [k for k in run if before and steps[k].block == before[-1]]
