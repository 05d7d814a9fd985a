package run

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"mapo/game"
	"mapo/run/store"
)

// PriorRef names a prior for a job: one that is data, such as a table's rows, by the key of its
// rows, too, which [keepPriors] put into the store.
type PriorRef struct {
	Name string
	Rows store.Key `json:",omitempty"`
}

// stored returns where the rows are.
func (r PriorRef) stored() string { return "priors/" + string(r.Rows) }

// dataOf returns the reference to p and, where p is data, its rows for the store.
func dataOf(p game.Prior) (ref PriorRef, rows []byte, err error) {
	if n, ok := p.(namedPrior); ok {
		return n.ref, nil, nil
	}
	ref = PriorRef{Name: p.Name()}
	var data any
	switch p := p.(type) {
	case interface{ Instances() [][]float64 }:
		data = p.Instances()
	case *game.People:
		data = p.Rows
	default:
		return ref, nil, nil // made from the problem by its name
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(data); err != nil {
		return ref, nil, fmt.Errorf("run: prior %s: %w", ref.Name, err)
	}
	ref.Rows = store.KeyOf("prior", b.Bytes(), ref.Name)
	return ref, b.Bytes(), nil
}

func refOf(p game.Prior) (PriorRef, error) {
	ref, _, err := dataOf(p)
	return ref, err
}

func refsOf(ps []game.Prior) (refs []PriorRef, err error) {
	for _, p := range ps {
		ref, err := refOf(p)
		if err != nil {
			return nil, err
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// keepPriors puts those of the plan's priors that are data where jobs look for them.
func keepPriors(ctx context.Context, s store.Store, plan Plan) error {
	for _, p := range plan.Known() {
		ref, rows, err := dataOf(p)
		if err != nil {
			return err
		}
		if rows == nil {
			continue
		}
		names, err := s.List(ctx, ref.stored())
		if err == nil && len(names) == 0 {
			err = s.Put(ctx, ref.stored(), rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prior returns the one that ref names: one the executor was given, else the one that was kept in the store.
func (w *work) prior(ctx context.Context, p *game.Problem, ref PriorRef) (game.Prior, error) {
	if at := slices.IndexFunc(w.priors, func(p game.Prior) bool { return p.Name() == ref.Name }); at >= 0 {
		return w.priors[at], nil
	}
	return loadPrior(ctx, w.Store, p, ref)
}

// loadPrior makes the prior from its name or from the rows that were kept.
func loadPrior(ctx context.Context, s store.Store, p *game.Problem, ref PriorRef) (game.Prior, error) {
	if prior, ok := game.ParsePrior(p, ref.Name); ok {
		return prior, nil
	}
	data, err := s.Get(ctx, ref.stored())
	if err != nil {
		return nil, fmt.Errorf("run: the executor knows no prior %q: %w", ref.Name, err)
	}
	if source, ok := strings.CutPrefix(ref.Name, game.PeopleOf); ok {
		return loadPeople(p, source, data)
	}
	var rows [][]float64
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&rows); err != nil {
		return nil, fmt.Errorf("run: prior %s: %w", ref.Name, err)
	}
	if len(rows) == 0 || len(rows[0]) != p.Queries() {
		return nil, fmt.Errorf("run: prior %s does not fit the problem", ref.Name)
	}
	return game.Rows(ref.Name, rows), nil
}

// loadPeople makes the prior of another source's people from the rows that were kept.
func loadPeople(p *game.Problem, source string, data []byte) (game.Prior, error) {
	people := &game.People{Source: source}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&people.Rows); err != nil {
		return nil, fmt.Errorf("run: prior %s: %w", people.Name(), err)
	}
	bad := func(row game.Drawn) bool {
		return len(row.Theta) != p.Queries() || row.Hypothesis < 0 || row.Hypothesis >= p.Hypotheses()
	}
	if len(people.Rows) == 0 || slices.ContainsFunc(people.Rows, bad) {
		return nil, fmt.Errorf("run: prior %s does not fit the problem", people.Name())
	}
	return people, nil
}

// namedPrior stands for a prior where it is not played.
type namedPrior struct{ ref PriorRef }

var _ game.Prior = namedPrior{}

func (p namedPrior) Name() string { return p.ref.Name }

func (p namedPrior) Draw([]float64, *rand.Rand) int {
	panic("run: a prior known by its name alone is played")
}
