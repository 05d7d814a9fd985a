package database

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"mapo/data/learn"
)

const readLearning = `SELECT
	COALESCE((SELECT changes FROM mapo_learning WHERE policy = $1), 0), COALESCE((SELECT built FROM mapo_learning WHERE policy = $1), 0),
	COALESCE((SELECT MAX(version) FROM mapo_versions WHERE policy = $1), 0),
	COALESCE((SELECT built FROM mapo_versions WHERE policy = $1 ORDER BY version DESC LIMIT 1), 0),
	COALESCE((SELECT 1 FROM mapo_names AS n WHERE n.policy = $1 AND n.accepted > 0 AND n.idx >= COALESCE(
		(SELECT CASE n.kind WHEN 'object' THEN v.objects ELSE v.questions END FROM mapo_versions AS v WHERE v.policy = $1 ORDER BY v.version DESC LIMIT 1), 0) LIMIT 1), 0)`

// Learning reads how far a policy is.
func (s *sqlStore) Learning(ctx context.Context, policy string) (Learning, error) {
	return learningOf(reading{ctx, s.db}, policy)
}

func learningOf(r reader, policy string) (l Learning, err error) {
	var at, named int64
	_, err = one(r, readLearning, []any{policy}, &l.Changes, &l.Built, &l.Version, &at, &named)
	l.BuiltAt, l.Named = timeOf(at), named != 0
	return l, err
}

// Snapshot reads what a version is built from.
func (s *sqlStore) Snapshot(ctx context.Context, policy string) (*Snapshot, error) {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // it has only read
	r, v := reading{ctx, tx}, &Snapshot{}
	if v.Learning, err = learningOf(r, policy); err != nil {
		return nil, err
	}
	if v.Vocabulary, err = vocabularyOf(r, policy); err != nil {
		return nil, err
	}
	if v.Counts, err = countsOf(r, policy); err != nil {
		return nil, err
	}
	if v.Games, err = learnedGames(r, policy); err != nil {
		return nil, err
	}
	if _, err = one(r, `SELECT COUNT(*) FROM mapo_games WHERE policy = $1 AND client = '' AND learned = 1 AND objects <> '[]'`, []any{policy}, &v.Stripped); err != nil {
		return nil, err
	}
	v.Aside, err = asideOf(r, policy)
	return v, err
}

func countsOf(r reader, policy string) ([]Cell, error) {
	return all(r, `SELECT object, question, yes, no FROM mapo_counts WHERE policy = $1 AND (yes <> 0 OR no <> 0) ORDER BY object, question`, []any{policy}, func(row row) (c Cell, err error) {
		err = row.Scan(&c.Object, &c.Question, &c.Yes, &c.No)
		return c, err
	})
}

// learnedGames reads the games in the counts that have a client.
func learnedGames(r reader, policy string) ([]Told, error) {
	list, err := all(r, `SELECT id, version, objects, answers, client, capped, told, excluded FROM mapo_games
		WHERE policy = $1 AND client <> '' AND learned = 1 AND objects <> '[]'`, []any{policy}, func(row row) (Told, error) {
		t := Told{Policy: policy, Learn: true}
		var objects, answers string
		var capped, told, excluded int64
		if err := row.Scan(&t.ID, &t.Version, &objects, &answers, &t.Client.ID, &capped, &told, &excluded); err != nil {
			return t, err
		}
		t.Client.Capped, t.At, t.Excluded = capped != 0, timeOf(told), excluded != 0
		err := t.read(objects, answers)
		return t, err
	})
	slices.SortFunc(list, func(a, b Told) int { return cmp.Compare(a.ID, b.ID) })
	return list, err
}

// Exclusive calls do unless a user of this store builds a version of the policy already. Other
// processes are not held back, but fail to write the version.
func (s *sqlStore) Exclusive(ctx context.Context, policy string, do func(write func(VersionWrite) error) error) (ran bool, err error) {
	if _, busy := s.building.LoadOrStore(policy, true); busy {
		return false, nil
	}
	defer s.building.Delete(policy)
	return true, do(func(v VersionWrite) error {
		text := cellsText(v.Cells) // before others wait
		return s.write(ctx, func(w writer) error { return s.writeVersion(w, policy, v, text) })
	})
}

