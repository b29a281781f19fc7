# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""All threads of a node allocate from one heap."""

import subprocess
import sys

import pytest

COUNT = """
import ctypes, pathlib, sys, threading
from impact_ros.node.main import share_one_heap

libc, path = ctypes.CDLL(None), pathlib.Path(sys.argv[1])
if not hasattr(libc, "malloc_info"):
    sys.exit(77)
libc.fopen.restype = libc.malloc.restype = ctypes.c_void_p
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.fclose.argtypes = [ctypes.c_void_p]

def heaps():
    file = libc.fopen(str(path).encode(), b"w")
    libc.malloc_info(0, file)
    libc.fclose(file)
    return path.read_text().count("<heap nr=")

def allocate():
    libc.malloc(1024)
    together.wait()

if sys.argv[2] == "shared":
    assert share_one_heap()
before, together = heaps(), threading.Barrier(8)
threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(heaps() - before)
"""


@pytest.mark.parametrize("how", ["shared", "usual"])
def test_threads_add_no_heap_of_their_own(tmp_path, how):
    command = [sys.executable, "-c", COUNT, str(tmp_path / "heaps.xml"), how]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip("the C library has one heap anyway")
    assert done.returncode == 0, done.stderr
    assert (int(done.stdout) == 0) is (how == "shared")
