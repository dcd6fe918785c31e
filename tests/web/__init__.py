"""Tests of the server, with Starlette's client, under load, and with hostile requests."""
