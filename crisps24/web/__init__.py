"""The server: pages computed in worker processes, within limits.

Read `work`, which runs pages in processes, `guards`, which refuse requests and set headers,
`connections`, which disconnects slow clients and those with too many connections, and
`application`, which combines them. Only `cli` imports this package.
"""