// writeVersion keeps a version with the text of its cells, and drops those that are no longer wanted. What truths wait for
// comes last.
func (s *sqlStore) writeVersion(w writer, policy string, v VersionWrite, text string) error {
	n, err := w.exec(`INSERT INTO mapo_versions (policy, version, base, built, games, objects, questions, cells) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (policy, version) DO NOTHING`, policy, v.Version, v.Base, v.VersionInfo.Built.UnixMilli(), v.Games, v.Objects, v.Questions, text)
	if err == nil && n == 0 {
		err = ErrBuilt
	}
	if err != nil {
		return err
	}
	if err := prune(w, policy, v.Version); err != nil {
		return err
	}
	if err := s.excludeGames(w, v.Exclude, v.Include); err != nil {
		return err
	}
	if err := replaceAside(w, policy, v); err != nil {
		return err
	}
	_, err = w.exec(`INSERT INTO mapo_learning (policy, changes, built) VALUES ($1, $2, $2)
		ON CONFLICT (policy) DO UPDATE SET built = excluded.built`, policy, v.Changes)
	return err
}

// excludeGames notes which games the newest version leaves out.
func (s *sqlStore) excludeGames(w writer, exclude, include []string) error {
	if s.lockGames != "" && len(exclude)+len(include) > 0 {
		if _, err := w.exec(s.lockGames, asJSON(slices.Concat(exclude, include))); err != nil {
			return err
		}
	}
	for on, ids := range [][]string{include, exclude} {
		if len(ids) == 0 {
			continue
		}
		if _, err := w.exec(s.exclude, asJSON(ids), on); err != nil {
			return err
		}
	}
	return nil
}

