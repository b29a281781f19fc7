# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Adds the pages in build/doc to a site that has one folder per version.

A release (its tag is checked out) goes to the folder of its version, anything else to ``latest``.
Every page of every version lists all of them; the site's first page leads to the newest release.

Example:
    ./impact doc && ./impact shell -- python doc/make_site.py SITE
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
LATEST = "latest"
# Loaded by each page, see templates/sidebar/variant-selector.html: older pages know newer versions.
LIST = """\
const site = document.currentScript.src
document.getElementById("versions").append("Versions: ", ...%s.flatMap(name => {
  const link = document.createElement("a")
  link.href = new URL(name + "/index.html", site)
  link.textContent = name
  return [link, " "]
}))
"""
FIRST = '<!doctype html><meta http-equiv="refresh" content="0; url=%s/index.html">\n'


def folder_of(root: Path) -> str:
    """Return the version in package.xml where its tag, such as v1.0.0, is checked out."""
    version = ElementTree.parse(root / "package.xml").findtext("version")
    call = ["git", "-C", str(root), "tag", "--points-at", "HEAD"]
    tags = subprocess.run(call, capture_output=True, text=True, check=False).stdout.split()
    return str(version) if f"v{version}" in tags else LATEST


def versions_in(site: Path) -> list[str]:
    """Return the versions of a site: releases, newest first, after what is latest."""
    names = [page.parent.name for page in site.glob("*/index.html")]
    releases = [name for name in names if name.replace(".", "").isdecimal()]
    releases.sort(key=lambda name: [int(part) for part in name.split(".")], reverse=True)
    return [name for name in (LATEST,) if name in names] + releases


def add(pages: Path, site: Path, name: str) -> None:
    """Copy pages to the folder ``name`` of a site, and write its list and first page.

    Raises:
        SystemExit: There are no pages.
    """
    if not (pages / "index.html").is_file():
        raise SystemExit(f"no pages in {pages}; ./impact doc builds them")
    shutil.rmtree(site / name, ignore_errors=True)
    shutil.copytree(pages, site / name, ignore=shutil.ignore_patterns(".doctrees", ".buildinfo"))
    versions = versions_in(site)
    newest = next((each for each in versions if each != LATEST), LATEST)
    (site / "versions.js").write_text(LIST % json.dumps(versions))
    (site / "index.html").write_text(FIRST % newest)


def main(arguments: list[str]) -> None:
    """Add the pages of this checkout."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        raise SystemExit(f"expected the folder of the site, got {' '.join(arguments) or 'nothing'}")
    site = Path(arguments[0])
    add(ROOT / "build" / "doc", site, folder_of(ROOT))
    print(f"{site}: {', '.join(versions_in(site))}")


if __name__ == "__main__":
    main(sys.argv[1:])
