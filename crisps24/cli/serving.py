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
from crisps24.cli.progress import stop_reporting
from crisps24.cli.screen import print_to_stderr
from crisps24.errors import RefusedError

PORT = 8024
# Connections that wait for the server to accept them.
_MAX_WAITING_CONNECTIONS = 128
# Seconds to finish open requests after Ctrl-C.
_SHUTDOWN_SECONDS = 2
# Addresses on networks that this machine can belong to: the internet and private networks.
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
        "Processes that compute answers [default: all cores].", opt.WORKER_COUNT
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
    proxy_settings = _proxy_settings(root, proxies, embed)
    with _open_listener(host, port) as listener:
        if not _is_local(listener):
            addresses = [
                f"{url}{proxy_settings['root']}/" for url in _addresses_for_others(listener)
            ]
            places = " or ".join(addresses) or "it, but no network address of this one was found"
            print_to_stderr(f"crisps24: other machines on the network can open {places}")
        _run_server(listener, [host, *names], proxy_settings, workers, opened)


def _proxy_settings(root: str, proxies: Sequence[str], embed: bool) -> dict[str, Any]:
    """Parse the options for a server behind a proxy, and return them as arguments of the web pages.

    A proxy is another server that passes on the requests of browsers. For the path `/crisps` and
    the proxy `127.0.0.1`, the arguments are `root="/crisps"`,
    `proxies=(IPv4Network("127.0.0.1/32"),)` and `embed`.

    Args:
        root: The path of the pages at the proxy; empty without a proxy.
        proxies: The addresses or networks of the trusted proxies.
        embed: Whether other sites can show the pages in a frame.

    Raises:
        click.UsageError: The path, an address or a network is invalid.
    """
    from crisps24.web.roots import parse_networks, parse_root

    try:
        proxy_networks = parse_networks(proxies)
    except ValueError as error:
        raise click.UsageError(f"--proxy: {error}") from None
    try:
        root_path = parse_root(root)
    except ValueError as error:
        raise click.UsageError(f"--root-path: {error}") from None
    return {"root": root_path, "proxies": proxy_networks, "embed": embed}


def _check_installed() -> None:
    """Raise `RefusedError` if a package that the web pages need is not installed."""
    try:
        for name in ("jinja2", "starlette", "uvicorn"):
            import_module(name)
    except ImportError as error:
        install = 'pip install "crisps24[web]"'
        raise RefusedError(f"serve needs {error.name}, which is missing: {install}") from None


def _open_listener(host: str, port: int) -> socket.socket:
    """Open a socket that listens for connections of browsers, and return it.

    Args:
        host: An address or name of this machine; `0.0.0.0` stands for all its addresses.
        port: The port; 0 lets the system choose a free one.

    Raises:
        click.UsageError: The address is not one of this machine, or the port is in use or needs
            special rights.
    """
    try:
        possible_addresses = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (socket.gaierror, UnicodeError):
        raise click.UsageError(f"--host: {host!r} is not an address of this machine") from None
    family, kind, protocol, _, address = possible_addresses[0]
    listener = socket.socket(family, kind, protocol)
    try:
        # Allow the port of a server that ended a moment ago.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_MAX_WAITING_CONNECTIONS)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            problem = f"--port: {port} on {host} is in use; --port 0 picks a free one"
        elif error.errno == errno.EACCES:
            problem = f"--port: {port} needs special rights (expected 1024 or more)"
        else:
            problem = f"--host: {host}: {error.strerror}"
        raise click.UsageError(problem) from None
    return listener


def _address_of(listener: socket.socket) -> str:
    """Return the address that a browser on this machine opens, without a path."""
    host, port = listener.getsockname()[:2]
    if ip_address(host).is_unspecified:
        host = "127.0.0.1" if listener.family == socket.AF_INET or _is_dual(listener) else "::1"
    return _url(host, port)


def _addresses_for_others(listener: socket.socket) -> list[str]:
    """Return the web addresses that browsers on other machines can open: `http://192.168.1.5:8024`.

    The list is empty if this machine is on no network. The paths of pages are not included.

    Args:
        listener: A socket that listens at one address of this machine, or at all its addresses. An
            address that only this machine can reach, such as 127.0.0.1, is not allowed.
    """
    host, port = listener.getsockname()[:2]
    if not ip_address(host).is_unspecified:
        return [_url(host, port)]
    # The socket listens at all addresses, such as 0.0.0.0: list them.
    families = [listener.family]
    if listener.family == socket.AF_INET6 and _is_dual(listener):
        families = [socket.AF_INET, socket.AF_INET6]
    return [_url(address, port) for family in families for address in _own_addresses(family)]


def _own_addresses(family: socket.AddressFamily) -> list[str]:
    """Return the IP addresses of this machine on its networks, such as ['192.168.1.5'].

    No name server is needed, and nothing is sent: to connect a UDP socket to an address on another
    machine only makes the system choose which of its own addresses it would use.

    Args:
        family: The kind of addresses, `AF_INET` or `AF_INET6`.
    """
    addresses = []
    for destination in _DESTINATIONS[family]:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((destination, 9))
            addresses.append(probe.getsockname()[0])
    distinct_addresses = dict.fromkeys(addresses)
    return [address for address in distinct_addresses if not ip_address(address).is_loopback]


def _is_dual(listener: socket.socket) -> bool:
    """Return whether an IPv6 socket also accepts connections by IPv4."""
    return not listener.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)


def _url(host: str, port: int) -> str:
    """Return the web address of an IP address and a port.

    >>> _url("127.0.0.1", 8024), _url("::1", 8024)
    ('http://127.0.0.1:8024', 'http://[::1]:8024')
    """
    return f"http://{f'[{host}]' if ip_address(host).version == 6 else host}:{port}"


def _is_local(listener: socket.socket) -> bool:
    """Return whether only this machine can reach a socket."""
    return ip_address(listener.getsockname()[0]).is_loopback


def _network_names() -> set[str]:
    """Return the names of this machine that others on its network can use, in lower case.

    For the name `desk.home` these are `desk.home`, `desk` and `desk.local`.
    """
    name = socket.gethostname().casefold()
    short = name.partition(".")[0]
    return {name, short, f"{short}.local"}


def _run_server(
    listener: socket.socket,
    names: Sequence[str],
    proxy_settings: dict[str, Any],
    workers: int | None,
    opened: bool,
) -> None:
    """Run the server of the web pages until it is stopped; print its address when it is ready.

    Args:
        listener: The socket on which browsers connect.
        names: The names of hosts to which the server also answers.
        proxy_settings: The arguments of `make_application` for a server behind a proxy.
        workers: The number of processes that compute answers; None for all cores.
        opened: Whether to open the pages in a browser.

    Raises:
        OSError: The address cannot be printed, since stdout is a closed pipe or a full disk.
    """
    from crisps24.web.application import make_application
    from crisps24.web.connections import Server, make_config
    from crisps24.web.guards import ANY_ADDRESS, OWN_NAMES

    print_errors: list[OSError] = []

    def show_address() -> None:
        address = f"{_address_of(listener)}{proxy_settings['root']}/"
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

    # A server on the network also answers to the names and addresses of this machine.
    network_names = set() if _is_local(listener) else {ANY_ADDRESS, *_network_names()}
    application = make_application(
        {*OWN_NAMES, *names, *network_names}, workers, on_ready=show_address, **proxy_settings
    )
    server = Server(make_config(application, _SHUTDOWN_SECONDS, proxy_settings["proxies"]))
    server.run(sockets=[listener])
    if print_errors:
        raise print_errors[0]
