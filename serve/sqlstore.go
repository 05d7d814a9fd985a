package serve

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mapo/game"
)

// sqlStore is a [Store] in SQL that SQLite and PostgreSQL both understand.
type sqlStore struct {
	db    *sql.DB // for reading
	load  statement
	turns statement
	// write does something as one, durable when it returns. If it fails the function may still run, later or at the moment:
	// what it sets is read only after a success.
	write  func(context.Context, func(writer) error) error
	closed func() error
	once   sync.Once
}

// statement is a query that is read often.
type statement interface {
	QueryContext(ctx context.Context, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, args ...any) *sql.Row
}

// The queries that are read often.
const (
	loadSession = `SELECT id, policy, play, title, seed, stop_margin, created, touched, stop, guess FROM mapo_sessions WHERE id = $1`
	loadTurns   = `SELECT step, query, text, probability, hash, asked, outcome, answer, annotator, answered, undone, guess
		FROM mapo_turns WHERE session = $1 ORDER BY step`
)

// writer executes statements of one transaction.
type writer interface {
	exec(query string, args ...any) (changed int64, err error)
}

const schemaVersion = 2

// schema is that of both databases. Times are milliseconds since 1970.
var schema = []string{
	`CREATE TABLE IF NOT EXISTS mapo_meta (version BIGINT NOT NULL)`,
	`CREATE TABLE IF NOT EXISTS mapo_sessions (
		id TEXT PRIMARY KEY, policy TEXT NOT NULL, play TEXT NOT NULL, title TEXT NOT NULL, seed BIGINT NOT NULL,
		stop_margin DOUBLE PRECISION NOT NULL, created BIGINT NOT NULL, touched BIGINT NOT NULL,
		stop DOUBLE PRECISION NOT NULL DEFAULT 0, guess BIGINT NOT NULL DEFAULT 0)`,
	`CREATE INDEX IF NOT EXISTS mapo_sessions_touched ON mapo_sessions (touched)`,
	`CREATE TABLE IF NOT EXISTS mapo_turns (
		session TEXT NOT NULL, step BIGINT NOT NULL, query BIGINT NOT NULL, text TEXT NOT NULL, probability DOUBLE PRECISION NOT NULL,
		hash TEXT NOT NULL, mask TEXT NOT NULL, asked BIGINT NOT NULL,
		outcome TEXT NOT NULL, answer DOUBLE PRECISION NOT NULL, annotator TEXT NOT NULL, answered BIGINT NOT NULL, undone BIGINT NOT NULL,
		guess BIGINT NOT NULL DEFAULT -1,
		PRIMARY KEY (session, step))`,
	// Of sessions without an answer: their first turn is open, and was asked when the session was last touched.
	`CREATE INDEX IF NOT EXISTS mapo_turns_unanswered ON mapo_turns (asked, session) WHERE step = 1 AND outcome = ''`,
}

// fromFirst makes version 2 of version 1: half answers, guesses and a probability to stop at.
var fromFirst = []string{
	`ALTER TABLE mapo_sessions ADD COLUMN stop DOUBLE PRECISION NOT NULL DEFAULT 0`,
	`ALTER TABLE mapo_sessions ADD COLUMN guess BIGINT NOT NULL DEFAULT 0`,
	`ALTER TABLE mapo_turns ADD COLUMN guess BIGINT NOT NULL DEFAULT -1`,
}

// migrate makes the tables where they are missing, brings those of version 1 to this one by fromFirst and the
// database's own statements, and refuses those of another version. It is to run in one transaction.
func migrate(exec func(query string, args ...any) error, version func() (int, error), own ...string) error {
	for _, statement := range schema {
		if err := exec(statement); err != nil {
			return fmt.Errorf("make the tables: %w", err)
		}
	}
	switch v, err := version(); {
	case errors.Is(err, sql.ErrNoRows):
		return exec(`INSERT INTO mapo_meta (version) VALUES ($1)`, schemaVersion)
	case err != nil:
		return fmt.Errorf("read the version of the tables: %w", err)
	case v == 1:
		for _, statement := range append(slices.Clone(fromFirst), own...) {
			if err := exec(statement); err != nil {
				return fmt.Errorf("bring the tables from version 1 to %d: %w", schemaVersion, err)
			}
		}
		return exec(`UPDATE mapo_meta SET version = $1`, schemaVersion)
	case v != schemaVersion:
		return fmt.Errorf("the sessions are in tables of version %d, this program knows version %d: use the program that made them", v, schemaVersion)
	}
	return nil
}

// Create keeps a new session with its first turn.
func (s *sqlStore) Create(ctx context.Context, n Session, first Turn) error {
	return s.write(ctx, func(w writer) error { return insertSession(w, n, &first) })
}

