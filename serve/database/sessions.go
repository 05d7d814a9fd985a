package database

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mapo/game/play"
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
	dialect
	building sync.Map // policies that a version is being built of
}

// dialect is the statements that the databases say differently. A list is a text in JSON.
type dialect struct {
	addCounts string // adds cells, a list of [object, question, yes, no] in $2, to the counts of policy $1, in the list's order
	addNames  string // appends names, a list in $4, from index $3, to those of policy $1 and kind $2, accepted at $5 with shares $6
	lockGames string // locks games, whose ids are a list in $1, in the order of their ids
	exclude   string // says of games, whose ids are a list in $1, whether the newest version excludes them, $2
	lockNames string // has transactions that append names or proposals wait for each other
	inOrder   string // ends a SELECT by id and locks its rows, in the order of bytes
}

// statement is a query that is read often.
type statement interface {
	QueryContext(ctx context.Context, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, args ...any) *sql.Row
}

// The queries that are read often.
const (
	sessionColumns = `id, policy, play, title, seed, stop_margin, created, touched, stop, guess, version, labelling, truth, told`

	loadSession = `SELECT ` + sessionColumns + ` FROM mapo_sessions WHERE id = $1`
	loadTurns   = `SELECT step, query, text, probability, hash, asked, outcome, answer, annotator, answered, undone, guess, class
		FROM mapo_turns WHERE session = $1 ORDER BY step`
)

// reader reads rows, of one transaction where it is a writer.
type reader interface {
	// query calls each with every row. It uses the connection until it returns.
	query(query string, args []any, each func(row) error) error
}

type row interface{ Scan(dest ...any) error }

// writer executes statements of one transaction.
type writer interface {
	reader
	exec(query string, args ...any) (changed int64, err error)
}

// one reads a query's only row, and reports whether there is one.
func one(r reader, query string, args []any, dest ...any) (found bool, err error) {
	err = r.query(query, args, func(row row) error { found = true; return row.Scan(dest...) })
	return found && err == nil, err
}

// all reads the rows of a query, each by scan.
func all[T any](r reader, query string, args []any, scan func(row) (T, error)) (list []T, err error) {
	err = r.query(query, args, func(row row) error {
		v, err := scan(row)
		list = append(list, v)
		return err
	})
	return list, err
}

// scanOne reads a row of one column.
func scanOne[T any](row row) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

// querier is a database, a transaction or a connection.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// reading is a reader of a querier.
type reading struct {
	ctx context.Context
	querier
}

func (r reading) query(query string, args []any, each func(row) error) error {
	rows, err := r.QueryContext(r.ctx, query, args...)
	if err != nil {
		return err
	}
	return eachRow(rows, each)
}

