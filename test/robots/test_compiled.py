# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled functions are cached, and compiled anew when anything that they are made of changes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "numbers_of": "HALF = 0.5\n",
    "inner": """from impact_robots.compiling.compiled import part
from numbers_of import HALF

@part
def halved(x):
    return HALF * x
""",
    "outer": """from impact_robots.compiling.compiled import cached, compiled
from inner import halved

@compiled
def quarter(x: float) -> float:
    return halved(halved(x))

@cached()
def eighth(x):
    return 0.5 * quarter(x)

@cached()
def never_called(x):
    return x

print(quarter(8.0), eighth(8.0))
assert halved(halved(8.0)) == quarter(8.0), "a part is plain Python here"
if hasattr(quarter, "stats"):  # numba's
    print(*(sum(each.stats.cache_hits.values()) for each in (quarter, eighth)))
""",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def run(folder, **environ):
    """Return what the outer file prints: two values, and how often each was found in the cache.

    And whether it is said that something is compiled.
    """
    environ = os.environ | {"PYTHONPATH": f"{ROOT}:{folder}"} | environ
    done = subprocess.run(
        [sys.executable, "-c", "import outer"],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stderr.count("impact: compiling inner loops, once for all later calls")
    return [*done.stdout.split(), said]


@pytest.mark.parametrize(
    ("name", "old", "new"), [("inner", "HALF * x", "x * HALF + 2.0"), ("numbers_of", "0.5", "0.25")]
)
def test_what_another_file_has_changed_is_compiled_anew(folder, name, old, new):
    assert run(folder) == ["2.0", "1.0", "0", "0", 1]
    assert run(folder) == ["2.0", "1.0", "1", "1", 0], "kept"
    file = folder / f"{name}.py"
    file.write_text(file.read_text().replace(old, new))
    expected = {"inner": ["5.0", "2.5"], "numbers_of": ["0.5", "0.25"]}[name]
    assert run(folder) == [*expected, "0", "0", 1]
    assert run(folder) == [*expected, "1", "1", 0]


def test_a_record_that_is_in_another_file_now_is_compiled_anew(folder):
    record = (
        "from typing import NamedTuple\n\nclass Pair(NamedTuple):\n    a: float\n    b: float\n"
    )
    (folder / "pairs.py").write_text(record)
    (folder / "outer.py").write_text("""from impact_robots.compiling.compiled import compiled
from pairs import Pair

@compiled
def doubled(pair: Pair) -> float:
    return 2.0 * pair.a

print(len(doubled.stats.cache_hits))
""")
    assert run(folder) == ["0", 1]
    assert run(folder) == ["1", 0]
    (folder / "pairs.py").rename(folder / "couples.py")
    outer = folder / "outer.py"
    outer.write_text(outer.read_text().replace("from pairs", "from couples"))
    assert run(folder) == ["0", 1]
    assert run(folder) == ["1", 0]


def test_without_a_compiler_it_is_plain_python(folder):
    *values, said = run(folder, NUMBA_DISABLE_JIT="1")
    assert values == ["2.0", "1.0"]
    assert said == 0
