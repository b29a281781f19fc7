# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How runs end: a text or one document, and the document in the output folder in any case."""

import json

import pytest

from impact_cli.ending import end_runs

SENTENCE = "hits at 0.1 m/s" + " and again" * 20


@pytest.mark.parametrize("as_json", [False, True])
def test_the_document_is_written_whatever_is_printed(tmp_path, capsys, as_json):
    file = tmp_path / "table.json"
    end_runs(file, {"runs": [1]}, lambda: ("a table", SENTENCE), as_json=as_json, started=0.0)
    out = capsys.readouterr().out
    assert json.loads(file.read_text()) == {"runs": [1], "output_dir": str(tmp_path)}
    if as_json:
        assert out == file.read_text()
        return
    table, sentence, rest = out.split("\n\n")
    assert table == "a table" and sentence.startswith("Hits at 0.1 m/s and")
    assert max(map(len, sentence.splitlines())) <= 88
    look = f"to look at them: impact view {tmp_path}"
    assert rest.startswith(f"Table, pictures and recordings: {tmp_path}; {look}\nTook ")
