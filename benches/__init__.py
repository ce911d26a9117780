"""How fast rowhaul is beside everything one would use instead, and whether those give the same values.

`make bench` runs it; `python -m benches --help` lists what can be narrowed. Read in this order:

bodies      made-up results of eight shapes, from a seed
own_rows    rows of a file instead
prepared    a body on disk, in the forms that peers read, and the sample they are checked against
peers       body → table, one function for each way there is
over_http   service → table, the same way
cells       any peer's table as plain Python
correct     what a table lost or changed, against Python's `json`
worker      one peer in a process of its own, which does what it is told
rounds      all peers in turn, again and again, so that a busy moment of the machine hits all of them alike
memory      peak memory, each peer in a fresh process
receivers   rows → the table of another library, beside the decoding
polls       what one poll costs the client
in_rust     the decoder without Python, beside what Rust offers (its code is in `decode`)
server      the few endpoints that a run needs, over a body that is ready
machine, table, chart   what is written down
"""
