# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The web server of the viewer: on this machine only, on a free port, without output."""

from __future__ import annotations

import contextlib
import io
import logging
import socket
from collections.abc import Iterator
from typing import Any

from impact_view.exceptions import ViewError
from impact_view.web.camera import STANDARD, Camera
from impact_view.web.origin import pages_of_this_machine

HOST, PORT = "127.0.0.1", 8080


@contextlib.contextmanager
def view_server(port: int, title: str, camera: Camera = STANDARD) -> Iterator[Any]:
    """Serve an empty scene, with a grid as floor.

    Args:
        port: of the page.
        title: above the widgets.
        camera: initial viewpoint.

    Yields:
        The viser server; it is stopped at the end.

    Raises:
        ViewError: the port is taken, or may not be used.
    """
    check_port(port)
    import viser  # late: it takes half a second

    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # of failed handshakes
    quiet = contextlib.redirect_stdout(io.StringIO())  # standard output may be a JSON document
    with quiet, pages_of_this_machine():
        server = viser.ViserServer(host=HOST, port=port, label=title, verbose=False)
    try:
        server.gui.configure_theme(show_logo=False, show_share_button=False)
        server.gui.main_panel.dock_right()
        server.scene.configure_environment_map(None)  # it would arrive late, after a first picture
        server.scene.add_light_ambient("/light", intensity=1.2)
        server.scene.add_grid("/floor", width=3.0, height=3.0, cell_size=0.1, section_size=0.5)
        first = server.initial_camera
        first.position, first.look_at, first.fov = camera.position, camera.target, camera.fov
        yield server
    finally:
        with contextlib.redirect_stdout(io.StringIO()):
            server.stop()


def check_port(port: int) -> None:
    """Refuse a port that is not free; viser would silently take the next one.

    Raises:
        ViewError: names the port and the reason.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise ViewError(
                f"--port: cannot listen on port {port} ({error.strerror}); choose another one"
            ) from None


def address(server: Any) -> str:
    """Return the address to open in a browser."""
    return f"http://{HOST}:{server.get_port()}"
