# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The site has one folder per version, and leads to the newest release."""

import re
import subprocess

import pytest
from doc_scripts import loaded


@pytest.fixture(scope="module")
def maker():
    return loaded("make_site")


@pytest.fixture
def site(maker, tmp_path):
    """A function that adds pages with a text under a name, and returns the site."""

    def adds(name, text="pages"):
        pages = tmp_path / "pages"
        pages.mkdir(exist_ok=True)
        (pages / "index.html").write_text(text)
        maker.add(pages, tmp_path / "site", name)
        return tmp_path / "site"

    return adds


def test_versions_are_listed_newest_first_and_the_first_page_leads_to_the_newest_release(site):
    for name in ("1.9.0", "latest", "1.10.0", "1.2.0"):
        made = site(name)
    listed = re.findall(r'"([\w.]+)"', (made / "versions.js").read_text().split("...")[1])
    assert listed[:4] == ["latest", "1.10.0", "1.9.0", "1.2.0"]
    assert "url=1.10.0/index.html" in (made / "index.html").read_text()


def test_before_the_first_release_it_leads_to_the_latest_pages(site):
    assert "url=latest/index.html" in (site("latest") / "index.html").read_text()


def test_pages_of_the_same_version_take_the_place_of_the_old_ones(site):
    made = site("latest", "old")
    (made / "latest" / "gone.html").touch()
    site("1.0.0", "release")
    made = site("latest", "new")
    assert (made / "latest" / "index.html").read_text() == "new"
    assert not (made / "latest" / "gone.html").exists()
    assert (made / "1.0.0" / "index.html").read_text() == "release"


def test_only_a_tagged_checkout_is_a_release(maker, tmp_path):
    def git(*arguments):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]
        subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True, capture_output=True)

    (tmp_path / "package.xml").write_text("<package><version>1.0.0</version></package>")
    git("init")
    git("add", ".")
    git("commit", "-m", "one")
    assert maker.folder_of(tmp_path) == "latest"
    git("tag", "v1.0.0")
    assert maker.folder_of(tmp_path) == "1.0.0"
    git("commit", "--allow-empty", "-m", "two")
    assert maker.folder_of(tmp_path) == "latest"


def test_without_pages_one_line_says_what_builds_them(maker, tmp_path):
    with pytest.raises(SystemExit, match=r"no pages in .*; ./impact doc builds them"):
        maker.add(tmp_path, tmp_path / "site", "latest")
    with pytest.raises(SystemExit, match="expected the folder of the site, got nothing"):
        maker.main([])
