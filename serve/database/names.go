package database

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mapo/data/learn"
	"mapo/data/table"
	"mapo/game/play"
)

// Enlist appends names.
func (s *sqlStore) Enlist(ctx context.Context, policy string, objects, questions []string) (*Vocabulary, error) {
	v, err := vocabularyOf(reading{ctx, s.db}, policy)
	if err != nil || len(missing(v.Objects, objects))+len(missing(v.Questions, questions)) == 0 {
		return v, err
	}
	err = s.write(ctx, func(w writer) (err error) {
		if err := s.waitForNames(w); err != nil {
			return err
		}
		if v, err = vocabularyOf(w, policy); err != nil {
			return err
		}
		if err := s.appendNames(w, policy, KindObject, &v.Objects, objects); err != nil {
			return err
		}
		return s.appendNames(w, policy, KindQuestion, &v.Questions, questions)
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// waitForNames waits until this transaction alone may append names and proposals.
func (s *sqlStore) waitForNames(w writer) error {
	if s.lockNames == "" {
		return nil
	}
	_, err := w.exec(s.lockNames)
	return err
}

// missing returns the names that a list does not have, each once.
func missing(have []Name, names []string) (list []string) {
	seen := make(map[string]bool, len(have))
	for _, n := range have {
		seen[table.Fold(n.Text)] = true
	}
	for _, name := range names {
		if folded := table.Fold(name); !seen[folded] {
			seen[folded] = true
			list = append(list, name)
		}
	}
	return list
}

// appendNames appends the names of a table that a list does not have to it.
func (s *sqlStore) appendNames(w writer, policy, kind string, have *[]Name, names []string) error {
	list := missing(*have, names)
	if len(list) == 0 {
		return nil
	}
	if _, err := w.exec(s.addNames, policy, kind, len(*have), asJSON(list), 0, ""); err != nil {
		return err
	}
	for _, name := range list {
		*have = append(*have, Name{Text: name})
	}
	return nil
}

// shares is what is known of an accepted question, as mapo_names has it.
type shares struct {
	Yes []int `json:"yes,omitempty"`
	No  []int `json:"no,omitempty"`
}

func vocabularyOf(r reader, policy string) (*Vocabulary, error) {
	v := &Vocabulary{}
	err := r.query(`SELECT kind, name, accepted, shares FROM mapo_names WHERE policy = $1 ORDER BY kind, idx`, []any{policy}, func(row row) error {
		var n Name
		var kind, known string
		var accepted int64
		if err := row.Scan(&kind, &n.Text, &accepted, &known); err != nil {
			return err
		}
		n.Accepted = accepted != 0
		if known != "" {
			var c shares
			if err := json.Unmarshal([]byte(known), &c); err != nil {
				return fmt.Errorf("what is known of the question %q: %w", n.Text, err)
			}
			n.Yes, n.No = c.Yes, c.No
		}
		list := &v.Objects
		if kind == KindQuestion {
			list = &v.Questions
		}
		*list = append(*list, n)
		return nil
	})
	return v, err
}

const proposalColumns = `id, policy, kind, text, client, session, answer, created, state, idx`

func scanProposal(row row, more ...any) (p Proposal, err error) {
	var created, halves int64
	err = row.Scan(append([]any{&p.ID, &p.Policy, &p.Kind, &p.Text, &p.Client, &p.Game, &halves, &created, &p.State, &p.Index}, more...)...)
	p.Created, p.Answer = timeOf(created), play.OfHalves(halves)
	return p, err
}

// readProposal reads the proposal that a query finds, with ID 0 where there is none.
func readProposal(r reader, query string, args ...any) (p Proposal, err error) {
	err = r.query(query, args, func(row row) (err error) { p, err = scanProposal(row); return err })
	return p, err
}

// foldProposal returns a proposal's text without what people write differently, such as case and
// blanks.
func foldProposal(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(table.Fold(text)), " "))
}

// Propose keeps a proposal.
func (s *sqlStore) Propose(ctx context.Context, p Proposal) (Proposal, error) {
	var kept Proposal
	err := s.write(ctx, func(w writer) (err error) {
		if err := s.waitForNames(w); err != nil {
			return err
		}
		folded := foldProposal(p.Text)
		kept, err = readProposal(w, `SELECT `+proposalColumns+` FROM mapo_proposals WHERE policy = $1 AND kind = $2 AND folded = $3`, p.Policy, p.Kind, folded)
		if err != nil || kept.ID > 0 {
			return err
		}
		var open int
		if _, err := one(w, `SELECT COUNT(*) FROM mapo_proposals WHERE client = $1 AND client <> '' AND state = 'open'`, []any{p.Client}, &open); err != nil || open >= MostProposals {
			return err
		}
		var id int64
		if _, err := one(w, `SELECT COALESCE(MAX(id), 0) + 1 FROM mapo_proposals`, nil, &id); err != nil {
			return err
		}
		kept = p
		kept.ID, kept.State, kept.Index, kept.Created = id, ProposalOpen, None, p.Created.UTC().Truncate(time.Millisecond)
		_, err = w.exec(`INSERT INTO mapo_proposals (`+proposalColumns+`, folded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'open', -1, $9)`,
			id, p.Policy, p.Kind, p.Text, p.Client, p.Game, p.Answer.Halves(), p.Created.UnixMilli(), folded)
		return err
	})
	switch {
	case err != nil:
		return Proposal{}, err
	case kept.ID == 0:
		return kept, ErrTooMany
	}
	return kept, nil
}

// Proposals reads proposals with how many games each has.
func (s *sqlStore) Proposals(ctx context.Context, policy, state string, after int64, n int) ([]Proposal, error) {
	return all(reading{ctx, s.db}, `SELECT `+proposalColumns+`, (SELECT COUNT(*) FROM mapo_games AS g WHERE g.proposal = p.id AND g.proposal > 0)
		FROM mapo_proposals AS p WHERE policy = $1 AND (state = $2 OR $2 = '') AND id > $3 ORDER BY id LIMIT $4`, []any{policy, state, after, n}, func(row row) (Proposal, error) {
		var games int
		p, err := scanProposal(row, &games)
		p.Games = games
		return p, err
	})
}

// Decide accepts or rejects a proposal.
func (s *sqlStore) Decide(ctx context.Context, d Decision) (Proposal, error) {
	var p Proposal
	var refused error
	err := s.write(ctx, func(w writer) (err error) {
		if err := s.waitForNames(w); err != nil {
			return err
		}
		p, err = readProposal(w, `UPDATE mapo_proposals SET state = state WHERE id = $1 AND policy = $2 RETURNING `+proposalColumns, d.Proposal, d.Policy)
		if err != nil {
			return err
		}
		switch refused = nil; {
		case p.ID == 0:
			refused = ErrNoProposal
			return nil
		case d.Accept:
			refused, err = s.accept(w, &p, d)
			return err
		case p.State == ProposalAccepted:
			refused = ErrDecided
			return nil
		}
		p.State = ProposalRejected
		_, err = w.exec(`UPDATE mapo_proposals SET state = $1 WHERE id = $2`, p.State, p.ID)
		return err
	})
	if err != nil {
		return Proposal{}, err
	}
	return p, refused
}

// accept gives a proposal its name, and that name the games that told it. refused says why it changed nothing.
func (s *sqlStore) accept(w writer, p *Proposal, d Decision) (refused, err error) {
	v, err := vocabularyOf(w, p.Policy)
	if err != nil {
		return nil, err
	}
	names, text := v.Objects, p.Text
	if p.Kind == KindQuestion {
		names = v.Questions
	}
	if d.As != "" {
		text = d.As
	}
	at := slices.IndexFunc(names, func(n Name) bool { return table.Fold(n.Text) == table.Fold(text) })
	switch {
	case p.State == ProposalAccepted && (d.As == "" || at == p.Index):
		return nil, nil // it was accepted before
	case p.State != ProposalOpen:
		return ErrDecided, nil
	case at < 0:
		at = len(names)
		err = s.acceptNew(w, p, d, at, text)
	case !names[at].Accepted && !d.Given:
		err = acceptOld(w, p, d, at)
	}
	if err != nil {
		return nil, err
	}
	p.State, p.Index = ProposalAccepted, at
	if _, err := w.exec(`UPDATE mapo_proposals SET state = $1, idx = $2 WHERE id = $3`, p.State, at, p.ID); err != nil {
		return nil, err
	}
	return nil, s.giveGames(w, p)
}

// acceptNew appends an accepted name to a policy's.
func (s *sqlStore) acceptNew(w writer, p *Proposal, d Decision, at int, text string) error {
	known, err := known(w, p, d)
	if err != nil {
		return err
	}
	_, err = w.exec(s.addNames, p.Policy, p.Kind, at, asJSON([]string{text}), d.At.UnixMilli(), known)
	return err
}

// acceptOld notes that a name of an earlier table is accepted. Without it today's table could not learn from the games
// that the name is given.
func acceptOld(w writer, p *Proposal, d Decision, at int) error {
	known, err := known(w, p, d)
	if err != nil {
		return err
	}
	_, err = w.exec(`UPDATE mapo_names SET accepted = $1, shares = $2 WHERE policy = $3 AND kind = $4 AND idx = $5`, d.At.UnixMilli(), known, p.Policy, p.Kind, at)
	return err
}

// known returns what is known of a question: what the operator says, and the answer of the game that it came with.
func known(w writer, p *Proposal, d Decision) (string, error) {
	if p.Kind != KindQuestion {
		return "", nil
	}
	c := shares{Yes: d.Yes, No: d.No}
	if p.Game != "" && p.Answer != play.DontKnow {
		g, err := readGame(w, `SELECT `+gameColumns+` FROM mapo_games WHERE id = $1`, p.Game)
		if err != nil {
			return "", err
		}
		if g == nil {
			g = &Told{}
		}
		for _, object := range g.Objects {
			switch {
			case slices.Contains(d.Yes, object) || slices.Contains(d.No, object):
			case p.Answer.Halves() > 0:
				c.Yes = append(c.Yes, object)
			default:
				c.No = append(c.No, object)
			}
		}
	}
	return asJSON(c), nil
}

// giveGames makes an accepted object's games count for it.
func (s *sqlStore) giveGames(w writer, p *Proposal) error {
	sum := tally{p.Policy: {cells: learn.Tally{}, changes: 1}}
	if p.Kind == KindQuestion {
		return s.add(w, sum)
	}
	if err := w.query(`SELECT `+gameColumns+` FROM mapo_games WHERE proposal = $1 AND proposal > 0 AND objects = '[]' ORDER BY id`+s.inOrder, []any{p.ID}, func(row row) error {
		g, err := scanGame(row)
		g.Objects = []int{p.Index}
		sum.change(p.Policy, 0, &g, nil)
		return err
	}); err != nil {
		return err
	}
	if _, err := w.exec(`UPDATE mapo_games SET objects = $1 WHERE proposal = $2 AND proposal > 0 AND objects = '[]'`, objectsText([]int{p.Index}), p.ID); err != nil {
		return err
	}
	return s.add(w, sum)
}

// DayKey reads a day's key, or makes it.
func (s *sqlStore) DayKey(ctx context.Context, day string) ([]byte, error) {
	const read = `SELECT key FROM mapo_keys WHERE day = $1`
	var text string
	found, err := one(reading{ctx, s.db}, read, []any{day}, &text)
	if err == nil && !found {
		var key [32]byte
		_, _ = rand.Read(key[:]) // it never fails
		err = s.write(ctx, func(w writer) error {
			if _, err := w.exec(`INSERT INTO mapo_keys (day, key) VALUES ($1, $2) ON CONFLICT (day) DO NOTHING`, day, hex.EncodeToString(key[:])); err != nil {
				return err
			}
			if _, err := w.exec(`DELETE FROM mapo_keys WHERE day < $1`, day); err != nil {
				return err
			}
			_, err := one(w, read, []any{day}, &text)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	return hex.DecodeString(text)
}
