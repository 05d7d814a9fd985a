package run

import (
	"context"
	"fmt"
	"slices"

	"mapo/train"
)

// Result is a finished run.
type Result struct {
	Ladder   *Ladder
	Policies []*Policy // π̂, π_1 … π_K, then the rivals in the plan's order

	Certificate Certificate
}

// Run returns the whole pipeline: Algorithm 1, the rivals, who may hold benchmarks too, then a
// second round in which every policy meets the worst instances found for all, and averages. The
// rivals are judged while the π_k train.
func (f *Flow) Run(ctx context.Context) (*Result, error) {
	var ladder *Ladder
	groups, rivals := sameQuestions(f.Rivals), make([][]*Policy, len(f.Rivals))
	err := f.crew.Each(ctx, 1+len(groups), func(ctx context.Context, i int) (err error) {
		switch {
		case i == 0:
			ladder, err = MAPO(ctx, f)
		case len(groups[i-1]) > 1 && f.Scale != smoke:
			err = f.screen(ctx, groups[i-1], rivals)
		default:
			for _, at := range groups[i-1] {
				if rivals[at], err = f.Rival(ctx, f.Rivals[at]); err != nil {
					break
				}
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	res := &Result{Ladder: ladder}
	res.Policies = append(append([]*Policy{ladder.PiHat}, ladder.Pi...), slices.Concat(rivals...)...)
	if err := f.again(ctx, res); err != nil {
		return nil, err
	}
	return res, f.certify(ctx, res)
}

// Rival trains what needs it and judges it. Bayes-LAL is reported sampled and
// argmaxed (reading 13).
func (f *Flow) Rival(ctx context.Context, name string) ([]*Policy, error) {
	if name != BayesLAL {
		p := &Policy{Name: name, Ref: Ref{Rival: name}}
		return []*Policy{p}, f.judge(ctx, p, nil)
	}
	sampled, err := f.learn(ctx, objective{name: BayesLAL, bayes: true})
	if err != nil {
		return nil, err
	}
	sharp := &Policy{Name: BayesLAL + Argmax, Ref: Ref{Trained: sampled.Ref.Trained, Argmax: true}}
	both := []*Policy{sampled, sharp}
	return both, f.crew.Each(ctx, len(both), func(ctx context.Context, i int) error { return f.judge(ctx, both[i], nil) })
}

// again judges every policy once more against the worst instances of all of
// them, and plays the averages; then it confirms the benchmarks. With one level π̂ is π_1
// and shares its numbers.
func (f *Flow) again(ctx context.Context, res *Result) error {
	bank := BankOf(res.Policies)
	todo := res.Policies
	if len(f.Levels) == 1 {
		todo = todo[1:]
	}
	err := f.crew.Each(ctx, 2*len(todo), func(ctx context.Context, i int) error {
		if i%2 == 0 {
			return f.replay(ctx, todo[i/2], bank)
		}
		return f.average(ctx, todo[i/2])
	})
	if err != nil {
		return err
	}
	if err := f.confirm(ctx, todo); err != nil {
		return err
	}
	if len(f.Levels) == 1 {
		*res.Ladder.PiHat = *res.Ladder.Pi[0].named(PiHat)
	}
	return nil
}

// objective is what a policy is trained for: π_k's one level, π̂'s whole ladder
// with benchmarks, or Bayes-LAL's average.
type objective struct {
	name  string
	r, b  []float64
	warm  *Policy
	bayes bool
}

// role returns what the policy is in a run, alone where it is of the only level.
func (o objective) role(alone bool) train.Role {
	return train.Role{PiHat: o.b != nil, Follows: o.warm != nil, Alone: alone, Bayes: o.bayes}
}

// learn trains a policy.
func (f *Flow) learn(ctx context.Context, o objective) (*Policy, error) {
	in := TrainInput{Header: f.header(o.name), R: o.r, B: o.b, Bayes: o.bayes, Config: f.Train.Of(o.role(len(f.Levels) == 1)), Marks: f.Marks, Seconds: f.Seconds}
	if f.TradesOff(o.name) {
		in.Average, in.Weight = f.priors[f.Average.Name()], f.Weight
	}
	if o.warm != nil {
		in.Warm = o.warm.Ref.Trained
	}
	if !o.bayes && (o.warm == nil || o.b != nil) && f.from.key != "" {
		in.Warm = f.from.key
	}
	key, out, took, err := do[Trained](ctx, f, stepTrain, in)
	if err != nil {
		return nil, err
	}
	p := &Policy{Name: o.name, Ref: Ref{Trained: key}, Net: out, Took: Times{Train: took}}
	if len(o.r) > 0 {
		p.Level = o.r[len(o.r)-1]
	}
	return p, nil
}

// average plays p on every prior.
func (f *Flow) average(ctx context.Context, p *Policy) error {
	if len(f.Priors) == 0 {
		return nil
	}
	in := AverageInput{Header: f.header(p.Name), Policy: p.Ref, Games: f.Games}
	for _, prior := range f.Priors {
		in.Priors = append(in.Priors, f.priors[prior.Name()])
	}
	_, out, took, err := do[[]Averaged](ctx, f, stepAverage, in)
	if err != nil {
		return fmt.Errorf("averages of %s: %w", p.Name, err)
	}
	p.Averages, err = averages(*out)
	p.Took.Average = took
	return err
}
