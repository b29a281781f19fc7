# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""``./impact wheels``: both packages as wheels in ``dist``, for ``pip install dist/*.whl``.

``impact_control`` is pure Python. ``impact_msgs`` is compiled, once for each Python that is found;
its libraries go to the ``lib`` folder of the environment, where those of ROS 2's wheels are.
"""

import base64
import hashlib
import re
import shutil
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

from impact_setup import environment, interpreter, lock, requirements, steps
from impact_setup.distribution import RosSource
from impact_setup.errors import SetupError, in_one_line
from impact_setup.layout import MESSAGES, SUITE, Layout
from impact_setup.runner import Runner

# Of the checkout: made by the set-up or by tools, or nothing that the suite's wheel is made from.
NOT_COPIED = ("build", "install", "log", "dist", "doc", "test", "studies", "impact_output")
# Of the built messages: for a workspace and for C++, whose headers are left out too.
NOT_PACKED = re.compile(
    r"share/(colcon-core|ament_index/resource_index/parent_prefix_path)/"
    r"|share/impact_msgs/(cmake|environment|hook|local_setup|package\.(?!xml))|include/"
)
PYTHON_FOLDER = re.compile(r"lib/python3\.\d+/site-packages/")
DATE = (2020, 1, 1, 0, 0, 0)  # of every file, so that equal contents make equal wheels


def make(environ: Mapping[str, str], layout: Layout, source: RosSource) -> list[Path]:
    """Build all wheels anew and return their paths.

    Args:
        environ: The caller's variables.
        layout: A checkout that is set up.
        source: Must be ROS 2's wheels, with which the messages are used.

    Raises:
        SetupError: It cannot be done; says why.
    """
    if not source.from_wheels:
        raise SetupError(
            f"wheels: expected no sourced ROS 2, got {source.name}: impact_msgs is built "
            "for ROS 2 from wheels"
        )
    with in_one_line(layout.root), lock.held(layout.lock) as descriptor:
        layout.dist.mkdir(exist_ok=True)
        for name in (SUITE, MESSAGES):
            for old in layout.dist.glob(f"{name}-*.whl"):
                old.unlink()
        runner = Runner(layout.state / "wheels.log", layout.root, descriptor)
        runner.log.write_text("")
        with _said(SUITE):
            made = [_suite(runner, environ, layout, source)]
        for found in pythons(environ, layout):
            with _said(f"{MESSAGES} for Python {found.version}"):
                made.append(_messages(runner, environ, layout, source, found))
    return made


@contextmanager
def _said(what: str) -> Iterator[None]:
    """Print what is built, and how that ended."""
    print(f"building {what}... ", end="", file=sys.stderr, flush=True)
    try:
        yield
    except BaseException:
        print("not finished", file=sys.stderr)
        raise
    print("done", file=sys.stderr)


def pythons(environ: Mapping[str, str], layout: Layout) -> list[interpreter.Interpreter]:
    """Return the interpreters to build for, one of each version: the set-up's first."""
    commands = [str(layout.python), *interpreter.candidates(environ)]
    found: dict[str, interpreter.Interpreter] = {}
    for one in filter(None, map(interpreter.probe, commands)):
        if one.version in interpreter.WHEEL_VERSIONS and not one.lacks():
            found.setdefault(one.version, one)
    return list(found.values())


