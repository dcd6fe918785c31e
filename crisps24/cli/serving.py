"""The command that serves the pages: serve."""

import errno
import re
import socket
import sys
from collections.abc import Sequence
from importlib import import_module
from ipaddress import ip_address
from typing import Any

import click

from crisps24.cli import options as ask
from crisps24.cli.screen import complain
from crisps24.errors import RefusedError

PORT = 8024
# Who is not let in yet.
_WAITING = 128
# Seconds that who was asked before the end has to answer in.
_GRACE = 2


@ask.command()
def serve(
    port: int = ask.given("Port; 0 picks a free one.", click.IntRange(0, 65535), default=PORT),
    host: str = ask.given(
        "Address to listen on; 0.0.0.0 lets other machines in.",
        str,
        default="127.0.0.1",
        metavar="ADDRESS",
    ),
    opened: bool = ask.output("Open the pages in a browser.", None, "--open"),
    embed: bool = ask.output("Let other sites show these pages in a frame."),
    names: Sequence[str] = ask.proxy(
        "Answer to this host name too; repeat for each.",
        str,
        "--allow-host",
        multiple=True,
        metavar="NAME",
    ),
    proxies: Sequence[str] = ask.proxy(
        "Address or network of a proxy: its X-Forwarded-Prefix is believed, and it may hold all "
        "connections.",
        str,
        "--proxy",
        multiple=True,
        metavar="ADDRESS",
    ),
    root: str = ask.proxy(
        "Path of the pages behind a proxy, such as /crisps.",
        str,
        "--root-path",
        default="",
        metavar="PATH",
    ),
    workers: int | None = ask.limits(
        "Processes that compute answers [default: all cores].", ask.SOME_WORKERS
    ),
) -> None:
    """Serve the web pages: play, solve, check and print.

    Open the address that is printed in a browser. Nothing is stored, and other machines are not let
    in unless --host says so. Ctrl-C stops the server.

    Examples:
      crisps24 serve --open
      crisps24 serve --port 8080
      crisps24 serve --host 0.0.0.0            for everyone on your network
      crisps24 serve --proxy 127.0.0.1 --root-path /crisps

    Limits: 200 connections, 100 per address of other machines, 30 seconds to send a request.
    """
    _check_installed()
    for name in names:
        if not re.fullmatch("[0-9A-Za-z._-]{1,253}", name):
            raise click.UsageError(f"--allow-host: {name!r} is no name of a host")
    hung = _hung(root, proxies, embed)
    with _listening(host, port) as listening:
        if not _is_own(listening):
            told = _address_of(listening)
            complain(f"crisps24: others who reach this machine can open {told} too")
        _serve(listening, [host, *names], hung, workers, opened)


def _hung(root: str, proxies: Sequence[str], embed: bool) -> dict[str, Any]:
    """Return how the pages hang behind proxies, and whether others may frame them."""
    from crisps24.web.roots import parse_networks, parse_root

    try:
        networks = parse_networks(proxies)
    except ValueError as error:
        raise click.UsageError(f"--proxy: {error}") from None
    try:
        return {"root": parse_root(root), "proxies": networks, "embed": embed}
    except ValueError as error:
        raise click.UsageError(f"--root-path: {error}") from None


def _check_installed() -> None:
    try:
        for name in ("jinja2", "starlette", "uvicorn"):
            import_module(name)
    except ImportError as error:
        told = f'the pages need {error.name}, which is missing: pip install "crisps24[web]"'
        raise RefusedError(told) from None


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or say why there is none."""
    try:
        [family, kind, protocol, _, place] = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise click.UsageError(f"--host: {host!r} is no name or address of this machine") from None
    made = socket.socket(family, kind, protocol)
    try:
        # One that has just ended does not keep its port.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(place)
        made.listen(_WAITING)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            told = f"--port: {port} on {host} is taken; --port 0 finds one that is free"
        elif error.errno == errno.EACCES:
            told = f"--port: {port} is not for everybody; those from 1024 are"
        else:
            told = f"--host: {host}: {error.strerror}"
        raise click.UsageError(told) from None
    return made


def _address_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ip_address(host).version == 6 else host}:{port}/"


def _is_own(listening: socket.socket) -> bool:
    """Return whether this machine alone can reach a socket."""
    return ip_address(listening.getsockname()[0]).is_loopback


def _names_here() -> set[str]:
    """Return the names by which others on its network ask for this machine."""
    name = socket.gethostname().casefold()
    short = name.partition(".")[0]
    return {name, short, f"{short}.local"}


def _serve(
    listening: socket.socket,
    names: Sequence[str],
    hung: dict[str, Any],
    workers: int | None,
    opened: bool,
) -> None:
    from crisps24.web.application import make_application
    from crisps24.web.connections import Server, config_of
    from crisps24.web.guards import ANY_ADDRESS, OWN_NAMES

    failed: list[OSError] = []

    def tell() -> None:
        address = _address_of(listening).removesuffix("/") + f"{hung['root']}/"
        try:
            click.echo(f"{address} (Ctrl-C ends it)")
            sys.stdout.flush()
        except OSError as error:
            # Nobody reads, or nothing can be written: told once the server has ended.
            failed.append(error)
            server.should_exit = True
            return
        if opened:
            click.launch(address)

    others = set() if _is_own(listening) else {ANY_ADDRESS, *_names_here()}
    application = make_application({*OWN_NAMES, *names, *others}, workers, ready=tell, **hung)
    server = Server(config_of(application, _GRACE, hung["proxies"]))
    server.run(sockets=[listening])
    if failed:
        raise failed[0]
