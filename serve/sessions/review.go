package sessions

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"mapo/data/table"
	"mapo/internal/names"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/wire"
)

// mostReviewed is how many open proposals are listed at once.
const mostReviewed = 100

// Review returns what waits for a decision about a policy, for an admin.
func (s *Sessions) Review(ctx context.Context, policy string) (*wire.Review, error) {
	if err := s.reviews(ctx, policy); err != nil {
		return nil, err
	}
	return ReviewOf(ctx, s.store, policy)
}

// Decide decides about a proposal or a client that is set aside, for an admin, and returns what is left.
func (s *Sessions) Decide(ctx context.Context, policy string, in *wire.DecisionRequest) (*wire.Review, error) {
	if err := s.reviews(ctx, policy); err != nil {
		return nil, err
	}
	if err := Decide(ctx, s.store, policy, in, s.set.Get(policy).Given(), s.now()); err != nil {
		return nil, err
	}
	s.tables.Decided(policy)
	return ReviewOf(ctx, s.store, policy)
}

// reviews refuses who may not review a policy, and a policy that does not exist.
func (s *Sessions) reviews(ctx context.Context, policy string) error {
	if !RequesterOf(ctx).Admin {
		return wire.Refuse(http.StatusForbidden, "reviewing needs a token with admin rights; where the server has no tokens, it is done on its own machine")
	}
	_, err := s.set.Find(policy)
	return err
}

// ReviewOf returns what waits for a decision about a policy in db.
func ReviewOf(ctx context.Context, db database.TruthStore, policy string) (*wire.Review, error) {
	known, err := db.Enlist(ctx, policy, nil, nil)
	if err != nil {
		return nil, err
	}
	learning, err := db.Learning(ctx, policy)
	if err != nil {
		return nil, err
	}
	out := &wire.Review{Proposals: []wire.ProposalView{}, SetAside: []wire.AsideView{}, Version: learning.Version}
	if !learning.BuiltAt.IsZero() {
		out.Built = &learning.BuiltAt
	}
	versions, err := db.Versions(ctx, policy)
	if err != nil {
		return nil, err
	}
	if n := len(versions); n > 0 {
		out.Games = versions[n-1].Games
	}
	open, err := db.Proposals(ctx, policy, database.ProposalOpen, 0, mostReviewed)
	if err != nil {
		return nil, err
	}
	index := map[string]*names.Index{database.KindObject: names.New(texts(known.Objects)), database.KindQuestion: names.New(texts(known.Questions))}
	for _, p := range open {
		view, err := proposalView(ctx, db, index[p.Kind], p)
		if err != nil {
			return nil, err
		}
		out.Proposals = append(out.Proposals, view)
	}
	aside, err := db.SetAside(ctx, policy)
	for _, a := range aside {
		if !a.Restored {
			out.SetAside = append(out.SetAside, wire.AsideView{Client: a.Client, Games: a.Games, Median: a.Median, Quantile: a.Quantile, Since: a.Since})
		}
	}
	return out, err
}

// proposalView returns a proposal as a reviewer sees it. known has the names of its kind.
func proposalView(ctx context.Context, db database.TruthStore, known *names.Index, p database.Proposal) (wire.ProposalView, error) {
	v := wire.ProposalView{ID: p.ID, Kind: p.Kind, Text: p.Text, Answer: wire.Reply{Answer: p.Answer}, Games: p.Games, Created: p.Created, Similar: known.Nearest(p.Text, policies.MostSimilar)}
	if v.Similar == nil {
		v.Similar = []string{}
	}
	if p.Kind == database.KindObject || p.Game == "" {
		return v, nil
	}
	g, err := db.Game(ctx, p.Game)
	if errors.Is(err, database.ErrNoGame) { // it was withdrawn
		return v, nil
	}
	if err == nil {
		v.Truth = g.Truth
	}
	return v, err
}

// texts returns the texts of names.
func texts(list []database.Name) []string {
	all := make([]string, len(list))
	for i := range list {
		all[i] = list[i].Text
	}
	return all
}

