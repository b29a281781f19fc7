# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A section of a page: title, content, notes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def html_section(name: str, title: str, *content: str, note: str = "") -> str:
    """Return a section as HTML.

    Args:
        name: of the section, in links.
        title: plain text.
        content: HTML.
        note: plain text below it.
    """
    return f'<section id="{name}"><h2>{title}</h2>{"".join(content)}{html_note(note)}</section>'


def html_note(note: str) -> str:
    """Return a note as HTML, nothing for an empty one."""
    return f'<p class="note">{escape(note, quote=False)}</p>' if note else ""


def html_list(texts: Sequence[str], kind: str = "") -> str:
    """Return sentences as a list in HTML."""
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<ul class="{kind}">{items}</ul>' if kind else f"<ul>{items}</ul>"
