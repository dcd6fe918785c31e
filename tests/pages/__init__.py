"""The pages, by Starlette's client, in a browser, under load, and as nobody should ask them."""
