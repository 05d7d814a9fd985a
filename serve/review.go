package serve

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"mapo/data/table"
	"mapo/internal/names"
)

// mostReviewed is how many open proposals are listed at once.
const mostReviewed = 100

// Review returns what waits for a decision about a policy, for an admin.
func (s *Sessions) Review(ctx context.Context, policy string) (*Review, error) {
	if err := s.reviews(ctx, policy); err != nil {
		return nil, err
	}
	return ReviewOf(ctx, s.store, policy)
}

// Decide decides about a proposal or a client that is set aside, for an admin, and returns what is left.
func (s *Sessions) Decide(ctx context.Context, policy string, in *DecisionRequest) (*Review, error) {
	if err := s.reviews(ctx, policy); err != nil {
		return nil, err
	}
	if err := Decide(ctx, s.store, policy, in, s.set.Get(policy).given(), s.now()); err != nil {
		return nil, err
	}
	s.tables.Decided(policy)
	return ReviewOf(ctx, s.store, policy)
}

// reviews refuses who may not review a policy, and a policy that does not exist.
func (s *Sessions) reviews(ctx context.Context, policy string) error {
	if !RequesterOf(ctx).Admin {
		return fault(http.StatusForbidden, "reviewing needs a token with admin rights; where the server has no tokens, it is done on its own machine")
	}
	_, err := s.set.find(policy)
	return err
}

// ReviewOf returns what waits for a decision about a policy in db.
func ReviewOf(ctx context.Context, db TruthStore, policy string) (*Review, error) {
	known, err := db.Enlist(ctx, policy, nil, nil)
	if err != nil {
		return nil, err
	}
	learning, err := db.Learning(ctx, policy)
	if err != nil {
		return nil, err
	}
	out := &Review{Proposals: []ProposalView{}, SetAside: []AsideView{}, Version: learning.Version}
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
	open, err := db.Proposals(ctx, policy, ProposalOpen, 0, mostReviewed)
	if err != nil {
		return nil, err
	}
	index := map[string]*names.Index{KindObject: names.New(texts(known.Objects)), KindQuestion: names.New(texts(known.Questions))}
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
			out.SetAside = append(out.SetAside, AsideView{a.Client, a.Games, a.Median, a.Quantile, a.Since})
		}
	}
	return out, err
}

// proposalView returns a proposal as a reviewer sees it. known has the names of its kind.
func proposalView(ctx context.Context, db TruthStore, known *names.Index, p Proposal) (ProposalView, error) {
	v := ProposalView{ID: p.ID, Kind: p.Kind, Text: p.Text, Answer: Reply{Answer: p.Answer}, Games: p.Games, Created: p.Created, Similar: known.Nearest(p.Text, mostSimilar)}
	if v.Similar == nil {
		v.Similar = []string{}
	}
	if p.Kind == KindObject || p.Game == "" {
		return v, nil
	}
	g, err := db.Game(ctx, p.Game)
	if errors.Is(err, ErrNoGame) { // it was withdrawn
		return v, nil
	}
	if err == nil {
		v.Truth = g.Truth
	}
	return v, err
}

// texts returns the texts of names.
func texts(list []Name) []string {
	all := make([]string, len(list))
	for i := range list {
		all[i] = list[i].Text
	}
	return all
}

// Decide decides about a proposal or a client that is set aside in db. A request that does not fit is a [Fault]. base
// has today's table. Where it is nil, a name of the table by which a proposal is accepted stays after the table drops it.
func Decide(ctx context.Context, db TruthStore, policy string, in *DecisionRequest, base *Policy, now time.Time) error {
	if in.Decision == decisionRestore {
		return restore(ctx, db, policy, in)
	}
	switch {
	case in.Decision != decisionAccept && in.Decision != decisionReject:
		return fault(http.StatusUnprocessableEntity, "the decision is %q; it must be accept, reject or restore", in.Decision)
	case in.Proposal < 1 || in.Client != "":
		return fault(http.StatusUnprocessableEntity, "to %s a proposal, give its number as proposal, and no client", in.Decision)
	case in.Decision == decisionReject && (in.As != "" || len(in.Yes)+len(in.No) > 0):
		return fault(http.StatusUnprocessableEntity, "as, yes and no are for a proposal that is accepted")
	}
	d := Decision{Policy: policy, Proposal: in.Proposal, Accept: in.Decision == decisionAccept, At: now}
	if d.Accept {
		if err := accepts(ctx, &d, db, in, base); err != nil {
			return err
		}
	}
	_, err := db.Decide(ctx, d)
	switch {
	case errors.Is(err, ErrNoProposal):
		return noProposal(policy, in.Proposal)
	case errors.Is(err, ErrDecided):
		return fault(http.StatusConflict, "proposal %d was decided otherwise before", in.Proposal)
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
	return fault(http.StatusNotFound, "%s has no proposal %d; the review lists those that are open", policy, id)
}

// restore takes a client's games back into the table.
func restore(ctx context.Context, db TruthStore, policy string, in *DecisionRequest) error {
	if in.Client == "" || in.Proposal != 0 || in.As != "" || len(in.Yes)+len(in.No) > 0 {
		return fault(http.StatusUnprocessableEntity, "to restore a client, give its name as client, and nothing else")
	}
	had, err := db.Restore(ctx, policy, in.Client)
	if err == nil && !had {
		err = fault(http.StatusNotFound, "no client %q is set aside for %s; the review lists those that are", in.Client, policy)
	}
	return err
}

// accepts fills in the name and the objects by which d accepts a proposal.
func accepts(ctx context.Context, d *Decision, db TruthStore, in *DecisionRequest, base *Policy) error {
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
	if p.Kind == KindQuestion {
		list = known.Questions
	} else if len(in.Yes)+len(in.No) > 0 {
		return fault(http.StatusUnprocessableEntity, "proposal %d is an object; yes and no are the answers to a question", p.ID)
	}
	if d.As, err = acceptedAs(p, in.As, list); err != nil {
		return err
	}
	if base != nil {
		given := base.objects()
		if p.Kind == KindQuestion {
			given = base.questions()
		}
		d.Given = slices.ContainsFunc(given, func(name string) bool { return table.Fold(name) == table.Fold(d.As) })
	}
	objects := newObjects(texts(known.Objects))
	if d.Yes, err = objects.indices("yes", in.Yes); err != nil {
		return err
	}
	if d.No, err = objects.indices("no", in.No); err != nil {
		return err
	}
	for _, k := range d.No {
		if slices.Contains(d.Yes, k) {
			return fault(http.StatusUnprocessableEntity, "%q has both answers, yes and no", known.Objects[k].Text)
		}
	}
	return nil
}

// acceptedAs returns the name by which a proposal is accepted: that of list, where it has one that reads the same without
// case and marks.
func acceptedAs(p *Proposal, as string, list []Name) (string, error) {
	if as = strings.TrimSpace(as); as == "" {
		as = p.Text
	}
	for _, n := range list {
		if names.Fold(n.Text) == names.Fold(as) {
			return n.Text, nil
		}
	}
	return as, printable("name", as, mostProposed)
}
