"""A site for any web server: the pages, computed in a tab of a browser by Pyodide.

Read `files`, which writes the folder of a site, and `tab`, which replies there. In the browser,
`shell.js` shows a page in a frame; `service.js` passes the requests of the frame to it; it passes
them to `worker.js`, which runs Python, and which it stops when a reply takes too long.
"""