// Decide decides about a proposal or a client that is set aside in db. A request that does not fit is a [Fault]. base
// has today's table. Where it is nil, a name of the table by which a proposal is accepted stays after the table drops it.
func Decide(ctx context.Context, db database.TruthStore, policy string, in *wire.DecisionRequest, base *policies.Policy, now time.Time) error {
	if in.Decision == decisionRestore {
		return restore(ctx, db, policy, in)
	}
	switch {
	case in.Decision != decisionAccept && in.Decision != decisionReject:
		return wire.Refuse(http.StatusUnprocessableEntity, "the decision is %q; it must be accept, reject or restore", in.Decision)
	case in.Proposal < 1 || in.Client != "":
		return wire.Refuse(http.StatusUnprocessableEntity, "to %s a proposal, give its number as proposal, and no client", in.Decision)
	case in.Decision == decisionReject && (in.As != "" || len(in.Yes)+len(in.No) > 0):
		return wire.Refuse(http.StatusUnprocessableEntity, "as, yes and no are for a proposal that is accepted")
	}
	d := database.Decision{Policy: policy, Proposal: in.Proposal, Accept: in.Decision == decisionAccept, At: now}
	if d.Accept {
		if err := accepts(ctx, &d, db, in, base); err != nil {
			return err
		}
	}
	_, err := db.Decide(ctx, d)
	switch {
	case errors.Is(err, database.ErrNoProposal):
		return noProposal(policy, in.Proposal)
	case errors.Is(err, database.ErrDecided):
		return wire.Refuse(http.StatusConflict, "proposal %d was decided otherwise before", in.Proposal)
	}
	return err
}

// Decisions of a [DecisionRequest].
const (
	decisionAccept  = "accept"
	decisionReject  = "reject"
	decisionRestore = "restore"
)

func noProposal(policy string, id int64) error {
	return wire.Refuse(http.StatusNotFound, "%s has no proposal %d; the review lists those that are open", policy, id)
}

// restore takes a client's games back into the table.
func restore(ctx context.Context, db database.TruthStore, policy string, in *wire.DecisionRequest) error {
	if in.Client == "" || in.Proposal != 0 || in.As != "" || len(in.Yes)+len(in.No) > 0 {
		return wire.Refuse(http.StatusUnprocessableEntity, "to restore a client, give its name as client, and nothing else")
	}
	had, err := db.Restore(ctx, policy, in.Client)
	if err == nil && !had {
		err = wire.Refuse(http.StatusNotFound, "no client %q is set aside for %s; the review lists those that are", in.Client, policy)
	}
	return err
}

// accepts fills in the name and the objects by which d accepts a proposal.
func accepts(ctx context.Context, d *database.Decision, db database.TruthStore, in *wire.DecisionRequest, base *policies.Policy) error {
	found, err := db.Proposals(ctx, d.Policy, "", in.Proposal-1, 1)
	if err != nil {
		return err
	}
	if len(found) == 0 || found[0].ID != in.Proposal {
		return noProposal(d.Policy, in.Proposal)
	}
	known, err := db.Enlist(ctx, d.Policy, nil, nil)
	if err != nil {
		return err
	}
	p, list := &found[0], known.Objects
	if p.Kind == database.KindQuestion {
		list = known.Questions
	} else if len(in.Yes)+len(in.No) > 0 {
		return wire.Refuse(http.StatusUnprocessableEntity, "proposal %d is an object; yes and no are the answers to a question", p.ID)
	}
	if d.As, err = acceptedAs(p, in.As, list); err != nil {
		return err
	}
	if base != nil {
		given := base.Objects()
		if p.Kind == database.KindQuestion {
			given = base.Questions()
		}
		d.Given = slices.ContainsFunc(given, func(name string) bool { return table.Fold(name) == table.Fold(d.As) })
	}
	objects := policies.NewObjects(texts(known.Objects))
	if d.Yes, err = objects.Indices("yes", in.Yes); err != nil {
		return err
	}
	if d.No, err = objects.Indices("no", in.No); err != nil {
		return err
	}
	for _, k := range d.No {
		if slices.Contains(d.Yes, k) {
			return wire.Refuse(http.StatusUnprocessableEntity, "%q has both answers, yes and no", known.Objects[k].Text)
		}
	}
	return nil
}

// acceptedAs returns the name by which a proposal is accepted: that of list, where it has one that reads the same without
// case and marks.
func acceptedAs(p *database.Proposal, as string, list []database.Name) (string, error) {
	if as = strings.TrimSpace(as); as == "" {
		as = p.Text
	}
	for _, n := range list {
		if names.Fold(n.Text) == names.Fold(as) {
			return n.Text, nil
		}
	}
	return as, printable("name", as, wire.MostProposed)
}
