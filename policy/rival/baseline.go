// Package rival holds the rivals that need no training, each a pure function
// of the state: [Uniform], [Uncertainty] (App. G), [SGBS] (Nowak 2011),
// [Information] (Lindley 1956) and [Randomized] information gain. They may be used concurrently and do not allocate
// after warm-up.
package rival

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mapo/game"
	"mapo/policy/posterior"
)

// Untrained is what plays a table that nothing was trained for: randomised information gain over its rows.
const Untrained = "information:0.03"

// Known says which names [Parse] takes, for messages.
const Known = "uniform, uncertainty, information, information:τ and sgbs:β with β in (0, 0.5), each also with +posterior or +least-squares"

// ErrUnknown is [Parse]'s where a name is none of a policy's.
var ErrUnknown = errors.New("unknown policy")

// IsName reports whether name begins as one of a policy's does.
func IsName(name string) bool {
	ask, _, _ := strings.Cut(name, "+")
	kind, _, _ := strings.Cut(ask, ":")
	return slices.Contains([]string{"uniform", "uncertainty", "information", "sgbs"}, kind)
}

// Parse returns the policy that a spec or a command line names: how it asks (uniform, uncertainty, sgbs:0.1,
// information, information:0.03) and, after a plus sign, how it recommends: posterior or least-squares. Without it
// information:τ recommends by the posterior, the others by least squares. information:τ and +posterior need a
// problem with [game.Shares]. The policy prints itself by its canonical name (fmt.Stringer): "sgbs:.10" is sgbs:0.1.
// Errors are one line with a remedy, ErrUnknown among them.
func Parse(p *game.Problem, name string) (game.Policy, error) {
	ask, decision, decides := strings.Cut(name, "+")
	kind, rest, has := strings.Cut(ask, ":")
	policy, err := game.Policy(nil), error(nil)
	switch {
	case ask == "uniform":
		policy = Uniform(p)
	case ask == "uncertainty":
		policy = Uncertainty(p)
	case kind == "information":
		policy, err = parseInformation(p, name, rest, has)
	case kind == "sgbs":
		policy, err = parseSGBS(p, name, rest, has)
	default:
		err = fmt.Errorf("%w %q; known are %s", ErrUnknown, name, Known)
	}
	if err != nil || !decides {
		return policy, err
	}
	return deciding(p, name, policy, decision)
}

func parseInformation(p *game.Problem, name, tau string, has bool) (game.Policy, error) {
	if !has {
		if posterior.Instances(p) == 0 {
			return nil, fmt.Errorf("policy %q needs instances that the problem knows, such as the rows of a table", name)
		}
		return Information(p), nil
	}
	v, err := strconv.ParseFloat(tau, 64)
	switch {
	case err != nil || !(v > 0 && v <= mostTau):
		return nil, fmt.Errorf("policy %q: τ must be a number above 0 and at most %d, such as information:0.03", name, mostTau)
	case p.Shares == nil:
		return nil, needsRows(name)
	}
	return Randomized(p, v), nil
}

// mostTau is far above where information:τ is uniform.
const mostTau = 1000

func parseSGBS(p *game.Problem, name, beta string, has bool) (game.Policy, error) {
	if !has {
		return nil, fmt.Errorf("policy %q needs its β, such as sgbs:0.1", name)
	}
	v, err := strconv.ParseFloat(beta, 64)
	if err != nil || !(v > 0 && v < 0.5) {
		return nil, fmt.Errorf("policy %q: β must be a number in (0, 0.5), such as sgbs:0.1", name)
	}
	return SGBS(p, v), nil
}

// needsRows refuses a policy that reads the rows of a table.
func needsRows(name string) error {
	return fmt.Errorf("policy %q reads the shares of a table's rows and this problem has only majorities; judge it with mapo eval --prior table, or play it", name)
}

// deciding returns policy with a decision rule of its own.
func deciding(p *game.Problem, name string, policy game.Policy, decision string) (game.Policy, error) {
	_, own := policy.(game.Decider)
	switch decision {
	case "posterior":
		switch {
		case p.Shares == nil:
			return nil, needsRows(name)
		case own:
			return policy, nil
		}
		return decided{policy, posterior.NewRows(p), fmt.Sprint(policy, "+", decision)}, nil
	case "least-squares":
		if !own {
			return policy, nil
		}
		return decided{policy, game.LeastSquares(p), fmt.Sprint(policy, "+", decision)}, nil
	}
	return nil, fmt.Errorf("policy %q: unknown decision %q; known are posterior and least-squares", name, decision)
}

// decided asks by one policy and recommends by another rule than its own.
type decided struct {
	game.Policy
	game.Decider
	name string
}

// String is the name in specs and results.
func (d decided) String() string { return d.name }

// Uniform asks each query that may be asked with the same probability.
func Uniform(p *game.Problem) game.Policy { return uniform{p.Queries()} }

// uniform needs to know only d.
type uniform struct{ d int }

func (uniform) String() string { return "uniform" }

// Probs writes 1/|allowed| to each allowed query.
func (u uniform) Probs(dst []float32, s game.States) {
	rows(dst, s, u.d, func(row []float32, _, _ []float32, mask []bool) {
		game.UniformOver(row, nil, mask)
	})
}

// rows calls each for every state of s with its row of dst; mask is nil where s
// has none.
func rows(dst []float32, s game.States, d int, each func(row, n, sum []float32, mask []bool)) {
	states := s.Len(d)
	if len(dst) != states*d {
		panic(fmt.Sprintf("rival: probabilities for %d entries, want %d", len(dst), states*d))
	}
	for b := range states {
		lo, hi := b*d, (b+1)*d
		var mask []bool
		if s.Mask != nil {
			mask = s.Mask[lo:hi]
		}
		each(dst[lo:hi], s.N[lo:hi], s.S[lo:hi], mask)
	}
}
