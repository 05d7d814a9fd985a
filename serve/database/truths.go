package database

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"mapo/data/learn"
	"mapo/game/play"
)

// Rows are locked in one order by all transactions, so that none waits for another in a circle: the lock of names,
// sessions, proposals, games, each by its ID, counts by policy, object and question, learning by policy.

const gameColumns = `id, policy, version, objects, proposal, truth, recommended, answers, client, capped, told, learned, excluded`

// Tell keeps a truth.
func (s *sqlStore) Tell(ctx context.Context, t Told) (TellResult, error) {
	var r TellResult
	err := s.write(ctx, func(w writer) (err error) {
		if r = Stale; t.Step > 0 {
			if err := touch(w, t.ID, t.At); err != nil {
				return err
			}
			open, err := one(w, `SELECT step FROM mapo_turns WHERE session = $1 AND step = $2 AND outcome = ''`, []any{t.ID, t.Step}, new(int))
			if err != nil || !open {
				return err
			}
		}
		r, err = s.tell(w, t, t.Step > 0)
		return err
	})
	if err != nil {
		return Stale, err
	}
	return r, nil
}

// AdvanceTold closes the open turn, opens the next, and keeps or withdraws a truth.
func (s *sqlStore) AdvanceTold(ctx context.Context, a Advance, t *Told, withdraw bool) (bool, error) {
	var ok bool
	by := closeUntold
	if withdraw {
		by = closeTold
	}
	err := s.write(ctx, func(w writer) (err error) {
		if ok, err = closeTurn(w, a, by); err != nil || !ok {
			return err
		}
		if withdraw {
			if _, err := w.exec(untell, a.Session); err != nil {
				return err
			}
			if _, err := s.withdraw(w, a.Session); err != nil {
				return err
			}
		}
		if t != nil {
			_, err = s.tell(w, *t, true)
		}
		return err
	})
	return err == nil && ok, err
}

// untell forgets that a session has a truth.
const untell = `UPDATE mapo_sessions SET truth = '', told = 0 WHERE id = $1`

// tell keeps the truth of a game, of a session where session is true. The session's row is locked.
func (s *sqlStore) tell(w writer, t Told, session bool) (TellResult, error) {
	if t.Proposal > 0 {
		if err := resolve(w, &t); err != nil {
			return Stale, err
		}
	}
	sum := tally{}
	r, err := keepGame(w, t, session, sum)
	if err != nil || r != TellNew {
		return r, err
	}
	if session {
		if _, err := w.exec(`UPDATE mapo_sessions SET truth = $1, told = CASE told WHEN 0 THEN $2 ELSE told END WHERE id = $3`, t.Truth, t.At.UnixMilli(), t.ID); err != nil {
			return r, err
		}
	}
	return r, s.add(w, sum)
}

// resolve locks the proposal of a truth and gives the game its object if it was accepted by now.
func resolve(w writer, t *Told) error {
	var state string
	var idx int
	found, err := one(w, `UPDATE mapo_proposals SET state = state WHERE id = $1 AND policy = $2 AND kind = $3 RETURNING state, idx`,
		[]any{t.Proposal, t.Policy, KindObject}, &state, &idx)
	if err == nil && !found {
		err = ErrNoProposal
	}
	if t.Objects = nil; state == ProposalAccepted {
		t.Objects = []int{idx}
	}
	return err
}

