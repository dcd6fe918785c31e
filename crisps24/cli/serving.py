"""The command serve: the web pages."""

import errno
import re
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from ipaddress import ip_address
from typing import Any

import click

from crisps24.cli import options as opt
from crisps24.cli.progress import end_watching
from crisps24.cli.screen import complain
from crisps24.errors import RefusedError

PORT = 8024
# Connections that wait to be accepted.
_BACKLOG = 128
# Seconds to finish open requests after Ctrl-C.
_GRACE = 2
# An address of each network that this machine may be on: the internet and private networks.
_DESTINATIONS = {
    socket.AF_INET: ("192.0.2.1", "192.168.255.254", "10.255.255.254", "172.31.255.254"),
    socket.AF_INET6: ("2001:db8::1", "fd00::1"),
}


@opt.command()
def serve(
    port: int = opt.input("Port; 0 picks a free one.", click.IntRange(0, 65535), default=PORT),
    host: str = opt.input(
        "Address to listen on; 0.0.0.0 lets other machines in.",
        str,
        default="127.0.0.1",
        metavar="ADDRESS",
    ),
    opened: bool = opt.output("Open the pages in a browser.", None, "--open"),
    embed: bool = opt.output("Let other sites show these pages in a frame."),
    names: Sequence[str] = opt.proxy(
        "Also answer to this host name; repeat for each.",
        str,
        "--allow-host",
        multiple=True,
        metavar="NAME",
    ),
    proxies: Sequence[str] = opt.proxy(
        "Address or network of a trusted proxy: its X-Forwarded-Prefix counts, and its connections "
        "have no limit.",
        str,
        "--proxy",
        multiple=True,
        metavar="ADDRESS",
    ),
    root: str = opt.proxy(
        "Path of the pages behind a proxy, such as /crisps.",
        str,
        "--root-path",
        default="",
        metavar="PATH",
    ),
    workers: int | None = opt.limit(
        "Processes that compute answers [default: all cores].", opt.SOME_WORKERS
    ),
) -> None:
    """Serve the web pages: play, solve, check and print.

    Open the printed address in a browser. The server saves nothing, and other machines cannot
    connect without --host. Ctrl-C stops it.

    Examples:
      crisps24 serve --open
      crisps24 serve --port 8080
      crisps24 serve --host 0.0.0.0            for everyone on your network
      crisps24 serve --proxy 127.0.0.1 --root-path /crisps

    Limits: 200 connections, 100 per address of other machines, 30 seconds to send a request.
    """
    _check_installed()
    for name in names:
        if not re.fullmatch("[0-9A-Za-z._-]{1,253}|[0-9A-Fa-f:.]{2,45}", name):
            raise click.UsageError(f"--allow-host: invalid host name {name!r}")
    behind = _proxy_settings(root, proxies, embed)
    with _listening(host, port) as listening:
        if not _is_own(listening):
            addresses = [f"{each}{behind['root']}/" for each in _addresses_for_others(listening)]
            shown = " or ".join(addresses) or "it, but no network address of this one was found"
            complain(f"crisps24: other machines on the network can open {shown}")
        _serve(listening, [host, *names], behind, workers, opened)


def _proxy_settings(root: str, proxies: Sequence[str], embed: bool) -> dict[str, Any]:
    """Return the root path, the networks of proxies, and whether other sites can frame pages."""
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
        install = 'pip install "crisps24[web]"'
        raise RefusedError(f"serve needs {error.name}, which is missing: {install}") from None


def _listening(host: str, port: int) -> socket.socket:
    """Return a listening socket, or refuse the address or port."""
    try:
        [family, kind, protocol, _, place] = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise click.UsageError(f"--host: {host!r} is not an address of this machine") from None
    made = socket.socket(family, kind, protocol)
    try:
        # The port of a server that has just ended is free.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(place)
        made.listen(_BACKLOG)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            problem = f"--port: {port} on {host} is in use; --port 0 picks a free one"
        elif error.errno == errno.EACCES:
            problem = f"--port: {port} needs special rights (expected 1024 or more)"
        else:
            problem = f"--host: {host}: {error.strerror}"
        raise click.UsageError(problem) from None
    return made


def _address_of(listening: socket.socket) -> str:
    """Return the address that a browser on this machine opens, without a path."""
    host, port = listening.getsockname()[:2]
    if ip_address(host).is_unspecified:
        host = "127.0.0.1" if listening.family == socket.AF_INET or _is_dual(listening) else "::1"
    return _url(host, port)


def _addresses_for_others(listening: socket.socket) -> list[str]:
    """Return the addresses that browsers on other machines can open, without a path."""
    host, port = listening.getsockname()[:2]
    hosts = [host]
    if ip_address(host).is_unspecified:
        families = [listening.family]
        if listening.family == socket.AF_INET6 and _is_dual(listening):
            families = [socket.AF_INET, socket.AF_INET6]
        hosts = [each for family in families for each in _own_addresses(family)]
    return [_url(each, port) for each in hosts]


def _own_addresses(family: socket.AddressFamily) -> list[str]:
    """Return the addresses of this machine on its networks, without a lookup of names.

    To connect a UDP socket sends nothing: the system only chooses a route and its own address.
    """
    found = []
    for place in _DESTINATIONS[family]:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((place, 9))
            found.append(probe.getsockname()[0])
    return [each for each in dict.fromkeys(found) if not ip_address(each).is_loopback]


def _is_dual(listening: socket.socket) -> bool:
    """Return whether an IPv6 socket also accepts connections by IPv4."""
    return not listening.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ip_address(host).version == 6 else host}:{port}"


def _is_own(listening: socket.socket) -> bool:
    """Return whether only this machine can reach a socket."""
    return ip_address(listening.getsockname()[0]).is_loopback


def _names_here() -> set[str]:
    """Return the names of this machine on its network."""
    name = socket.gethostname().casefold()
    short = name.partition(".")[0]
    return {name, short, f"{short}.local"}


def _serve(
    listening: socket.socket,
    names: Sequence[str],
    behind: dict[str, Any],
    workers: int | None,
    opened: bool,
) -> None:
    from crisps24.web.application import make_application
    from crisps24.web.connections import Server, make_config
    from crisps24.web.guards import ANY_ADDRESS, OWN_NAMES

    failed: list[OSError] = []

    def show_address() -> None:
        address = f"{_address_of(listening)}{behind['root']}/"
        try:
            end_watching()
            click.echo(f"{address} (Ctrl-C ends it)")
            sys.stdout.flush()
        except OSError as error:
            # A closed pipe or a full disk: raised after the server has ended.
            failed.append(error)
            server.should_exit = True
            return
        if opened:
            click.launch(address)

    others = set() if _is_own(listening) else {ANY_ADDRESS, *_names_here()}
    application = make_application(
        {*OWN_NAMES, *names, *others}, workers, on_ready=show_address, **behind
    )
    server = Server(make_config(application, _GRACE, behind["proxies"]))
    server.run(sockets=[listening])
    if failed:
        raise failed[0]
