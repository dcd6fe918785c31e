"""The server: pages for whoever asks, worked out beside it, within limits.

Read `work`, which has addresses answered by processes, then `guards`, which refuse at the door,
`roots`, which hang all of it under a path, `connections`, which are hung up on where somebody is
too slow, and `application`, which holds them together. Only the command line knows this wing.
"""
