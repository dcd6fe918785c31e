"""Tests of the server, with Starlette's client and with hostile requests."""
