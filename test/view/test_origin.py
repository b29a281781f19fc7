# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The viewer's websocket opens to pages of this machine alone."""

import pytest

from impact_view.web.origin import origin_refusal
from impact_view.web.server import view_server

LOCAL = ["http://127.0.0.1:{}", "http://localhost:{}", "http://[::1]:{}", "http://localhost:1"]
FOREIGN = [
    "http://example.com",
    "https://example.com:{}",
    "http://127.0.0.1.example.com:{}",
    "http://localhost.example.com",
    "http://[::1",
    "null",
    "",
]


@pytest.mark.parametrize("origin", [None, *LOCAL])
def test_pages_of_this_machine_and_what_is_no_page_may_connect(origin):
    assert origin_refusal(origin) == ""


@pytest.mark.parametrize("origin", FOREIGN)
def test_any_other_page_is_refused_in_one_line(origin):
    line = origin_refusal(origin + "\n")
    assert line.startswith("impact view: expected a page of 127.0.0.1, localhost, ::1, got one of")
    assert "\n" not in line


def test_the_servers_websocket_asks_where_the_page_is_from(port, capsys):
    """It took any: a page of the network could read and steer the scene."""
    client = pytest.importorskip("websockets.sync.client")
    exceptions = pytest.importorskip("websockets.exceptions")

    def connect(origin):
        return client.connect(
            f"ws://127.0.0.1:{port}", origin=origin, subprotocols=[f"viser-v{version}"]
        )

    from viser import __version__ as version

    with view_server(port, "test"):
        for origin in (None, f"http://127.0.0.1:{port}", f"http://localhost:{port}"):
            with connect(origin) as socket:
                assert socket.recv(timeout=10.0)
        with pytest.raises(exceptions.InvalidStatus) as caught:
            connect("http://example.com").close()
    assert caught.value.response.status_code == 403
    assert b"got one of 'http://example.com'" in caught.value.response.body
    assert "got one of 'http://example.com'" in capsys.readouterr().err
