package sessions

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"mapo/data/table"
	"mapo/game/play"
	"mapo/rng"
	"mapo/serve/database"
	"mapo/serve/learning"
	"mapo/serve/policies"
	"mapo/serve/wire"
)

// correctTime is how long a truth can be corrected or withdrawn without an admin's token.
const correctTime = 24 * time.Hour

// Tell keeps what a session was about, from its end or before: the session is then done. The same truth again changes
// nothing; another one corrects it.
func (s *Sessions) Tell(ctx context.Context, id string, in *wire.TruthRequest) (*wire.View, error) {
	text, err := truthText(in)
	if err != nil {
		return nil, err
	}
	s.held.take(id)
	return s.retry(ctx, id, func(g *loaded) (bool, error) {
		t, err := s.told(ctx, g)
		if err != nil {
			return false, err
		}
		if err := s.means(ctx, &t, text, in.New, g.policy); err != nil {
			return false, err
		}
		if err := s.correctable(ctx, g, t.Truth); err != nil {
			return false, err
		}
		if err := s.offer(ctx, &t); err != nil {
			return false, err
		}
		return s.keep(ctx, g, t)
	})
}

// keep stores a session's truth, and reports whether the session was still as t says.
func (s *Sessions) keep(ctx context.Context, g *loaded, t database.Told) (bool, error) {
	result, err := s.store.Tell(ctx, t)
	if err != nil || result == database.Stale {
		return false, err
	}
	if g.Touched = t.At; result == database.TellNew {
		s.retell(g, retold{told: &t})
	}
	return true, nil
}

// retell notes that a session's truth was told or withdrawn.
func (s *Sessions) retell(g *loaded, truth retold) {
	switch {
	case truth.withdrawn:
		g.Truth, g.Told = "", time.Time{}
	case truth.told == nil:
		return
	default:
		g.Truth = truth.told.Truth
		if g.Told.IsZero() {
			g.Told = truth.told.At
		}
	}
	if truth.withdrawn || truth.told.Learn {
		s.tables.Taught(g.Policy)
	}
}

// truthText returns the truth as it is looked for, and refuses what cannot be one.
func truthText(in *wire.TruthRequest) (string, error) {
	text := strings.Join(strings.Fields(in.Truth), " ")
	if text == "" {
		return "", wire.Refuse(http.StatusUnprocessableEntity, "the truth is empty; send the name of what it was")
	}
	most := 1000 // as in the schema
	if in.New {
		most = wire.MostProposed
	}
	return text, printable("truth", text, most)
}

// correctable refuses another truth, "" for none, long after the first.
func (s *Sessions) correctable(ctx context.Context, g *loaded, truth string) error {
	if g.Truth == "" || g.Truth == truth {
		return nil
	}
	return s.recent(ctx, g.Told)
}

// recent refuses to change a truth that was told long ago, but for admins.
func (s *Sessions) recent(ctx context.Context, told time.Time) error {
	if s.now().Sub(told) > correctTime && !RequesterOf(ctx).Admin {
		return wire.Refuse(http.StatusForbidden, "the truth was told more than 24 hours ago; changing it needs a token with admin rights")
	}
	return nil
}

// told returns the game of a session as it is kept, its truth still missing.
func (s *Sessions) told(ctx context.Context, g *loaded) (database.Told, error) {
	t, err := s.game(ctx, g.ID, g.Policy, g.Version, g.Labelling)
	if err != nil {
		return t, err
	}
	t.Step = g.open().Step
	record := g.record(nil)
	if g.policy != nil {
		at, err := g.policy.Game.At(record)
		if err != nil {
			return t, wire.Invalid(err)
		}
		if r := at.Standing(g.key(t.Step), 0).Recommendation; r != nil {
			t.Recommended = r.Text
		}
	}
	texts := map[int]string{}
	for i := range g.turns {
		if g.turns[i].Guess == database.None {
			texts[g.turns[i].Query] = g.turns[i].Text
		}
	}
	return t, s.answers(ctx, &t, record.History, func(query int) string { return texts[query] })
}

// game returns a game of the request's client, without answers and truth.
func (s *Sessions) game(ctx context.Context, id, policy string, version int, labelling bool) (t database.Told, err error) {
	t = database.Told{ID: id, Policy: policy, Version: version, At: s.now(), Learn: s.learnsFrom(policy, labelling)}
	t.Client, err = s.client(ctx)
	return t, err
}

// learnsFrom reports whether a policy's table learns from a game, for labelling or not, whose truth is told.
func (s *Sessions) learnsFrom(policy string, labelling bool) bool {
	return s.tables.Learns(policy) && (s.Learn.Labelling || !labelling)
}

// vocabulary returns the lexicon of the policy in service under an id.
func (s *Sessions) vocabulary(ctx context.Context, id string) (*learning.Lexicon, error) {
	p := s.set.Get(id)
	if p == nil {
		return nil, wire.Refuse(http.StatusConflict, "the policy %q is not in service any more, so nothing can be told of its games", id)
	}
	return s.tables.Lexicon(ctx, p)
}

