package flow

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"mapo"
	"mapo/exact"
)

// gridValues are the coordinates of the instances that stand for Θ^(r) where a
// spec gives none; the design's reference values are on this grid.
var gridValues = []float64{-1, -.75, -.5, -.25, .25, .5, .75, 1}

const (
	mostGrid = 1 << 20 // points a grid may have before its hard ones are dropped

	// What a run certifies by itself: some seconds of work.
	mostGridInRun = 1 << 17
	mostStates    = 20_000
	mostCells     = 1 << 22 // final states × instances of a level
)

// certifyWork is how many cells a run's certificates visit, all levels together,
// at each scale: about a nanosecond each.
var certifyWork = map[string]float64{"smoke": 3e8, "desk": 3e9, "paper": 3e10}

// ExactSet is the instances of difficulty at most r that an exact judge looks at:
// the plan's finite Θ, or the grid {±1, ±.75, ±.5, ±.25}^d. ExactName says which.
func (p *Plan) ExactSet(r float64) ([][]float64, error) {
	if n := math.Pow(float64(len(gridValues)), float64(p.Problem.Queries())); p.Finite == nil && n > mostGrid {
		return nil, fmt.Errorf("%d queries make a grid of %.3g instances, more than %d: give some by instances: FILE in the spec", p.Problem.Queries(), n, mostGrid)
	}
	set := exactSet(p.Problem, p.Finite, r)
	if len(set) == 0 {
		return nil, fmt.Errorf("none of %s has difficulty at most %g: raise the level", p.ExactName(), r)
	}
	return set, nil
}

// ExactName says what ExactSet takes its instances from.
func (p *Plan) ExactName() string {
	if p.Finite != nil {
		return fmt.Sprintf("the %d given instances", len(p.Finite))
	}
	return "the grid {±1, ±.75, ±.5, ±.25}^d"
}

func exactSet(p *mapo.Problem, finite [][]float64, r float64) (set [][]float64) {
	c := mapo.RhoTilde(p)
	if finite == nil {
		return exact.Grid(p, c, gridValues, r)
	}
	omega := mapo.Omega{C: c, R: r}
	for _, theta := range finite {
		if omega.Contains(theta) {
			set = append(set, theta)
		}
	}
	return set
}

// Bracket is a certificate at a level: no policy has a worst case below Lo over
// Instances instances, and some policy has one of at most Hi.
type Bracket struct {
	Level     float64
	Instances int
	Lo, Hi    float64

	took Took
}

// Certificate is what an exact judge says of a run on a tiny problem.
type Certificate struct {
	Why      string    // where there is none: the reason
	Over     string    // what the instances are taken from
	Brackets []Bracket // by level, those left out that no instance is easy enough for
}

// CertifyInput is what a bracket depends on.
type CertifyInput struct {
	Header
	Level      float64
	Iterations int
}

// ExactInput is what a policy's exact worst cases depend on.
type ExactInput struct {
	Header
	Policy Ref
	Levels []float64
}

// certifiable says why a run does not certify, "" where it does.
func (p *Plan) certifiable() string {
	states, n := exact.Count(p.Problem), float64(len(p.Finite))
	if p.Finite == nil {
		n = math.Pow(float64(len(gridValues)), float64(p.Problem.Queries()))
	}
	const large = "The least worst case that any policy can have is not known: this problem is too large for a certificate, with %.3g %s."
	switch {
	case states > mostStates:
		return fmt.Sprintf(large, states, "states of a game")
	case p.Finite == nil && n > mostGridInRun:
		return fmt.Sprintf(large, n, "instances on the grid")
	}
	if p.Finite == nil {
		n = float64(len(exactSet(p.Problem, nil, p.Levels[len(p.Levels)-1])))
	}
	if cells := states * n; cells > mostCells {
		return fmt.Sprintf(large, cells, "states × instances")
	}
	return ""
}

// certify brackets the minimax value at every level, and works out every
// policy's worst case over the same instances, without sampling.
func (f *Flow) certify(ctx context.Context, res *Result) error {
	c := &res.Certificate
	if c.Why = f.certifiable(); c.Why != "" {
		return nil
	}
	c.Over = f.ExactName()
	var levels []float64
	for _, r := range f.Levels {
		if n := len(exactSet(f.Problem, f.Finite, r)); n > 0 {
			levels = append(levels, r)
			c.Brackets = append(c.Brackets, Bracket{Level: r, Instances: n})
		}
	}
	return f.each(ctx, len(levels)+len(res.Policies), func(ctx context.Context, i int) error {
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
	b.Lo, b.Hi, b.took = out.Lo, out.Hi, took
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

// certifyJob is exact.Certify at one level.
func certifyJob(ctx context.Context, j *Job) ([]byte, error) {
	var in CertifyInput
	g, err := j.input(ctx, &in, &in.Header)
	if err != nil {
		return nil, err
	}
	b, err := exact.Certify(ctx, g.p, exactSet(g.p, g.finite, in.Level), exact.Options{Loss: g.loss, Iterations: in.Iterations})
	if err != nil {
		return nil, err
	}
	return json.Marshal(Bracket{Level: in.Level, Lo: b.Lo, Hi: b.Hi})
}

// exactJob is a policy's worst case over the same instances, by level.
func exactJob(ctx context.Context, j *Job) ([]byte, error) {
	var in ExactInput
	g, err := j.input(ctx, &in, &in.Header)
	if err != nil {
		return nil, err
	}
	policy, err := j.policy(ctx, g.p, in.Policy)
	if err != nil {
		return nil, err
	}
	all, err := exact.New(g.p)
	if err != nil {
		return nil, err
	}
	flow := all.Flow(policy)
	out := make([]float64, len(in.Levels))
	for k, r := range in.Levels {
		out[k], _ = flow.Worst(g.loss, exactSet(g.p, g.finite, r))
	}
	return json.Marshal(out)
}