// keepGame writes a game, in place of the session's earlier one, and adds what that changes to sum.
func keepGame(w writer, t Told, session bool, sum tally) (TellResult, error) {
	objects, answers := objectsText(t.Objects), answersText(t.Answers)
	n, err := w.exec(`INSERT INTO mapo_games (`+gameColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0) ON CONFLICT (id) DO NOTHING`,
		t.ID, t.Policy, t.Version, objects, t.Proposal, t.Truth, t.Recommended, answers, t.Client.ID, flag(t.Client.Capped), t.At.UnixMilli(), flag(t.Learn))
	if err != nil {
		return Stale, err
	}
	if n > 0 {
		sum.change(t.Policy, 1, &t, nil)
		return TellNew, nil
	}
	was, err := readGame(w, `UPDATE mapo_games SET told = told WHERE id = $1 RETURNING `+gameColumns, t.ID)
	switch {
	case err != nil:
		return Stale, err
	case was == nil: // withdrawn at this moment
		return keepGame(w, t, session, sum)
	case !session && (!sameTruth(was, &t) || !slices.Equal(was.Answers, t.Answers) || was.Recommended != t.Recommended):
		return Another, nil
	case sameTruth(was, &t):
		return Same, nil
	}
	sum.change(t.Policy, 1, &t, was)
	_, err = w.exec(`UPDATE mapo_games SET version = $1, objects = $2, proposal = $3, truth = $4, recommended = COALESCE(NULLIF($5, ''), recommended), answers = $6, learned = $7 WHERE id = $8`,
		t.Version, objects, t.Proposal, t.Truth, t.Recommended, answers, flag(t.Learn), t.ID)
	return TellNew, err
}

// sameTruth reports whether two truths are about the same object, or the same proposal.
func sameTruth(a, b *Told) bool {
	return slices.Equal(a.Objects, b.Objects) && (len(a.Objects) > 0 || a.Proposal == b.Proposal)
}

// Game reads a told game.
func (s *sqlStore) Game(ctx context.Context, id string) (*Told, error) {
	if !storable(id) {
		return nil, ErrNoGame
	}
	t, err := readGame(reading{ctx, s.db}, `SELECT `+gameColumns+` FROM mapo_games WHERE id = $1`, id)
	if err == nil && t == nil {
		err = ErrNoGame
	}
	return t, err
}

// Withdraw forgets a told game.
func (s *sqlStore) Withdraw(ctx context.Context, id string) (had bool, err error) {
	err = s.write(ctx, func(w writer) (err error) {
		if _, err := w.exec(untell, id); err != nil {
			return err
		}
		if _, err := w.exec(unlink, id, ""); err != nil {
			return err
		}
		had, err = s.withdraw(w, id)
		return err
	})
	return err == nil && had, err
}

// unlink has the proposals that came with a game, $1, name another one, $2. They still count for their client.
const unlink = `UPDATE mapo_proposals SET session = $2 WHERE session = $1`

// withdraw deletes a game and takes it out of the counts. The session's row is locked.
func (s *sqlStore) withdraw(w writer, id string) (bool, error) {
	was, err := readGame(w, deleteGame, id)
	if err != nil || was == nil {
		return false, err
	}
	sum := tally{}
	sum.change(was.Policy, 1, nil, was)
	return true, s.add(w, sum)
}

const deleteGame = `DELETE FROM mapo_games WHERE id = $1 RETURNING ` + gameColumns

// EachGame reads all told games.
func (s *sqlStore) EachGame(ctx context.Context, policy string, each func(Told) error) error {
	return reading{ctx, s.db}.query(`SELECT `+gameColumns+` FROM mapo_games WHERE policy = $1 OR $1 = '' ORDER BY id`, []any{policy}, func(row row) error {
		t, err := scanGame(row)
		if err != nil {
			return err
		}
		return each(t)
	})
}

// readGame reads the game that a query finds by its ID, nil where there is none.
func readGame(r reader, query, id string) (t *Told, err error) {
	err = r.query(query, []any{id}, func(row row) error {
		g, err := scanGame(row)
		t = &g
		return err
	})
	return t, err
}

func scanGame(row row) (t Told, err error) {
	var objects, answers string
	var capped, told, learned, excluded int64
	if err := row.Scan(&t.ID, &t.Policy, &t.Version, &objects, &t.Proposal, &t.Truth, &t.Recommended, &answers, &t.Client.ID, &capped, &told, &learned, &excluded); err != nil {
		return t, err
	}
	t.Client.Capped, t.At, t.Learn, t.Excluded = capped != 0, timeOf(told), learned != 0, excluded != 0
	err = t.read(objects, answers)
	return t, err
}

// read sets the objects and answers that a row has as texts.
func (t *Told) read(objects, answers string) error {
	var room [64]int64
	list, err := integers(room[:0], objects, 1)
	if err != nil {
		return fmt.Errorf("the objects of game %s: %w", t.ID, err)
	}
	for _, v := range list {
		t.Objects = append(t.Objects, int(v))
	}
	if list, err = integers(room[:0], answers, 2); err != nil {
		return fmt.Errorf("the answers of game %s: %w", t.ID, err)
	}
	t.Answers = make([]play.Answered, 0, len(list)/2)
	for pair := range slices.Chunk(list, 2) {
		t.Answers = append(t.Answers, play.Answered{Query: int(pair[0]), Answer: play.OfHalves(pair[1])})
	}
	return nil
}

func objectsText(objects []int) string {
	if len(objects) == 0 {
		return "[]"
	}
	return asJSON(objects)
}

func answersText(answers []play.Answered) string {
	list := make([][2]int64, 0, len(answers))
	for _, a := range answers {
		list = append(list, [2]int64{int64(a.Query), a.Answer.Halves()})
	}
	return asJSON(list)
}

// integers appends the numbers of a list in JSON, or of lists of so many in a list, to dst. It is for texts of our own,
// of which there are many: a new version reads millions of numbers.
func integers(dst []int64, text string, each int) ([]int64, error) {
	from := len(dst)
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '[' || c == ',' || c == ']' {
			continue
		}
		sign, begin, v := int64(1), i, int64(0)
		if c == '-' {
			sign, begin = -1, i+1
		}
		for i = begin; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
			v = 10*v + int64(text[i]-'0')
		}
		if i == begin || i == len(text) || i-begin > 18 {
			return dst, fmt.Errorf("%.100q is not a list of whole numbers", text)
		}
		dst = append(dst, sign*v)
		i-- // at the character that ends it
	}
	if (len(dst)-from)%each != 0 {
		return dst, fmt.Errorf("%d numbers are not lists of %d", len(dst)-from, each)
	}
	return dst, nil
}

// tally is what a transaction changes of the counts and of [Learning.Changes], by policy.
type tally map[string]*tallied

type tallied struct {
	cells   learn.Tally
	changes int64
}

// change adds a game, takes another one away, nil for none, and counts that as so many changes if one of them counts.
func (t tally) change(policy string, changes int64, more, less *Told) {
	if t[policy] == nil {
		t[policy] = &tallied{cells: learn.Tally{}}
	}
	if more.counts() || less.counts() {
		t[policy].changes += changes
	}
	t[policy].add(more, 1)
	t[policy].add(less, -1)
}

// add adds a game so many times, where it counts.
func (t *tallied) add(g *Told, times int64) {
	if g.counts() {
		t.cells.AddGame(&learn.Played{Objects: g.Objects, Answers: g.Answers}, times)
	}
}

// counts reports whether a game is in the counts.
func (t *Told) counts() bool { return t != nil && t.Learn && len(t.Objects) > 0 }

// add writes a tally.
func (s *sqlStore) add(w writer, t tally) error {
	policies := slices.Sorted(maps.Keys(t))
	for _, policy := range policies {
		if list := t[policy].cells.Cells(); len(list) > 0 {
			if _, err := w.exec(s.addCounts, policy, cellsText(list)); err != nil {
				return err
			}
		}
	}
	for _, policy := range policies {
		if err := changed(w, policy, t[policy].changes); err != nil {
			return err
		}
	}
	return nil
}

// changed adds to a policy's changes.
func changed(w writer, policy string, n int64) error {
	if n == 0 {
		return nil
	}
	_, err := w.exec(`INSERT INTO mapo_learning (policy, changes, built) VALUES ($1, $2, 0)
		ON CONFLICT (policy) DO UPDATE SET changes = mapo_learning.changes + excluded.changes`, policy, n)
	return err
}

// cellsText returns a JSON list of [object, question, yes, no].
func cellsText(list []Cell) string {
	b := make([]byte, 0, 2+20*len(list))
	b = append(b, '[')
	for i, c := range list {
		if i > 0 {
			b = append(b, ',')
		}
		for k, v := range [4]int64{int64(c.Object), int64(c.Question), c.Yes, c.No} {
			b = strconv.AppendInt(append(b, "[,,,"[k]), v, 10)
		}
		b = append(b, ']')
	}
	return string(append(b, ']'))
}
