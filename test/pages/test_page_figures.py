# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a page says is read and compared as its author means it."""

import pytest
from page_figures import compare_figures, compare_lines, figures, study_values
from printed_pages import read, sources

PAGE = """
| fast | `./impact plan --friction 0.3` |

`./impact plan` alone is a name, `mine.yaml` a file:

```yaml
like: other
```

```
./impact simulate --scenario mine.yaml \\
  --record mine     # a remark
ros2 action send_goal /hit "{speed: 0.1,
  x: 2}"
```

A sentence.

```text
speed 0.12 m/s
...
```

It is 0.12 m/s.

<!-- from ./impact plan --friction 0.3; not 3 -->
"""


def test_a_page_is_read_in_its_order():
    steps = read(PAGE)
    assert [step.kind for step in steps] == ["shell", "file", "shell", "shell", "output", "figures"]
    assert steps[1].name == "mine.yaml" and steps[1].text == "like: other\n"
    assert steps[2].text == "./impact simulate --scenario mine.yaml --record mine"
    assert steps[3].text.endswith('"{speed: 0.1,\n x: 2}"')
    assert steps[5].text == "It is 0.12 m/s." and steps[5].exempt == ("3",)
    assert sources(steps, 4) == [2, 3] and sources(steps, 5) == [0]


@pytest.mark.parametrize(
    ("said", "value", "same"),
    [
        ("0.12", 0.1249, True),
        ("0.12", 0.1251, False),
        ("805", 805.38, True),
        ("1,358", 1358.49, True),
        ("1.2e+05", 1.24e5, True),
        ("1.2e+05", 1.26e5, False),
        (".7", 0.74, True),
        ("-2.0", -1.96, True),
        ("-2.0", 2.0, False),
    ],
)
def test_a_figure_is_compared_to_the_digits_that_are_printed(said, value, same):
    (figure,) = figures(said)
    assert figure.matches(value) == same


def test_names_are_no_figures():
    assert figures("panda_joint6, L2, fr3, v1.2.3a") == []
    assert [each.value for each in figures("0,0.3 and 0.7-1.0")] == [0.0, 0.3, 0.7, 1.0]


def test_lines_are_looked_for_in_their_order():
    printed = "hit 1 at 0.5 m/s\nhit 2 at 0.7 m/s, 3 N\nTook 15 s."
    assert compare_lines("hit 1 at  0.5 m/s\n...\nhit 2 at 0.7 m/s...", printed) == (4, [])
    count, (problem,) = compare_lines("hit 1 at 0.6 m/s", printed)
    assert count == 0 and "the page says: hit 1 at 0.6 m/s" in problem and "0.5" in problem
    assert "nothing like it" in compare_lines("no hit", printed)[1][0]
    assert compare_lines("hit 2 at 0.7 m/s...\nhit 1 at 0.5 m/s", printed)[1]


def test_a_study_gives_its_fractions_as_percentages_too():
    document = {"rows": [{"ours": "0/200 cases", "figures": {"share": 0.117, "each": [7.5]}}]}
    values = study_values(document)
    assert compare_figures("In 12 % of 200, 0.117.", values) == (3, [])
    assert compare_figures("It was 7.5 `0.9` [a](b_8.md).", values)[1] == [
        "the page says 7.5: did not come out"
    ]
    assert compare_figures("It was 7.5.", values, ("7.5",)) == (0, [])
