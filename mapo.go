// Package mapo decides which question to ask next. It is the front door: read a table of hypotheses × queries, play it at
// once or learn a policy for it, play a game question by question, and measure a worst case.
//
//	table, err := mapo.ReadTable("animals.csv")
//	policy, err := table.Policy()                        // without training,
//	policy, err = mapo.Learn(ctx, table, mapo.Options{}) // or with
//	game := policy.Play(seed)
//	for game.Next() {
//		game.Answer(ask(game.Question()))
//	}
//	fmt.Println(game.Best())
//
// Everything that it does is made of public packages: game (Section 2 of the paper), adversary, train and judge (Section 3),
// policy (what asks), run (Algorithm 1) and data (tables).
package mapo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"mapo/adversary/search"
	"mapo/difficulty"
	"mapo/game"
	"mapo/game/play"
	"mapo/internal/atomicfile"
	"mapo/internal/openfile"
	"mapo/judge"
	"mapo/policy/decision"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/policy/stopping"
	"mapo/record"
	"mapo/rng"
	"mapo/run"
	"mapo/run/job"
	"mapo/run/plan"
	"mapo/run/store"
	"mapo/spec"
)

// Table is hypotheses × queries: how often each hypothesis answers each query with yes.
type Table struct {
	path string
	spec *spec.Spec
}

// ReadTable reads a table (.csv or .tsv, either with .gz) or a spec (.yaml). Errors name file and line.
func ReadTable(path string) (*Table, error) {
	s, err := spec.Load(path, spec.Override{Truth: spec.Rows})
	if err != nil {
		return nil, err
	}
	return &Table{path: path, spec: s}, nil
}

// Names returns the hypotheses; rows that no query tells apart are one, "A or B".
func (t *Table) Names() []string { return slices.Clone(t.spec.Problem.Names) }

// Queries returns the texts of the queries.
func (t *Table) Queries() []string { return slices.Clone(t.spec.Problem.X) }

// Warnings returns what reading the table assumed, and what looks wrong in it.
func (t *Table) Warnings() []string { return slices.Clone(t.spec.Warnings) }

// Share returns how often the answer to a query is yes for a hypothesis, in [0, 1]; false where the table has no such name.
func (t *Table) Share(hypothesis, query string) (float64, bool) {
	p := t.spec.Problem
	k, i := slices.Index(p.Names, hypothesis), slices.Index(p.X, query)
	if k < 0 || i < 0 || p.Shares == nil {
		return 0, false
	}
	return p.Shares.Row(k, p.Queries())[i], true
}

// Policy returns a policy that needs no training. It asks by information gain over the table's rows and recommends by the
// Bayes posterior over them.
func (t *Table) Policy() (*Policy, error) {
	p := t.spec.Problem
	asks, err := rival.Parse(p, game.BestIdentification, rival.Untrained)
	if err != nil {
		return nil, err
	}
	rule, err := t.spec.Stops()
	if err != nil {
		return nil, err
	}
	if asks, err = stopping.With(p, asks, rule); err != nil {
		return nil, err
	}
	policy := newPolicy(p, asks, t.spec.DontKnow)
	policy.stop = t.spec.StopAt()
	return policy, nil
}

// Options are how long learning and searches take, and on how many cores.
type Options struct {
	Scale   string // smoke: seconds; desk: minutes; paper: days. "": the spec's, else desk
	Workers int    // 0: as many as the machine runs at once
}

// Learn learns the min-gap policy for a table by Algorithm 1. The same table and options give the same policy, whatever the
// number of workers. It keeps its work in a temporary folder, so that what is cancelled is lost; package run goes on instead.
func Learn(ctx context.Context, t *Table, o Options) (_ *Policy, err error) {
	s, err := spec.Load(t.path, spec.Override{Scale: o.Scale})
	if err != nil {
		return nil, err
	}
	p, err := plan.PlanOf(ctx, s, plan.Options{Scale: o.Scale, Alone: true, Workers: o.Workers, Source: t.path})
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mapo-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	work, err := store.Folder(dir)
	if err != nil {
		return nil, err
	}
	f, err := run.New(ctx, p, work, &job.Local{Store: work, Steps: run.Steps(p.Known()...), Cores: o.Workers})
	if err != nil {
		return nil, err
	}
	ladder, err := run.MAPO(ctx, f)
	if err != nil {
		return nil, err
	}
	file, err := run.PolicyFile(f, ladder.PiHat, ladder)
	if err != nil {
		return nil, err
	}
	return decode(file)
}

// Policy asks queries and recommends a hypothesis. It may be used concurrently.
type Policy struct {
	game.Policy
	game   *play.Game
	stop   float64        // the probability of the recommendation at which a game ends; 0: never
	levels []record.Worst // worst cases as measured when it was learned
	file   []byte         // its policy file; nil without training
}