// answers gives a game the answers of history that count, by the questions' texts. Where today's table does not have one
// of them the game teaches nothing.
func (s *Sessions) answers(ctx context.Context, t *database.Told, history []play.Answered, text func(query int) string) error {
	if err := s.set.Get(t.Policy).Form().Truths(t.Policy); err != nil {
		return err
	}
	l, err := s.vocabulary(ctx, t.Policy)
	if err != nil {
		return err
	}
	var missing []string
	for _, a := range history {
		if a.Answer == play.DontKnow {
			continue
		}
		query, ok := l.QuestionOf[table.Fold(text(a.Query))]
		if !ok {
			missing = append(missing, text(a.Query))
		}
		t.Answers = append(t.Answers, play.Answered{Query: query, Answer: a.Answer})
	}
	if len(t.Answers) == 0 {
		return wire.Refuse(http.StatusConflict, "the game has no answer, so its truth says nothing; answer a question first")
	}
	if missing == nil {
		return nil
	}
	t.Learn = false
	v, err := s.store.Enlist(ctx, t.Policy, nil, missing)
	if err != nil {
		return err
	}
	at := map[string]int{}
	for i, q := range v.Questions {
		at[table.Fold(q.Text)] = i
	}
	t.Answers = t.Answers[:0]
	for _, a := range history {
		if a.Answer != play.DontKnow {
			t.Answers = append(t.Answers, play.Answered{Query: at[table.Fold(text(a.Query))], Answer: a.Answer})
		}
	}
	return nil
}

// means gives a game its truth: objects by their names or those of p's hypotheses, or a name for [Sessions.offer].
func (s *Sessions) means(ctx context.Context, t *database.Told, text string, propose bool, p *policies.Policy) error {
	l, err := s.vocabulary(ctx, t.Policy)
	if err != nil {
		return err
	}
	found, ok := l.ObjectsOf(text, p)
	if !ok { // another server may have accepted it
		if l, err = s.tables.Renewed(ctx, l); err != nil {
			return err
		}
		found, ok = l.ObjectsOf(text, p)
	}
	switch {
	case ok:
		t.Objects, t.Truth = found, l.Text(found)
		return nil
	case l.Several(text):
		return wire.Refuse(http.StatusUnprocessableEntity, "%s is more than one object, and the table tells them apart; name one of them", table.Quote(text))
	case !propose:
		return l.Names.Unknown(text, `Send "new": true to propose it.`)
	}
	t.Truth = text
	return nil
}

// offer keeps the proposal of a truth that is not an object. The caller has checked all else: a refused truth leaves none.
func (s *Sessions) offer(ctx context.Context, t *database.Told) error {
	if len(t.Objects) > 0 {
		return nil
	}
	proposal, err := s.propose(ctx, database.Proposal{Policy: t.Policy, Kind: database.KindObject, Text: t.Truth, Client: t.Client.ID, Game: t.ID, Created: t.At})
	t.Proposal = proposal.ID
	return err
}

// guessed returns a session's game as a right guess tells it; nil where it has no answers, and so says nothing.
func (s *Sessions) guessed(ctx context.Context, g *loaded, guess *database.Turn) (*database.Told, error) {
	if !slices.ContainsFunc(g.record(nil).History, func(a play.Answered) bool { return a.Answer != play.DontKnow }) {
		return nil, nil
	}
	t, err := s.told(ctx, g)
	if err != nil {
		return nil, err
	}
	t.Recommended = guess.Text
	l, err := s.vocabulary(ctx, t.Policy)
	if err != nil {
		return nil, err
	}
	names := g.policy.Of(guess.Guess)
	if found, ok := l.ObjectsOf(guess.Text, g.policy); ok {
		t.Objects, t.Truth = found, l.Text(found)
		return &t, nil
	}
	v, err := s.store.Enlist(ctx, t.Policy, names, nil) // today's table does not have it
	t.Learn, t.Truth = false, strings.Join(names, " or ")
	for i := range v.Objects {
		if slices.ContainsFunc(names, func(name string) bool { return table.Fold(name) == table.Fold(v.Objects[i].Text) }) {
			t.Objects = append(t.Objects, i)
		}
	}
	return &t, err
}

// truthView says what is known of a truth told after answers.
func truthView(at *play.Position, key rng.Key, p *policies.Policy, text string, known bool) wire.TruthView {
	v := wire.TruthView{Text: text, Known: known}
	if p == nil {
		return v
	}
	k := p.Hypothesis(text)
	if v.Known = known || k >= 0; k < 0 {
		return v
	}
	now := at.Standing(key, at.Problem.Hypotheses())
	if now.Recommendation != nil && now.Recommendation.Index == k {
		v.Place, v.Confidence = 1, now.Confidence
	}
	for place, r := range now.RunnersUp {
		if r.Index == k {
			v.Place, v.Confidence = place+2, r.Confidence
		}
	}
	return v
}
