# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What doc/contact_force.md shows is what comes out."""

import contextlib
import io
import re


def test_the_pages_examples_print_what_they_say(project_root):
    page = (project_root / "doc" / "contact_force.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(compile(block, "contact_force.md", "exec"), names)  # a user's copy and paste
    said = re.findall(r"^print\(.*\)  # (.*)$", "".join(blocks[:-2]), flags=re.MULTILINE)
    lines = printed.getvalue().splitlines()
    assert lines[: len(said)] == said
    found = names["found"]
    assert found.flags.name == "NONE" and found.agreeing_starts > 1
    assert found.parameters["mass"].low < names["profile"].mass < found.parameters["mass"].high
    assert found.restitution.low < names["profile"].restitution < found.restitution.high
