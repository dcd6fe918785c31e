"""The commands serve and site: the web pages, from a server or in a tab of a browser."""

import errno
import re
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import click

from crisps24.cli import options as opt
from crisps24.cli.progress import stop_reporting
from crisps24.cli.screen import print_to_stderr
from crisps24.errors import RefusedError
from crisps24.rules.games import HAND_GAMES, find_game

PORT = 8024
# Seconds to finish open requests after Ctrl-C.
_SHUTDOWN_SECONDS = 2
# Addresses on networks that this machine can belong to: the internet and private networks.
_DESTINATIONS = {
    socket.AF_INET: ("192.0.2.1", "192.168.255.254", "10.255.255.254", "172.31.255.254"),
    socket.AF_INET6: ("2001:db8::1", "fd00::1"),
}


_NAME_TEXT = "Also answer to this host name; repeat for each."
_PROXY_TEXT = """Address or network of a trusted proxy: its X-Forwarded-Prefix counts, and its
connections have no limit."""
_ROOT_TEXT = "Path of the pages behind a proxy, such as /crisps."
_HOST_TEXT = "Address to listen on; 0.0.0.0 lets other machines in."
_WORKERS_TEXT = "Processes that compute answers [default: all cores]."
_PYODIDE_TEXT = "Folder or address of Pyodide's files; a folder is copied [default: its own site]."


def _read_games(text: str) -> tuple[str, ...]:
    names = tuple(find_game(name.strip(), HAND_GAMES).name for name in text.split(","))
    if unknown := [name for name in names if name not in HAND_GAMES]:
        raise RefusedError(f"{unknown[0]} has no pages (expected {', '.join(HAND_GAMES)})")
    return tuple(dict.fromkeys(names))


