-- Version 1. Moments of this machine are microseconds since 1970 in UTC, moments of the service the text it sent; money is
-- decimal text in USD.

-- What the marks of accounts are keyed with: one row.
CREATE TABLE salt (salt BLOB NOT NULL CHECK (length(salt) = 32)) STRICT;
INSERT INTO salt SELECT randomblob(32);

CREATE TABLE accounts (
    account INTEGER PRIMARY KEY,
    -- HMAC-SHA256 of key and address: tells accounts apart and gives neither away.
    mark BLOB NOT NULL UNIQUE CHECK (length(mark) = 32),
    -- The last balance the service told, for judging a start that nobody answered.
    balance_usd TEXT
) STRICT;

CREATE TABLE entries (
    entry INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL REFERENCES accounts,
    -- Both absent for a job that was started elsewhere and taken up here by its id.
    agent TEXT,
    params TEXT,
    -- The agent as it was named to the service.
    wire TEXT,
    -- How far the start came. From `started` on there is a job.
    stage TEXT NOT NULL CHECK (
        stage IN ('starting', 'uncertain', 'rejected', 'not_sent', 'never_started', 'started')
    ),
    job_id TEXT,
    -- What the service last called the job.
    status TEXT,
    price_per_1k_usd TEXT,
    max_rows INTEGER,
    row_count INTEGER,
    cost_usd TEXT,
    error TEXT,
    -- Why the start is uncertain, or how that was settled.
    note TEXT,
    balance_before_usd TEXT,
    -- Who wrote the intent: where that process has ended, nobody hears the answer any more.
    process TEXT,
    -- After this moment nobody waits for the answer any more, whatever became of the process.
    answer_by INTEGER,
    -- Tells starts apart, together with their number: a process writes no two at one moment of its clock.
    written_at INTEGER NOT NULL,
    -- When it was last sent, and by when that must have been answered.
    sent_at INTEGER,
    due_at INTEGER,
    started_at INTEGER,
    heard_at INTEGER,
    fetched_at INTEGER,
    -- When the service turned out not to have it any more.
    gone_at INTEGER,
    created_at TEXT,
    completed_at TEXT,
    expires_at TEXT,
    -- Whether two times of creation were told: the id may have been given again.
    is_doubtful INTEGER NOT NULL DEFAULT FALSE,
    CHECK ((stage = 'started') = (job_id IS NOT NULL))
) STRICT;

-- Rows that were kept: which file answers which request.
CREATE TABLE kept_rows (
    kept INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL REFERENCES accounts,
    job_id TEXT NOT NULL,
    -- As the service names it.
    agent TEXT NOT NULL,
    -- SHA-256 of the parameters, completed and in one form, and of what decides how rows are decoded.
    params BLOB NOT NULL CHECK (length(params) = 32),
    options BLOB NOT NULL CHECK (length(options) = 32),
    -- The directory and the name of the file in it.
    folder TEXT NOT NULL,
    file TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    -- SHA-256 of the file, so that one that was changed answers nothing.
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    kept_at INTEGER NOT NULL,
    UNIQUE (account, agent, params, options)
) STRICT;

CREATE INDEX kept_files ON kept_rows (folder, kept_at);

CREATE UNIQUE INDEX jobs ON entries (account, job_id) WHERE job_id IS NOT NULL;
CREATE INDEX unfinished ON entries (account, stage) WHERE stage IN ('starting', 'uncertain');