func insertSession(w writer, n Session, first *Turn) error {
	if _, err := w.exec(`INSERT INTO mapo_sessions (id, policy, play, title, seed, stop_margin, created, touched, stop, guess) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		n.ID, n.Policy, n.Play, n.Title, int64(n.Seed), n.StopMargin, n.Created.UnixMilli(), n.Touched.UnixMilli(), n.Stop, flag(n.Guess)); err != nil {
		return err
	}
	return insertTurn(w, n.ID, first)
}

func insertTurn(w writer, session string, t *Turn) error {
	mask, err := json.Marshal(t.Mask)
	if err != nil {
		return err
	}
	_, err = w.exec(`INSERT INTO mapo_turns (session, step, query, text, probability, hash, mask, asked, outcome, answer, annotator, answered, undone, guess)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '', 0, '', 0, 0, $9)`,
		session, t.Step, t.Query, t.Text, t.Probability, t.Hash, string(mask), t.Asked.UnixMilli(), t.Guess)
	return err
}

// Advance closes the open turn and opens the next. The session's row comes first:
// it is what concurrent writers of one session wait for.
func (s *sqlStore) Advance(ctx context.Context, a Advance) (bool, error) {
	var ok bool
	err := s.write(ctx, func(w writer) error {
		ok = false
		if err := touch(w, a.Session, a.Closed.Answered); err != nil {
			return err
		}
		n, err := w.exec(`UPDATE mapo_turns SET outcome = $1, answer = $2, annotator = $3, answered = $4 WHERE session = $5 AND step = $6 AND query = $7 AND outcome = ''`,
			a.Closed.Outcome, a.Closed.Answer.Value(), a.Closed.Annotator, a.Closed.Answered.UnixMilli(), a.Session, a.Closed.Step, a.Closed.Query)
		if err != nil || n == 0 {
			return err
		}
		if a.Undone > 0 {
			if _, err := w.exec(`UPDATE mapo_turns SET undone = $1 WHERE session = $2 AND step = $3`, a.Closed.Step, a.Session, a.Undone); err != nil {
				return err
			}
		}
		ok = true
		return insertTurn(w, a.Session, &a.Next)
	})
	return err == nil && ok, err
}

// flag returns a truth value as the tables have it.
func flag(v bool) int {
	if v {
		return 1
	}
	return 0
}

func touch(w writer, id string, now time.Time) error {
	n, err := w.exec(`UPDATE mapo_sessions SET touched = $1 WHERE id = $2`, now.UnixMilli(), id)
	if err == nil && n == 0 {
		return ErrNoSession
	}
	return err
}

// Redraw replaces the open turn's query.
func (s *sqlStore) Redraw(ctx context.Context, id string, was int, t Turn, now time.Time) (bool, error) {
	mask, err := json.Marshal(t.Mask)
	if err != nil {
		return false, err
	}
	var ok bool
	err = s.write(ctx, func(w writer) error {
		if err := touch(w, id, now); err != nil {
			return err
		}
		n, err := w.exec(`UPDATE mapo_turns SET query = $1, text = $2, probability = $3, hash = $4, mask = $5, asked = $6, guess = $7 WHERE session = $8 AND step = $9 AND query = $10 AND outcome = ''`,
			t.Query, t.Text, t.Probability, t.Hash, string(mask), t.Asked.UnixMilli(), t.Guess, id, t.Step, was)
		ok = n > 0
		return err
	})
	return err == nil && ok, err
}

// Load reads a session and its turns.
func (s *sqlStore) Load(ctx context.Context, id string) (Session, []Turn, error) {
	n, err := scanSession(s.load.QueryRowContext(ctx, id))
	if errors.Is(err, sql.ErrNoRows) {
		return n, nil, ErrNoSession
	}
	if err != nil {
		return n, nil, err
	}
	rows, err := s.turns.QueryContext(ctx, id)
	if err != nil {
		return n, nil, err
	}
	defer func() { _ = rows.Close() }() // what went wrong is in rows.Err
	var turns []Turn
	for rows.Next() {
		var t Turn
		var asked, answered int64
		var answer float64
		if err := rows.Scan(&t.Step, &t.Query, &t.Text, &t.Probability, &t.Hash, &asked, &t.Outcome, &answer, &t.Annotator, &answered, &t.Undone, &t.Guess); err != nil {
			return n, nil, err
		}
		t.Answer = game.Answer(2 * answer)
		t.Asked, t.Answered = time.UnixMilli(asked).UTC(), time.UnixMilli(answered).UTC()
		if n := len(turns); n > 0 && turns[n-1].Hash == t.Hash {
			t.Hash = turns[n-1].Hash // one copy of it
		}
		turns = append(turns, t)
	}
	if err := rows.Err(); err != nil {
		return n, nil, err
	}
	if len(turns) == 0 {
		return n, nil, ErrNoSession // deleted in between
	}
	return n, turns, nil
}

func scanSession(row interface{ Scan(...any) error }) (n Session, err error) {
	var seed, created, touched, guess int64
	err = row.Scan(&n.ID, &n.Policy, &n.Play, &n.Title, &seed, &n.StopMargin, &created, &touched, &n.Stop, &guess)
	n.Guess = guess != 0
	n.Seed, n.Created, n.Touched = uint64(seed), time.UnixMilli(created).UTC(), time.UnixMilli(touched).UTC()
	return n, err
}

// List reads sessions in the order of their ids.
func (s *sqlStore) List(ctx context.Context, after string, n int) (list []Session, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, policy, play, title, seed, stop_margin, created, touched, stop, guess FROM mapo_sessions WHERE id > $1 ORDER BY id LIMIT $2`, after, n)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // what went wrong is in rows.Err
	for rows.Next() {
		one, err := scanSession(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

// Delete forgets a session.
func (s *sqlStore) Delete(ctx context.Context, id string) (bool, error) {
	var had bool
	err := s.write(ctx, func(w writer) (err error) { had, err = deleteSession(w, id); return err })
	return err == nil && had, err
}

// deleteSession deletes a session's row first, as Advance writes it first, and reports whether there was one.
func deleteSession(w writer, id string) (bool, error) {
	n, err := w.exec(`DELETE FROM mapo_sessions WHERE id = $1`, id)
	if err != nil || n == 0 {
		return false, err
	}
	_, err = w.exec(`DELETE FROM mapo_turns WHERE session = $1`, id)
	return err == nil, err
}

// Bounds of one call of Expire.
const (
	expireAtOnce = 500                   // sessions
	expireTime   = 50 * time.Millisecond // of deleting; the commit comes on top
)

// sweep is how sessions of one kind are found and deleted, by their last turn.
type sweep struct {
	find  string // ids of those touched before $1, at most $2
	turns string // deletes the turns of session $1 if it is of this kind
}

var (
	// sweepOpen is for sessions without an answer: their only turn is open. It reads an index of those alone.
	sweepOpen = sweep{
		find:  `SELECT session FROM mapo_turns WHERE step = 1 AND outcome = '' AND asked < $1 ORDER BY asked LIMIT $2`,
		turns: `DELETE FROM mapo_turns WHERE session = $1 AND step = 1 AND outcome = ''`,
	}
	sweepAny = sweep{
		find:  `SELECT id FROM mapo_sessions WHERE touched < $1 ORDER BY touched LIMIT $2`,
		turns: `DELETE FROM mapo_turns WHERE session = $1`,
	}
)

// Expire forgets some old sessions.
func (s *sqlStore) Expire(ctx context.Context, o Old) (gone int, err error) {
	gone, err = s.sweep(ctx, sweepOpen, o.Open)
	if err != nil || gone > 0 || o.Any.IsZero() {
		return gone, err
	}
	return s.sweep(ctx, sweepAny, o.Any)
}

// sweep deletes sessions in one transaction until its time is over.
func (s *sqlStore) sweep(ctx context.Context, kind sweep, before time.Time) (int, error) {
	ids, err := s.found(ctx, kind.find, before)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	var gone int
	err = s.write(ctx, func(w writer) error {
		gone = 0
		end := time.Now().Add(expireTime)
		for _, id := range ids {
			ok, err := forget(w, kind, id, before)
			if err != nil {
				return err
			}
			if ok {
				gone++
			}
			if time.Now().After(end) {
				break
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return gone, nil
}

// forget deletes a session if it is still old and of its kind. Its row comes first, as in Advance: a concurrent answer
// is either seen by the statements after it, or waits and finds no session.
func forget(w writer, kind sweep, id string, before time.Time) (bool, error) {
	n, err := w.exec(`UPDATE mapo_sessions SET touched = touched WHERE id = $1 AND touched < $2`, id, before.UnixMilli())
	if err == nil && n > 0 {
		n, err = w.exec(kind.turns, id)
	}
	if err != nil || n == 0 {
		return false, err
	}
	_, err = w.exec(`DELETE FROM mapo_sessions WHERE id = $1`, id)
	return true, err
}

// found returns the ids that a sweep's query finds.
func (s *sqlStore) found(ctx context.Context, query string, before time.Time) (ids []string, err error) {
	rows, err := s.db.QueryContext(ctx, query, before.UnixMilli(), expireAtOnce)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // what went wrong is in rows.Err
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// Count returns how many sessions have no answer, and how many have one.
func (s *sqlStore) Count(ctx context.Context) (open, answered int, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM mapo_turns WHERE step = 1 AND outcome = ''), (SELECT COUNT(*) FROM mapo_sessions)`).Scan(&open, &answered)
	return open, answered - open, err
}

// Probe creates and deletes a session, which needs as much space as an answer. No other transaction sees it.
func (s *sqlStore) Probe(ctx context.Context) error {
	n, first := Session{ID: newID()}, Turn{Step: 1, Text: strings.Repeat(" ", 2048)}
	return s.write(ctx, func(w writer) error {
		if err := insertSession(w, n, &first); err != nil {
			return err
		}
		_, err := deleteSession(w, n.ID)
		return err
	})
}

// Close finishes what is under way. A second call does nothing.
func (s *sqlStore) Close() (err error) {
	s.once.Do(func() { err = s.closed() })
	return err
}