// eachRow reads rows and closes them.
func eachRow(rows *sql.Rows, each func(row) error) error {
	defer func() { _ = rows.Close() }() // what went wrong is in rows.Err
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Create keeps a new session with its first turn.
func (s *sqlStore) Create(ctx context.Context, n Session, first Turn) error {
	return s.write(ctx, func(w writer) error { return insertSession(w, n, &first) })
}

func insertSession(w writer, n Session, first *Turn) error {
	if _, err := w.exec(`INSERT INTO mapo_sessions (`+sessionColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		n.ID, n.Policy, n.Play, n.Title, int64(n.Seed), n.StopMargin, n.Created.UnixMilli(), n.Touched.UnixMilli(), n.Stop, flag(n.Guess),
		n.Version, flag(n.Labelling), n.Truth, millis(n.Told)); err != nil {
		return err
	}
	return insertTurn(w, n.ID, first)
}

func insertTurn(w writer, session string, t *Turn) error {
	_, err := w.exec(`INSERT INTO mapo_turns (session, step, query, text, probability, hash, mask, asked, outcome, answer, annotator, answered, undone, guess)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '', 0, '', 0, 0, $9)`,
		session, t.Step, t.Query, t.Text, t.Probability, t.Hash, asJSON(t.Mask), t.Asked.UnixMilli(), t.Guess)
	return err
}

// Advance closes the open turn and opens the next.
func (s *sqlStore) Advance(ctx context.Context, a Advance) (bool, error) {
	return s.AdvanceTold(ctx, a, nil, false)
}

// The open turn is closed only while the session's truth was not told, or to take it back.
const (
	closeOpen = `UPDATE mapo_turns SET outcome = $1, answer = $2, annotator = $3, answered = $4, class = $8 WHERE session = $5 AND step = $6 AND query = $7 AND outcome = ''
		AND (SELECT told FROM mapo_sessions WHERE id = $5) `
	closeUntold = closeOpen + `= 0`
	closeTold   = closeOpen + `> 0`
)

// closeTurn closes the open turn by one of these and opens the next. The session's row comes first: it is what concurrent
// writers of one session wait for.
func closeTurn(w writer, a Advance, by string) (bool, error) {
	if err := touch(w, a.Session, a.Closed.Answered); err != nil {
		return false, err
	}
	n, err := w.exec(by, a.Closed.Outcome, a.Closed.Answer.Value(), a.Closed.Annotator, a.Closed.Answered.UnixMilli(), a.Session, a.Closed.Step, a.Closed.Query, a.Closed.Class)
	if err != nil || n == 0 {
		return false, err
	}
	if a.Undone > 0 {
		if _, err := w.exec(`UPDATE mapo_turns SET undone = $1 WHERE session = $2 AND step = $3`, a.Closed.Step, a.Session, a.Undone); err != nil {
			return false, err
		}
	}
	return true, insertTurn(w, a.Session, &a.Next)
}

// asJSON returns lists of numbers or texts as the tables have them.
func asJSON(v any) string {
	text, _ := json.Marshal(v) // it never fails
	return string(text)
}

// storable reports whether both databases can hold a text. PostgreSQL refuses to look for others, as
// if the program were at fault.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// flag returns a truth value as the tables have it.
func flag(v bool) int {
	if v {
		return 1
	}
	return 0
}

// millis returns a time as the tables have it: 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// timeOf returns the inverse of millis.
func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
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
	var ok bool
	err := s.write(ctx, func(w writer) error {
		if err := touch(w, id, now); err != nil {
			return err
		}
		n, err := w.exec(`UPDATE mapo_turns SET query = $1, text = $2, probability = $3, hash = $4, mask = $5, asked = $6, guess = $7 WHERE session = $8 AND step = $9 AND query = $10 AND outcome = ''`,
			t.Query, t.Text, t.Probability, t.Hash, asJSON(t.Mask), t.Asked.UnixMilli(), t.Guess, id, t.Step, was)
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
	var turns []Turn
	err = eachRow(rows, func(row row) error {
		var t Turn
		var asked, answered int64
		var answer float64
		if err := row.Scan(&t.Step, &t.Query, &t.Text, &t.Probability, &t.Hash, &asked, &t.Outcome, &answer, &t.Annotator, &answered, &t.Undone, &t.Guess, &t.Class); err != nil {
			return err
		}
		if t.Outcome == OutcomeAnswer {
			t.Answer = play.Number(answer)
		}
		t.Asked, t.Answered = time.UnixMilli(asked).UTC(), time.UnixMilli(answered).UTC()
		if n := len(turns); n > 0 && turns[n-1].Hash == t.Hash {
			t.Hash = turns[n-1].Hash // one copy of it
		}
		turns = append(turns, t)
		return nil
	})
	if err == nil && len(turns) == 0 {
		err = ErrNoSession // deleted in between
	}
	return n, turns, err
}

func scanSession(row row) (n Session, err error) {
	var seed, created, touched, guess, labelling, told int64
	err = row.Scan(&n.ID, &n.Policy, &n.Play, &n.Title, &seed, &n.StopMargin, &created, &touched, &n.Stop, &guess, &n.Version, &labelling, &n.Truth, &told)
	n.Guess, n.Labelling, n.Told = guess != 0, labelling != 0, timeOf(told)
	n.Seed, n.Created, n.Touched = uint64(seed), time.UnixMilli(created).UTC(), time.UnixMilli(touched).UTC()
	return n, err
}

// List reads sessions in the order of their ids.
func (s *sqlStore) List(ctx context.Context, after string, n int) ([]Session, error) {
	return all(reading{ctx, s.db}, `SELECT `+sessionColumns+` FROM mapo_sessions WHERE id > $1 ORDER BY id LIMIT $2`, []any{after, n}, scanSession)
}

// Delete forgets a session and its truth.
func (s *sqlStore) Delete(ctx context.Context, id string) (bool, error) {
	var had bool
	err := s.write(ctx, func(w writer) (err error) { had, err = s.deleteSession(w, id); return err })
	return err == nil && had, err
}

// deleteSession deletes a session's row first, as Advance writes it first, and reports whether there was one.
func (s *sqlStore) deleteSession(w writer, id string) (bool, error) {
	var told int64
	had, err := one(w, `DELETE FROM mapo_sessions WHERE id = $1 RETURNING told`, []any{id}, &told)
	if err != nil || !had {
		return false, err
	}
	if _, err := w.exec(`DELETE FROM mapo_turns WHERE session = $1`, id); err != nil {
		return false, err
	}
	if _, err := w.exec(unlink, id, ""); err != nil || told == 0 {
		return err == nil, err
	}
	_, err = s.withdraw(w, id)
	return err == nil, err
}

// Probe creates and deletes a session, which needs as much space as an answer. No other transaction sees it.
func (s *sqlStore) Probe(ctx context.Context) error {
	n, first := Session{ID: NewID()}, Turn{Step: 1, Text: strings.Repeat(" ", 2048)}
	return s.write(ctx, func(w writer) error {
		if err := insertSession(w, n, &first); err != nil {
			return err
		}
		_, err := s.deleteSession(w, n.ID)
		return err
	})
}

// Close finishes what is under way. A second call does nothing.
func (s *sqlStore) Close() (err error) {
	s.once.Do(func() { err = s.closed() })
	return err
}
