-- What a local service keeps: its account, its jobs, and what it charged for them.
--
-- Times are milliseconds since 1970 by the service's clock, amounts are decimal texts in USD. The rows of the user's own
-- agents are kept; those of the others are made up and follow from the seed, the agent and the parameters of their job.

CREATE TABLE service (
    only_row    INTEGER PRIMARY KEY CHECK (only_row = 1),
    balance_usd TEXT    NOT NULL,  -- what the account held at first
    advanced_ms INTEGER NOT NULL   -- how far the clock was advanced
) STRICT;

CREATE TABLE jobs (
    number       INTEGER PRIMARY KEY,  -- in the order of the starts, from 0
    id           TEXT    NOT NULL UNIQUE,
    agent        TEXT    NOT NULL,
    params       TEXT    NOT NULL,
    seed         INTEGER,              -- of made-up rows; null where rows are kept
    samples      INTEGER,              -- the version of the rules by which they are made up
    rows         INTEGER NOT NULL,
    cost_usd     TEXT    NOT NULL,
    created_ms   INTEGER NOT NULL,
    started_ms   INTEGER NOT NULL,
    completed_ms INTEGER NOT NULL,     -- unless it ends before
    fate         TEXT    NOT NULL CHECK (fate IN ('timely', 'doomed', 'at work', 'cancelled', 'failed')),
    ended_ms     INTEGER,              -- of what ended before its time
    error        TEXT,                 -- of what has failed, or will
    columns      TEXT    NOT NULL      -- of kept rows: the names, as a JSON array
) STRICT;

-- Kept rows, in pieces: JSON objects with commas between them. A job that has ended without completing has none.
CREATE TABLE kept (
    job   INTEGER NOT NULL REFERENCES jobs (number),
    piece INTEGER NOT NULL,            -- from 0
    text  TEXT    NOT NULL,
    PRIMARY KEY (job, piece)
) STRICT;

-- A job stands here as soon as anybody may have seen it completed, and it can stand here only once.
CREATE TABLE charges (
    job        INTEGER PRIMARY KEY REFERENCES jobs (number),
    agent      TEXT    NOT NULL,
    rows       INTEGER NOT NULL,
    amount_usd TEXT    NOT NULL,
    at_ms      INTEGER NOT NULL
) STRICT;
