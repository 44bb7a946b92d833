CREATE TABLE try (
    key     text COLLATE "C" NOT NULL,
    expires bigint NOT NULL,
    PRIMARY KEY (key, expires)
);

CREATE INDEX try_by_expiry ON try (expires);