// Load reads a policy file, as Learn and the command make them.
func Load(path string) (*Policy, error) {
	data, err := openfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func decode(file []byte) (*Policy, error) {
	net, contract, err := nn.Decode(file)
	if err != nil {
		return nil, err
	}
	loss, err := game.ParseLoss(contract.Loss)
	if err != nil {
		return nil, err
	}
	policy, err := decision.With(contract.Problem, loss, nn.Policy(contract.Problem, net), contract.Decision)
	if err != nil {
		return nil, err
	}
	if policy, err = stopping.With(contract.Problem, policy, contract.Stop); err != nil {
		return nil, err
	}
	p := newPolicy(contract.Problem, policy, contract.DontKnow)
	p.file, p.stop = file, stopping.Probability(contract.Stop)
	for _, level := range contract.Levels {
		p.levels = append(p.levels, level.Worst)
	}
	return p, nil
}

func newPolicy(p *game.Problem, asks game.Policy, dontKnow string) *Policy {
	return &Policy{Policy: asks, game: play.New(p, asks, dontKnow == nn.DontKnowSpends)}
}

// Save writes the policy file, whole or not at all. A policy without training has none.
func (p *Policy) Save(path string) error {
	if p.file == nil {
		return errors.New("mapo: a policy without training has no file: keep the table")
	}
	return atomicfile.Write(path, p.file)
}

// Problem returns what the policy is for.
func (p *Policy) Problem() *game.Problem { return p.game.Problem }

// WorstCase searches for the worst instance of difficulty at most r, and returns it with the policy's probability of a wrong
// recommendation there, with an interval of 95 %. It is the worst found: a lower bound on the true worst case. Where the spec
// has stop:, games end by it, and their number of questions is beside it. A spec with
// other: is an error: no instance is drawn from that hypothesis.
func (p *Policy) WorstCase(ctx context.Context, r float64, o Options) (record.Worst, error) {
	problem := p.game.Problem
	if problem.Shares != nil && problem.Shares.Other {
		return record.Worst{}, errors.New("mapo: the spec has other:, which is for playing; remove it to measure a worst case")
	}
	effort, err := judge.Effort(cmp.Or(o.Scale, "desk"), problem)
	if err != nil {
		return record.Worst{}, err
	}
	known := new(search.Bank)
	known.Add(p.levels...)
	hunt := search.Search{P: problem, C: difficulty.Of(problem), Loss: game.BestIdentification, Policy: p.Policy, Levels: []float64{r}, Effort: effort, Bank: known, Key: rng.New(1), Workers: o.Workers}
	found, err := hunt.Run(ctx)
	if err != nil {
		return record.Worst{}, err
	}
	return found[0], nil
}

// Game is a game under way. It is not safe for concurrent use.
type Game struct {
	policy *Policy
	seed   uint64
	record play.Record
	query  play.Text
	asked  bool // the question waits for its answer
	err    error
}

// Play begins a game. Policies ask at random; the seed says which game it is. A game ends when the recommendation is right with
// the probability that the spec says. Without a word there one without training ends at 0.95, and another has all its answers.
func (p *Policy) Play(seed uint64) *Game {
	return &Game{policy: p, seed: seed, record: play.Record{Stop: p.stop}}
}

// Next reports whether the game goes on, and then has the next question ready.
func (g *Game) Next() bool {
	if g.err != nil {
		return false
	}
	at, err := g.policy.game.At(g.record)
	if g.err = err; err != nil || at.Over() {
		return false
	}
	probs, err := at.Probabilities()
	if g.err = err; err != nil {
		return false
	}
	g.query, g.asked = at.Query(play.Draw(probs, at.Key(g.seed))), true
	return true
}

// Question returns the question to be answered, after Next.
func (g *Game) Question() string { return g.query.Text }

// Answer gives the answer to the question: yes or no. Without a question it ends the game with an error, as it does where the
// policy's answers are numbers or classes.
func (g *Game) Answer(yes bool) {
	answer := play.No
	if yes {
		answer = play.Yes
	}
	switch p := g.policy.Problem(); {
	case p.Answers.Gaussian():
		g.err = cmp.Or(g.err, errors.New("mapo: yes or no, where answers are numbers: call Number"))
	case p.Labels != nil:
		g.err = cmp.Or(g.err, errors.New("mapo: yes or no, where answers are classes: call Label"))
	default:
		g.answer(answer)
	}
}

// Label gives the class of the item that is asked about, by its name, where models are selected on a pool of items. Without a
// question it ends the game with an error, as it does where there is no such class.
func (g *Game) Label(class string) {
	l := g.policy.Problem().Labels
	if l == nil {
		g.err = cmp.Or(g.err, errors.New("mapo: a class, where answers are none: call Answer or Number"))
		return
	}
	c := slices.Index(l.Classes, class)
	if c < 0 {
		g.err = cmp.Or(g.err, fmt.Errorf("mapo: the class is %q; there are %q", class, l.Classes))
		return
	}
	g.answer(play.Class(c))
}

// Number gives the answer to the question where answers are numbers ([game.Answers]), in their units. Without a question it
// ends the game with an error, as it does where the policy's answers are yes and no.
func (g *Game) Number(y float64) {
	p, answer := g.policy.Problem(), play.Number(y)
	if !p.Answers.Gaussian() {
		g.err = cmp.Or(g.err, errors.New("mapo: a number, where answers are yes and no: call Answer"))
		return
	}
	if err := play.Fits(p, answer); err != nil {
		g.err = cmp.Or(g.err, fmt.Errorf("mapo: the answer %w", err))
		return
	}
	g.answer(answer)
}

func (g *Game) answer(answer play.Answer) {
	if !g.asked {
		g.err = cmp.Or(g.err, errors.New("mapo: an answer without a question: call Next before Answer"))
		return
	}
	g.asked = false
	g.record.History = append(g.record.History, play.Answered{Query: g.query.Index, Answer: answer})
}

// Best returns the recommendation, and the probability that it is right where the table's rows give one, else 0. The name is
// empty while all hypotheses tie.
func (g *Game) Best() (name string, confidence float64) {
	at, err := g.policy.game.At(g.record)
	if err != nil {
		g.err = err
		return "", 0
	}
	s := at.Standing(at.Key(g.seed), 0)
	if s.Recommendation == nil {
		return "", 0
	}
	if s.Confidence != nil {
		confidence = *s.Confidence
	}
	return s.Recommendation.Text, confidence
}

// Err returns the first error of the game, as a Scanner's does.
func (g *Game) Err() error { return g.err }
