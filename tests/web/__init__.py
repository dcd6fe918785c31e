"""Tests of the server: with Starlette's client, over sockets, under load, and with bad requests."""