def _suite(runner: Runner, environ: Mapping[str, str], layout: Layout, source: RosSource) -> Path:
    """Build the suite's wheel from a copy, in which nothing of an older build is left."""
    copy = layout.scratch / SUITE
    shutil.rmtree(copy, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", ".*")

    def left_out(folder: str, names: list[str]) -> set[str]:
        top = set(NOT_COPIED) if Path(folder) == layout.root else set()
        return ignored(folder, names) | top

    shutil.copytree(layout.root, copy, ignore=left_out)
    options = ["--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    pip = [str(layout.python), "-m", "pip", "wheel", *options, "-w", str(layout.dist), str(copy)]
    runner.run(pip, environment.for_building(environ, layout, source))
    shutil.rmtree(copy)
    return next(layout.dist.glob(f"{SUITE}-*.whl"))


def _messages(
    runner: Runner,
    environ: Mapping[str, str],
    layout: Layout,
    source: RosSource,
    found: interpreter.Interpreter,
) -> Path:
    """Compile the messages for one Python, in a folder that is laid out like a checkout."""
    tag = "cp" + found.version.replace(".", "")
    there = Layout(layout.scratch / tag)
    shutil.rmtree(there.root, ignore_errors=True)
    there.state.mkdir(parents=True)
    (there.root / MESSAGES).symlink_to(layout.root / MESSAGES)
    text = layout.requirements.read_text()
    there.requirements.write_text(requirements.for_messages(text))
    building = environment.for_building(environ, there, source)
    if interpreter.probe(str(layout.python)) == found:
        there.venv.symlink_to(layout.venv)
    else:
        steps.make_venv(runner, building, found.path, there, source)
        steps.install(runner, building, there, source, ())
    here = Runner(runner.log, there.root, runner.keep)
    here.finish(steps.start_build(here, building, MESSAGES, there, to_copy=True))
    wheel = pack(there.install(MESSAGES), layout, tag)
    shutil.rmtree(there.root)
    return wheel


def pack(built: Path, layout: Layout, tag: str) -> Path:
    """Pack built messages into a wheel.

    Args:
        built: The folder that colcon has installed them to.
        layout: The checkout.
        tag: Of the interpreter, such as ``cp311``.
    """
    manifest = ElementTree.parse(layout.root / MESSAGES / "package.xml")
    name = f"{MESSAGES}-{manifest.findtext('version')}"
    platform = f"{tag}-{tag}-{interpreter.platform_tag()}"
    pins = requirements.sections(layout.requirements.read_text())[requirements.ROS]
    files = dict(_installed(built, name))
    files[f"{name}.dist-info/METADATA"] = metadata(manifest, pins).encode()
    files[f"{name}.dist-info/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: impact wheels\nRoot-Is-Purelib: false\nTag: {platform}\n"
    ).encode()
    files[f"{name}.dist-info/licenses/LICENSE"] = (layout.root / "LICENSE").read_bytes()
    record = f"{name}.dist-info/RECORD"
    lines = [f"{path},{_digest(content)},{len(content)}" for path, content in files.items()]
    files[record] = "".join(f"{line}\n" for line in [*lines, f"{record},,"]).encode()
    wheel = layout.dist / f"{name}-{platform}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, DATE)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel


def _installed(built: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the path in the wheel and the content of each installed file that is packed."""
    for file in sorted(built.rglob("*")):
        place = file.relative_to(built).as_posix()
        if not file.is_file() or NOT_PACKED.match(place) or file.suffix == ".pyc":
            continue
        module = PYTHON_FOLDER.match(place)
        if module and place[module.end() :].startswith(f"{MESSAGES}/"):
            yield place[module.end() :], file.read_bytes()
        elif not module and place.startswith(("lib/", "share/")):
            yield f"{name}.data/data/{place}", file.read_bytes()


def metadata(manifest: "ElementTree.ElementTree[ElementTree.Element]", pins: Iterable[str]) -> str:
    """Return the metadata of the messages' wheel: what the manifest depends on, by its pins."""
    names = [each.text for kind in ("depend", "exec_depend") for each in manifest.iter(kind)]
    wanted = {f"ros-{(name or '').replace('_', '-')}" for name in names}
    versions = dict(line.split("==") for line in pins)
    summary = manifest.findtext("description")
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {MESSAGES.replace('_', '-')}",
        f"Version: {manifest.findtext('version')}",
        f"Summary: {summary}",
        f"Author: {manifest.findtext('author')}",
        f"License-Expression: {manifest.findtext('license')}",
        "License-File: LICENSE",
        "Keywords: robotics,ros2,impact",
        "Classifier: Development Status :: 4 - Beta",
        "Classifier: Intended Audience :: Science/Research",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Topic :: Scientific/Engineering",
        "Requires-Python: >=3.10",
        *sorted(f"Requires-Dist: {each}~={versions[each]}" for each in wanted),
        "Requires-Dist: numpy",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + f"\n\n# {MESSAGES}\n\n{summary}\n"


def _digest(content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return f"sha256={digest.decode().rstrip('=')}"
