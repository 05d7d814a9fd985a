// Package baseline holds the rivals that need no training, each a pure function
// of the state: [Uniform], [Uncertainty] (App. G), [SGBS] (Nowak 2011) and
// [Information] (Lindley 1956). They may be used concurrently and do not allocate
// after warm-up.
package baseline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mapo"
	"mapo/posterior"
)

// Known says which names [Parse] takes, for messages.
const Known = "uniform, uncertainty, information and sgbs:β with β in (0, 0.5)"

// ErrUnknown is [Parse]'s where a name is none of a policy's.
var ErrUnknown = errors.New("unknown policy")

// Parse is the rival a spec or a command line names: "uniform", "uncertainty",
// "information" or "sgbs:0.1". The policy prints itself by its canonical name (fmt.Stringer):
// "sgbs:.10" is sgbs:0.1. Its errors are one line with a remedy, ErrUnknown among them.
func Parse(p *mapo.Problem, name string) (mapo.Policy, error) {
	kind, rest, has := strings.Cut(name, ":")
	switch {
	case name == "uniform":
		return Uniform(p), nil
	case name == "uncertainty":
		return Uncertainty(p), nil
	case name == "information" && posterior.Instances(p) == 0:
		return nil, errors.New("policy \"information\" needs instances that the problem knows, such as the rows of a table")
	case name == "information":
		return Information(p), nil
	case kind == "sgbs" && !has:
		return nil, fmt.Errorf("policy %q needs its β, such as sgbs:0.1", name)
	case kind == "sgbs":
		beta, err := strconv.ParseFloat(rest, 64)
		if err != nil || !(beta > 0 && beta < 0.5) {
			return nil, fmt.Errorf("policy %q: β must be a number in (0, 0.5), such as sgbs:0.1", name)
		}
		return SGBS(p, beta), nil
	}
	return nil, fmt.Errorf("%w %q; known are %s", ErrUnknown, name, Known)
}

// Uniform asks each query that may be asked with the same probability.
func Uniform(p *mapo.Problem) mapo.Policy { return uniform{p.Queries()} }

// uniform needs to know only d.
type uniform struct{ d int }

func (uniform) String() string { return "uniform" }

// Probs writes 1/|allowed| to each allowed query.
func (u uniform) Probs(dst []float32, s mapo.States) {
	rows(dst, s, u.d, func(row []float32, _, _ []float32, mask []bool) {
		mapo.UniformOver(row, nil, mask)
	})
}

// rows calls each for every state of s with its row of dst; mask is nil where s
// has none.
func rows(dst []float32, s mapo.States, d int, each func(row, n, sum []float32, mask []bool)) {
	states := s.Len(d)
	if len(dst) != states*d {
		panic(fmt.Sprintf("baseline: probabilities for %d entries, want %d", len(dst), states*d))
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