@opt.command()
def serve(
    port: int = opt.reading("Port; 0 picks a free one.", click.IntRange(0, 65535), default=PORT),
    host: str = opt.reading(_HOST_TEXT, str, default="127.0.0.1", metavar="ADDRESS"),
    opened: bool = opt.output("Open the pages in a browser.", None, "--open"),
    embed: bool = opt.output("Let other sites show these pages in a frame."),
    names: Sequence[str] = opt.proxy(
        _NAME_TEXT, str, "--allow-host", multiple=True, metavar="NAME"
    ),
    proxies: Sequence[str] = opt.proxy(
        _PROXY_TEXT, str, "--proxy", multiple=True, metavar="ADDRESS"
    ),
    root: str = opt.proxy(_ROOT_TEXT, str, "--root-path", default="", metavar="PATH"),
    workers: int | None = opt.limit(_WORKERS_TEXT, opt.WORKER_COUNT),
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
    _check_modules("serve", "jinja2", "starlette", "uvicorn")
    # These need the extra `web`.
    from crisps24.web import application, guards

    for name in names:
        if not re.fullmatch("[0-9A-Za-z._-]{1,253}|[0-9A-Fa-f:.]{2,45}", name):
            raise click.UsageError(f"--allow-host: invalid host name {name!r}")
    with opt.usage_errors("--proxy"):
        networks = guards.parse_networks(proxies)
    with opt.usage_errors("--root-path"):
        root = guards.parse_root(root)
    with _open_listener(host, port) as listener:
        hosts = {*guards.OWN_NAMES, host, *names}
        if not ip_address(listener.getsockname()[0]).is_loopback:
            # The names of this machine on its network: `desk.home`, `desk` and `desk.local`.
            name = socket.gethostname().casefold()
            short = name.partition(".")[0]
            hosts |= {guards.ANY_ADDRESS, name, short, f"{short}.local"}
            addresses = [f"{url}{root}/" for url in _addresses_for_others(listener)]
            places = " or ".join(addresses) or "it, but no network address of this one was found"
            print_to_stderr(f"crisps24: other machines on the network can open {places}")
        settings: dict[str, Any] = {"root": root, "proxies": networks, "embed": embed}
        make = partial(application.make_application, hosts, workers, **settings)
        _run(make, networks, listener, f"{_own_address(listener)}{root}/", opened)


@opt.command()
def site(
    out: Path = opt.output("Write this folder.", opt.FILE, required=True, metavar="FOLDER"),
    games: Sequence[str] | None = opt.puzzle(
        "Games of the menus, the usual one first [default: all].",
        opt.ParsedType("names", _read_games),
        metavar="NAME,...",
    ),
    title: str = opt.display("Title of the pages.", str, default="crisps24"),
    language: str | None = opt.FIRST_LANGUAGE,
    pyodide: str = opt.reading(_PYODIDE_TEXT, str, default="", metavar="FOLDER|URL"),
) -> None:
    """Write a folder for any web server: the pages run in a tab.

    Put the folder on a web server for files, such as that of a school. Python runs in the browser
    of each visitor, also offline after the first visit, and nothing that people type leaves it.

    Examples:
      crisps24 site --out site
      crisps24 site --out site --title "Maths club" --games cards,countdown

    To see it, run python -m http.server --directory site. Python 3.13 writes a site that starts
    faster. An existing folder must be empty or a site.
    """
    _check_modules("site", "jinja2", "reportlab")
    from crisps24.pages.addresses import SITE, Site
    from crisps24.site.files import can_compile, check_folder, find_pyodide, write_site

    check_folder(out)
    found = find_pyodide(pyodide)
    settings = Site(title, language or "", tuple(games or SITE.games))
    write_site(out, settings, found)
    if not can_compile(found):
        version = ".".join(found.python.split(".")[:2])
        print_to_stderr(f"the site starts some seconds faster if Python {version} writes it")
    click.echo(str(out))


def _check_modules(command: str, *names: str) -> None:
    try:
        for name in names:
            import_module(name)
    except ImportError as error:
        install = 'pip install "crisps24[web]"'
        raise RefusedError(f"{command} needs {error.name}, which is missing: {install}") from None


def _run(
    make_application: Callable[..., Any],
    proxies: Any,
    listener: socket.socket,
    address: str,
    opened: bool,
) -> None:
    """Serve until Ctrl-C, and print the address as soon as the server answers."""
    from crisps24.web import application

    print_errors: list[OSError] = []

    def show_address() -> None:
        try:
            stop_reporting()
            click.echo(f"{address} (Ctrl-C ends it)")
            sys.stdout.flush()
        except OSError as error:
            # A closed pipe or a full disk: raise it after the server has ended.
            print_errors.append(error)
            server.should_exit = True
            return
        if opened:
            click.launch(address)

    server = application.make_server(
        make_application(on_ready=show_address), _SHUTDOWN_SECONDS, proxies
    )
    server.run(sockets=[listener])
    if print_errors:
        raise print_errors[0]


def _open_listener(host: str, port: int) -> socket.socket:
    try:
        [(*kind, _, address), *_] = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (socket.gaierror, UnicodeError):
        raise click.UsageError(f"--host: {host!r} is not an address of this machine") from None
    # socket.create_server has no protocol, without which asyncio would delay each reply by 40 ms.
    listener = socket.socket(*kind)
    try:
        # Allow the port of a server that ended a moment ago.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        problems = {
            errno.EADDRINUSE: f"--port: {port} on {host} is in use; --port 0 picks a free one",
            errno.EACCES: f"--port: {port} needs special rights (expected 1024 or more)",
        }
        problem = problems.get(error.errno or 0, f"--host: {host}: {error.strerror}")
        raise click.UsageError(problem) from None
    return listener


def _own_address(listener: socket.socket) -> str:
    """Return the address that a browser on this machine opens, without a path."""
    host, port = listener.getsockname()[:2]
    if ip_address(host).is_unspecified:
        host = "127.0.0.1" if socket.AF_INET in _families(listener) else "::1"
    return _url(host, port)


def _addresses_for_others(listener: socket.socket) -> list[str]:
    """Return the addresses that browsers on other machines open; none without a network."""
    host, port = listener.getsockname()[:2]
    hosts = [host]
    if ip_address(host).is_unspecified:
        hosts = [own for family in _families(listener) for own in _own_hosts(family)]
    return [_url(each, port) for each in dict.fromkeys(hosts)]


def _own_hosts(family: socket.AddressFamily) -> Iterator[str]:
    """Yield the IP addresses of this machine on its networks, some more than once."""
    for destination in _DESTINATIONS[family]:
        # To connect a UDP socket only chooses an address of this machine; nothing is sent.
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((destination, 9))
            host = probe.getsockname()[0]
            if not ip_address(host).is_loopback:
                yield host


def _families(listener: socket.socket) -> list[socket.AddressFamily]:
    """Return the kinds of addresses at which a socket accepts connections."""
    only = socket.IPPROTO_IPV6, socket.IPV6_V6ONLY
    is_dual = listener.family == socket.AF_INET6 and not listener.getsockopt(*only)
    return [socket.AF_INET, socket.AF_INET6] if is_dual else [listener.family]


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ip_address(host).version == 6 else host}:{port}"
