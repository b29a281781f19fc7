# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Returns the page of message definitions, which carry unit, frame and sign of every field."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "impact_msgs"
HEAD = """\
# Messages, services, actions

The definitions of `impact_msgs`, unchanged. Who publishes and subscribes: [topics](../topics.md).
"""


def document() -> str:
    """Return the text of the page, in MyST Markdown."""
    kinds = {"msg": "Messages", "srv": "Services", "action": "Actions"}
    return "\n".join([HEAD, *(_kind(folder, title) for folder, title in kinds.items())])


def _kind(folder: str, title: str) -> str:
    """Return the section of one kind of interface."""
    files = sorted((FOLDER / folder).glob(f"*.{folder}"))
    return "\n".join([f"## {title}\n", *map(_definition, files)])


def _definition(file: Path) -> str:
    """Return one definition, without the two lines about its licence."""
    lines = file.read_text().splitlines()
    text = "\n".join(line for line in lines if not _is_licence(line))
    return f"### {file.stem}\n\n```text\n{text.strip()}\n```\n"


def _is_licence(line: str) -> bool:
    return line.startswith(("# Copyright", "# SPDX-License-Identifier"))
