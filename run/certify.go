package run

import (
	"context"
	"encoding/json"
	"fmt"

	"mapo/game/exact"
	"mapo/judge"
	"mapo/policy/stopping"
	"mapo/run/job"
)

// certifyWork is how many cells a run's certificates visit, all levels together,
// at each scale: about a nanosecond each.
var certifyWork = map[string]float64{"smoke": 3e8, "desk": 3e9, "paper": 3e10}

// ExactName says what an exact judge takes its instances from ([judge.ExactSet]).
func (p *Plan) ExactName() string { return judge.ExactName(p.Problem, p.Finite) }

// Bracket is a certificate at a level: no policy has a worst case below Lo over
// Instances instances, and some policy has one of at most Hi.
type Bracket struct {
	Level     float64
	Instances int
	Lo, Hi    float64

	Took job.Took `json:"-"`
}

// Certificate is what an exact judge says of a run on a tiny problem.
type Certificate struct {
	Why      string    // where there is none: the reason
	Over     string    // what the instances are taken from
	Brackets []Bracket // by level, those left out that no instance is easy enough for
}

// CertifyInput is what a bracket depends on.
type CertifyInput struct {
	job.Header
	Level      float64
	Iterations int
}

// ExactInput is what a policy's exact worst cases depend on.
type ExactInput struct {
	job.Header
	Policy Ref
	Levels []float64
}

// certify brackets the minimax value at every level, and works out every
// policy's worst case over the same instances, without sampling.
func (f *Flow) certify(ctx context.Context, res *Result) error {
	c := &res.Certificate
	if c.Why = judge.Uncertified(f.Problem, f.Finite, f.Levels[len(f.Levels)-1]); c.Why != "" {
		return nil
	}
	c.Over = f.ExactName()
	var levels []float64
	for _, r := range f.Levels {
		if n := len(judge.ExactSet(f.Problem, f.Finite, r)); n > 0 {
			levels = append(levels, r)
			c.Brackets = append(c.Brackets, Bracket{Level: r, Instances: n})
		}
	}
	return f.crew.Each(ctx, len(levels)+len(res.Policies), func(ctx context.Context, i int) error {
		if i < len(levels) {
			return f.bracket(ctx, &c.Brackets[i], len(levels))
		}
		return f.exactly(ctx, res.Policies[i-len(levels)], levels)
	})
}

// bracket fills in one level's, with a share of the work of all n. Where that
// runs out the bracket is wider and holds all the same.
func (f *Flow) bracket(ctx context.Context, b *Bracket, n int) error {
	cells := exact.Count(f.Problem) * float64(b.Instances)
	in := CertifyInput{f.header(fmt.Sprintf("r = %.4g", b.Level)), b.Level, int(max(64, min(20_000, certifyWork[f.Scale]/float64(n)/cells)))}
	_, out, took, err := do[Bracket](ctx, f, stepCertify, in)
	if err != nil {
		return err
	}
	b.Lo, b.Hi, b.Took = out.Lo, out.Hi, took
	return nil
}

// exactly fills in p's exact worst cases at the levels.
func (f *Flow) exactly(ctx context.Context, p *Policy, levels []float64) error {
	_, out, _, err := do[[]float64](ctx, f, stepExact, ExactInput{f.header(p.Name), p.Ref, levels})
	if err != nil {
		return fmt.Errorf("exact worst cases of %s: %w", p.Name, err)
	}
	p.Exact = *out
	return nil
}

// certifyJob runs [exact.Certify] at one level.
func certifyJob(ctx context.Context, w *work) ([]byte, error) {
	var in CertifyInput
	g, err := w.input(ctx, &in, &in.Header)
	if err != nil {
		return nil, err
	}
	by, err := g.decider()
	if err != nil {
		return nil, err
	}
	stop, err := stopping.New(g.p, g.stop)
	if err != nil {
		return nil, err
	}
	b, err := exact.Certify(ctx, g.p, judge.ExactSet(g.p, g.finite, in.Level), exact.Options{Loss: g.loss, Iterations: in.Iterations, Decider: by, Stopper: stop})
	if err != nil {
		return nil, err
	}
	return json.Marshal(Bracket{Level: in.Level, Lo: b.Lo, Hi: b.Hi})
}

// exactJob computes a policy's exact worst case over the same instances at each
// level.
func exactJob(ctx context.Context, w *work) ([]byte, error) {
	var in ExactInput
	g, err := w.input(ctx, &in, &in.Header)
	if err != nil {
		return nil, err
	}
	policy, err := w.policy(ctx, g, in.Policy)
	if err != nil {
		return nil, err
	}
	all, err := exact.New(g.p)
	if err != nil {
		return nil, err
	}
	flow := all.Played(policy).Flow(policy)
	out := make([]float64, len(in.Levels))
	for k, r := range in.Levels {
		out[k], _ = flow.Worst(g.loss, judge.ExactSet(g.p, g.finite, r))
	}
	return json.Marshal(out)
}
