-- A database as the agent's first schema made it, statement by statement: two undelivered records in it and one delivered,
-- a gap that was accounted for, and what the link remembered.
PRAGMA page_size = 1024;
PRAGMA journal_mode = WAL;
CREATE TABLE identity (id INTEGER PRIMARY KEY CHECK (id = 0), epoch INTEGER NOT NULL, seed BLOB NOT NULL,
    created INTEGER NOT NULL);
CREATE TABLE outbox (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, kind INTEGER NOT NULL,
    timestamp INTEGER NOT NULL, payload BLOB, inputs BLOB);
CREATE TABLE salvaged (epoch INTEGER NOT NULL, seq INTEGER NOT NULL, kind INTEGER NOT NULL,
    timestamp INTEGER NOT NULL, payload BLOB NOT NULL, PRIMARY KEY (epoch, seq)) WITHOUT ROWID;
CREATE TABLE journal (slot INTEGER PRIMARY KEY, entries BLOB NOT NULL);
CREATE TABLE snapshot (part INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE ledger (position INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, from_seq INTEGER NOT NULL,
    to_seq INTEGER NOT NULL, count INTEGER NOT NULL, kind INTEGER, reason TEXT NOT NULL, at INTEGER NOT NULL);
CREATE TABLE document (name TEXT PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID;
INSERT INTO identity VALUES (0, 1790000000, x'000102030405060708090a0b0c0d0e0f', 1790000000000);
-- {"seq":7} and {"seq":8}: what matters here is that they arrive as they are.
INSERT INTO outbox VALUES (7, 1790000000, 0, 1790000001000, x'7b22736571223a377d', NULL);
INSERT INTO outbox VALUES (8, 1790000000, 0, 1790000002000, x'7b22736571223a387d', NULL);
INSERT INTO outbox VALUES (9, 1790000000, 0, 1790000003000, NULL, NULL);
INSERT INTO ledger VALUES (0, 1790000000, 2, 4, 3, 0, 'quota', 1790000000500);
INSERT INTO document VALUES ('link_session', x'3137');
PRAGMA user_version = 1;
