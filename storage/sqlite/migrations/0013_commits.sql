-- How many transactions there have been, one row. The number is also kept in a
-- file beside the database, which is how a log that lost its end is noticed.
CREATE TABLE commits (
    epoch  TEXT NOT NULL, -- random; two databases have different ones
    number INTEGER NOT NULL
) STRICT;

INSERT INTO commits (epoch, number) VALUES (lower(hex(randomblob(16))), 0);
