package database

import (
	"context"
	"slices"
	"time"
)

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

// findElsewhere finds games that were played elsewhere, told before $1 and not stripped, at most $2.
const findElsewhere = `SELECT id FROM mapo_games WHERE told > 0 AND told < $1 AND id LIKE '%/%' ORDER BY told LIMIT $2`

// Expire forgets some old sessions, and who told old truths.
func (s *sqlStore) Expire(ctx context.Context, o Old) (gone int, err error) {
	gone, err = s.sweep(ctx, sweepOpen, o.Open)
	if err != nil || gone > 0 || o.Any.IsZero() {
		return gone, err
	}
	gone, err = s.sweep(ctx, sweepAny, o.Any)
	if err != nil || gone > 0 {
		return gone, err
	}
	return s.sweepElsewhere(ctx, o.Any)
}

// sweep deletes sessions in one transaction until its time is over. Their games come after all of them: see the order of
// locks in sqltruth.go.
func (s *sqlStore) sweep(ctx context.Context, kind sweep, before time.Time) (int, error) {
	ids, err := s.found(ctx, kind.find, before)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	var gone int
	err = s.write(ctx, func(w writer) error {
		var told, untold []string
		gone = 0
		end := time.Now().Add(expireTime)
		for _, id := range ids {
			ok, hasTruth, err := forget(w, kind, id, before)
			if err != nil {
				return err
			}
			switch {
			case hasTruth:
				told = append(told, id)
			case ok:
				untold = append(untold, id)
			}
			if time.Now().After(end) {
				break
			}
		}
		gone = len(told) + len(untold)
		if kind == sweepAny { // who has no answer has proposed nothing
			if err := disown(w, untold); err != nil {
				return err
			}
		}
		return s.strip(w, told)
	})
	if err != nil {
		return 0, err
	}
	return gone, nil
}

// forget deletes a session if it is still old and of its kind, and reports whether it had a truth. Its row comes first,
// as in Advance: a concurrent answer is either seen by the statements after it, or waits and finds no session.
func forget(w writer, kind sweep, id string, before time.Time) (ok, hasTruth bool, err error) {
	var told int64
	ok, err = one(w, `UPDATE mapo_sessions SET touched = touched WHERE id = $1 AND touched < $2 RETURNING told`, []any{id, before.UnixMilli()}, &told)
	if err != nil || !ok {
		return false, false, err
	}
	if n, err := w.exec(kind.turns, id); err != nil || n == 0 {
		return false, false, err
	}
	_, err = w.exec(`DELETE FROM mapo_sessions WHERE id = $1`, id)
	return err == nil, err == nil && told != 0, err
}

// disown forgets which sessions and clients proposals came from. Such a session's truth was never kept, or taken back.
func disown(w writer, sessions []string) error {
	for _, id := range sessions {
		if _, err := w.exec(`UPDATE mapo_proposals SET session = '', client = '' WHERE session = $1`, id); err != nil {
			return err
		}
	}
	return nil
}

// sweepElsewhere strips old games that were played elsewhere.
func (s *sqlStore) sweepElsewhere(ctx context.Context, before time.Time) (int, error) {
	ids, err := s.found(ctx, findElsewhere, before)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	if err := s.write(ctx, func(w writer) error { return s.strip(w, ids) }); err != nil {
		return 0, err
	}
	return len(ids), nil
}

// strip withdraws the games that the newest version excludes, and leaves of the others what was answered, of which
// object, with which version. ids are sorted. Nothing then leads from a game to its session.
func (s *sqlStore) strip(w writer, ids []string) error {
	as := make([]string, len(ids))
	for i, id := range ids {
		as[i] = NewID()
		if _, err := w.exec(`UPDATE mapo_proposals SET session = $2, client = '' WHERE session = $1`, id, as[i]); err != nil {
			return err
		}
	}
	sum := tally{}
	for i, id := range ids {
		n, err := w.exec(`UPDATE mapo_games SET id = $2, client = '', capped = 0, recommended = '', told = 0 WHERE id = $1 AND excluded = 0`, id, as[i])
		if err != nil {
			return err
		}
		if n > 0 {
			continue
		}
		was, err := readGame(w, deleteGame, id)
		if err != nil {
			return err
		}
		if was != nil {
			sum.change(was.Policy, 1, nil, was)
		}
	}
	return s.add(w, sum)
}

// found returns the ids that a sweep's query finds, sorted.
func (s *sqlStore) found(ctx context.Context, query string, before time.Time) (ids []string, err error) {
	ids, err = all(reading{ctx, s.db}, query, []any{before.UnixMilli(), expireAtOnce}, scanOne[string])
	slices.Sort(ids)
	return ids, err
}

// Count returns how many sessions have no answer, and how many have one.
func (s *sqlStore) Count(ctx context.Context) (open, answered int, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM mapo_turns WHERE step = 1 AND outcome = ''), (SELECT COUNT(*) FROM mapo_sessions)`).Scan(&open, &answered)
	return open, answered - open, err
}
