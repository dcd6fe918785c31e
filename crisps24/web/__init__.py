"""The server: pages computed in worker processes, within limits.

Read `work`, which runs pages in processes, `guards`, which refuse requests and set headers,
`roots`, which serves everything under a path, `requests`, which handles unusual requests,
`connections`, which close slow connections, and `application`, which combines them. Only `cli`
imports this package.
"""
