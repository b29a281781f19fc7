# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Takes the tutorial's pictures of a report with a headless Chromium.

Run ``./impact shell -- python doc/make_report_pictures.py`` (a minute).
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from impact_cli.command_line import run

FIGURES = Path(__file__).parent / "figures"
TYPES = ("flex_exp_type1", "flex_exp_type2", "flex_exp_type4", "flex_exp_type8")
WIDTH, HEIGHT = 1000, 7000
ANSWER, IMPACT = (0, 1315), (4600, 6470)  # rows of the page that are cut out
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> int:
    """Simulate, analyse, open the report and cut two pieces out of its picture."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        print(f"expected one of {', '.join(BROWSERS)}", file=sys.stderr)
        return 1
    with TemporaryDirectory() as made:
        folder = Path(made)
        trials, results, picture = (folder / name for name in ("trials", "results", "page.png"))
        run(["simulate", *TYPES, "--trials", "5", "--record", str(trials)])
        run(["analyze", str(trials), "--out", str(results)])
        command = [
            browser,
            "--headless=new",
            "--no-sandbox",
            "--enable-unsafe-swiftshader",
            "--hide-scrollbars",
            f"--window-size={WIDTH},{HEIGHT}",
            "--virtual-time-budget=20000",
            f"--screenshot={picture}",
            (results / "report.html").as_uri(),
        ]
        subprocess.run(command, check=True, capture_output=True)
        page = Image.open(picture).convert("RGB")
    page.crop((0, ANSWER[0], WIDTH, ANSWER[1])).save(FIGURES / "report_answer.png", optimize=True)
    page.crop((0, IMPACT[0], WIDTH, IMPACT[1])).save(FIGURES / "report_impact.png", optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
