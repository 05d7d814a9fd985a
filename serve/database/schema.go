package database

import (
	"database/sql"
	"errors"
	"fmt"
)

const schemaVersion = 4

// schema is that of both databases, beside the table of its version. Times are milliseconds since 1970.
var schema = []string{
	`CREATE TABLE IF NOT EXISTS mapo_sessions (
		id TEXT PRIMARY KEY, policy TEXT NOT NULL, play TEXT NOT NULL, title TEXT NOT NULL, seed BIGINT NOT NULL,
		stop_margin DOUBLE PRECISION NOT NULL, created BIGINT NOT NULL, touched BIGINT NOT NULL,
		stop DOUBLE PRECISION NOT NULL DEFAULT 0, guess BIGINT NOT NULL DEFAULT 0,
		version BIGINT NOT NULL DEFAULT 0, labelling BIGINT NOT NULL DEFAULT 0, truth TEXT NOT NULL DEFAULT '', told BIGINT NOT NULL DEFAULT 0)`,
	`CREATE TABLE IF NOT EXISTS mapo_turns (
		session TEXT NOT NULL, step BIGINT NOT NULL, query BIGINT NOT NULL, text TEXT NOT NULL, probability DOUBLE PRECISION NOT NULL,
		hash TEXT NOT NULL, mask TEXT NOT NULL, asked BIGINT NOT NULL,
		outcome TEXT NOT NULL, answer DOUBLE PRECISION NOT NULL, annotator TEXT NOT NULL, answered BIGINT NOT NULL, undone BIGINT NOT NULL,
		guess BIGINT NOT NULL DEFAULT -1, class TEXT NOT NULL DEFAULT '',
		PRIMARY KEY (session, step))`,
	// The vocabulary of each policy. accepted is when a proposal was, shares what is known of an accepted question.
	`CREATE TABLE IF NOT EXISTS mapo_names (
		policy TEXT NOT NULL, kind TEXT NOT NULL, idx BIGINT NOT NULL, name TEXT NOT NULL, accepted BIGINT NOT NULL, shares TEXT NOT NULL,
		PRIMARY KEY (policy, kind, idx))`,
	// Games whose truth was told. learned: it enters the counts; excluded: the newest version leaves it out.
	`CREATE TABLE IF NOT EXISTS mapo_games (
		id TEXT PRIMARY KEY, policy TEXT NOT NULL, version BIGINT NOT NULL, objects TEXT NOT NULL, proposal BIGINT NOT NULL,
		truth TEXT NOT NULL, recommended TEXT NOT NULL, answers TEXT NOT NULL, client TEXT NOT NULL, capped BIGINT NOT NULL,
		told BIGINT NOT NULL, learned BIGINT NOT NULL, excluded BIGINT NOT NULL)`,
	// Halves of answers of the games that are learned. Question -1: the object's games.
	`CREATE TABLE IF NOT EXISTS mapo_counts (
		policy TEXT NOT NULL, object BIGINT NOT NULL, question BIGINT NOT NULL, yes BIGINT NOT NULL, no BIGINT NOT NULL,
		PRIMARY KEY (policy, object, question))`,
	// cells: what the counts of a version's games have changed since the kept version before.
	`CREATE TABLE IF NOT EXISTS mapo_versions (
		policy TEXT NOT NULL, version BIGINT NOT NULL, base TEXT NOT NULL, built BIGINT NOT NULL, games BIGINT NOT NULL,
		objects BIGINT NOT NULL, questions BIGINT NOT NULL, cells TEXT NOT NULL,
		PRIMARY KEY (policy, version))`,
	`CREATE TABLE IF NOT EXISTS mapo_learning (policy TEXT PRIMARY KEY, changes BIGINT NOT NULL, built BIGINT NOT NULL)`,
	`CREATE TABLE IF NOT EXISTS mapo_proposals (
		id BIGINT PRIMARY KEY, policy TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, folded TEXT NOT NULL, client TEXT NOT NULL,
		session TEXT NOT NULL, answer BIGINT NOT NULL, created BIGINT NOT NULL, state TEXT NOT NULL, idx BIGINT NOT NULL,
		UNIQUE (policy, kind, folded))`,
	`CREATE TABLE IF NOT EXISTS mapo_aside (
		policy TEXT NOT NULL, client TEXT NOT NULL, version BIGINT NOT NULL, games BIGINT NOT NULL, median DOUBLE PRECISION NOT NULL,
		quantile DOUBLE PRECISION NOT NULL, since BIGINT NOT NULL, state TEXT NOT NULL,
		PRIMARY KEY (policy, client))`,
	`CREATE TABLE IF NOT EXISTS mapo_keys (day TEXT PRIMARY KEY, key TEXT NOT NULL)`,
	`CREATE INDEX IF NOT EXISTS mapo_sessions_touched ON mapo_sessions (touched)`,
	// Of sessions without an answer: their first turn is open, and was asked when the session was last touched.
	`CREATE INDEX IF NOT EXISTS mapo_turns_unanswered ON mapo_turns (asked, session) WHERE step = 1 AND outcome = ''`,
	// Of sessions that need a version.
	`CREATE INDEX IF NOT EXISTS mapo_sessions_version ON mapo_sessions (policy, version) WHERE version > 0 AND told = 0`,
	`CREATE INDEX IF NOT EXISTS mapo_games_policy ON mapo_games (policy, client, learned)`,
	`CREATE INDEX IF NOT EXISTS mapo_games_proposal ON mapo_games (proposal) WHERE proposal > 0`,
	// Of games that are not stripped yet.
	`CREATE INDEX IF NOT EXISTS mapo_games_told ON mapo_games (told) WHERE told > 0`,
	`CREATE INDEX IF NOT EXISTS mapo_proposals_game ON mapo_proposals (session) WHERE session <> ''`,
}

// makeTables makes the tables where they are missing, and refuses those of another version. It is to run in one transaction.
func makeTables(exec func(query string, args ...any) error, version func() (int, error)) error {
	if err := exec(`CREATE TABLE IF NOT EXISTS mapo_meta (version BIGINT NOT NULL)`); err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	v, err := version()
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = exec(`INSERT INTO mapo_meta (version) VALUES ($1)`, schemaVersion)
	case err == nil && v != schemaVersion:
		return fmt.Errorf("the sessions are in tables of version %d, this program knows version %d: use the program that made them, or begin a new database with --db", v, schemaVersion)
	}
	if err != nil {
		return fmt.Errorf("the version of the tables: %w", err)
	}
	for _, statement := range schema {
		if err := exec(statement); err != nil {
			return fmt.Errorf("make the tables: %w", err)
		}
	}
	return nil
}