// replaceAside notes the clients that the newest version sets aside. One that was set aside before keeps its time.
func replaceAside(w writer, policy string, v VersionWrite) error {
	was, err := asideOf(w, policy)
	if err != nil {
		return err
	}
	for _, a := range was {
		if !a.Restored && !slices.ContainsFunc(v.Aside, func(b Aside) bool { return b.Client == a.Client }) {
			if _, err := w.exec(`DELETE FROM mapo_aside WHERE policy = $1 AND client = $2 AND state = 'aside'`, policy, a.Client); err != nil {
				return err
			}
		}
	}
	for _, a := range v.Aside {
		if _, err := w.exec(`INSERT INTO mapo_aside (policy, client, version, games, median, quantile, since, state) VALUES ($1, $2, $3, $4, $5, $6, $7, 'aside')
			ON CONFLICT (policy, client) DO UPDATE SET games = excluded.games, median = excluded.median, quantile = excluded.quantile`,
			policy, a.Client, v.Version, a.Games, a.Median, a.Quantile, v.VersionInfo.Built.UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

// SetAside reads the clients that are set aside or restored.
func (s *sqlStore) SetAside(ctx context.Context, policy string) ([]Aside, error) {
	return asideOf(reading{ctx, s.db}, policy)
}

func asideOf(r reader, policy string) ([]Aside, error) {
	return all(r, `SELECT client, version, games, median, quantile, since, state FROM mapo_aside WHERE policy = $1 ORDER BY client`, []any{policy}, func(row row) (a Aside, err error) {
		var since int64
		var state string
		err = row.Scan(&a.Client, &a.Version, &a.Games, &a.Median, &a.Quantile, &since, &state)
		a.Since, a.Restored = timeOf(since), state == "restored"
		return a, err
	})
}

// Restore makes a client's games count again. That is a change, so a new version is built.
func (s *sqlStore) Restore(ctx context.Context, policy, client string) (was bool, err error) {
	if !storable(client) {
		return false, nil
	}
	err = s.write(ctx, func(w writer) error {
		n, err := w.exec(`UPDATE mapo_aside SET state = 'restored' WHERE policy = $1 AND client = $2 AND state = 'aside'`, policy, client)
		if was = n > 0; err != nil || !was {
			return err
		}
		return changed(w, policy, 1)
	})
	return err == nil && was, err
}

const versionColumns = `version, base, built, games, objects, questions`

// Versions reads which versions are kept.
func (s *sqlStore) Versions(ctx context.Context, policy string) ([]VersionInfo, error) {
	return all(reading{ctx, s.db}, `SELECT `+versionColumns+` FROM mapo_versions WHERE policy = $1 ORDER BY version`, []any{policy}, func(row row) (VersionInfo, error) { return scanVersion(row) })
}

func scanVersion(row row, more ...any) (v VersionInfo, err error) {
	var built int64
	err = row.Scan(append([]any{&v.Version, &v.Base, &built, &v.Games, &v.Objects, &v.Questions}, more...)...)
	v.Built = timeOf(built)
	return v, err
}

// Cells sums the changes up to a version.
func (s *sqlStore) Cells(ctx context.Context, policy string, version int) (v VersionInfo, list []Cell, err error) {
	if version == 0 {
		return v, nil, nil
	}
	sum := learn.Tally{}
	err = reading{ctx, s.db}.query(`SELECT `+versionColumns+`, cells FROM mapo_versions WHERE policy = $1 AND version <= $2 ORDER BY version`, []any{policy, version}, func(row row) (err error) {
		var text string
		if v, err = scanVersion(row, &text); err != nil {
			return err
		}
		return addCells(sum, text)
	})
	if err == nil && v.Version != version {
		err = ErrNoVersion
	}
	if err != nil {
		return VersionInfo{}, nil, fmt.Errorf("version %d of %s: %w", version, policy, err)
	}
	return v, sum.Cells(), nil
}

// addCells adds the cells of a text.
func addCells(sum learn.Tally, text string) error {
	list, err := integers(nil, text, 4)
	for cell := range slices.Chunk(list, 4) {
		if err != nil {
			return err
		}
		sum.Add(int(cell[0]), int(cell[1]), cell[2], cell[3])
	}
	return err
}

// Versions that are kept for good, besides those that open sessions use.
const (
	keptVersions = 50 // the newest
	everyVersion = 10
)

// prune drops versions that are not wanted any more. Their changes become those of the version after each.
func prune(w writer, policy string, newest int) error {
	old, err := all(w, `SELECT version FROM mapo_versions AS v WHERE policy = $1 AND version <= $2 AND version % $3 <> 0
		AND NOT EXISTS (SELECT 1 FROM mapo_sessions AS s WHERE s.policy = v.policy AND s.version = v.version AND s.version > 0 AND s.told = 0)
		ORDER BY version`, []any{policy, newest - keptVersions, everyVersion}, scanOne[int])
	if err != nil {
		return err
	}
	for _, v := range old {
		if err := mergeVersion(w, policy, v); err != nil {
			return err
		}
	}
	return nil
}

// mergeVersion adds a version's changes to the next one's, and deletes it.
func mergeVersion(w writer, policy string, version int) error {
	sum, next := learn.Tally{}, 0
	if err := w.query(`SELECT version, cells FROM mapo_versions WHERE policy = $1 AND version >= $2 ORDER BY version LIMIT 2`, []any{policy, version}, func(row row) error {
		var text string
		if err := row.Scan(&next, &text); err != nil {
			return err
		}
		return addCells(sum, text)
	}); err != nil {
		return err
	}
	if _, err := w.exec(`UPDATE mapo_versions SET cells = $1 WHERE policy = $2 AND version = $3`, cellsText(sum.Cells()), policy, next); err != nil {
		return err
	}
	_, err := w.exec(`DELETE FROM mapo_versions WHERE policy = $1 AND version = $2`, policy, version)
	return err
}
