package rival

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mapo/game"
	"mapo/policy/decision"
	"mapo/policy/posterior"
)

// Untrained is what plays a table that nothing was trained for: randomised information gain over its rows.
const Untrained = "information:0.03"

// Unnamed returns the name of the policy that plays p where none is named: of a pool of classifiers, of vectors, or of a table of
// rows. It is "" where one has to be named.
func Unnamed(p *game.Problem) string { return familyOf(p).unnamed }

// Offered returns the names of the policies that serve any table of rows without training: the one that is best on average, and
// one that gives up some of it for the worst case.
func Offered() []string { return []string{Untrained, numbered("instant", instantWeight)} }

// Known says which names [Parse] takes, for messages.
const Known = "uniform, round-robin, uncertainty, information, information:τ, gain:k, instant:0, instant:0.7, sgbs:β with β in (0, 0.5), of arms successive-rejects, sequential-halving, top-two, ugapeb:2, ucb-e:2 and eb-tc:0.5, of vectors xy-static, lin-gap-e:c, linear-top-two and linear-top-two:0.5, and of classifiers disagreement and model-selector:0.46, each also with +posterior or +least-squares, and of classifiers +votes"

// ErrUnknown is [Parse]'s where a name is none of a policy's.
var ErrUnknown = errors.New("unknown policy")

// kinds are the ways to ask, by the first word of a name.
var kinds = map[string]kind{
	"uniform":     plain("uniform", decision.LeastSquares, Uniform),
	"round-robin": parseRoundRobin,
	"uncertainty": plain("uncertainty", decision.LeastSquares, Uncertainty),
	"information": parseInformation,
	"gain":        parseGain,
	"instant":     parseInstant,
	"sgbs":        parseSGBS,

	"successive-rejects": ofArms(plain("successive-rejects", "", SuccessiveRejects)),
	"sequential-halving": ofArms(plain("sequential-halving", "", SequentialHalving)),
	"top-two":            ofArms(plain("top-two", decision.LeastSquares, TopTwo)),
	"ugapeb":             parsePulls("ugapeb", "c", 2, UGapEb),
	"ucb-e":              parsePulls("ucb-e", "a", 2, UCBE),
	"eb-tc":              parsePulls("eb-tc", "ε", 0.5, EBTC),

	"disagreement":   parseDisagreement,
	"model-selector": parseModelSelector,

	"xy-static":      ofVectors(parseXYStatic),
	"lin-gap-e":      ofVectors(parseLinGapE),
	"linear-top-two": ofVectors(parseLinearTopTwo),
}

// former begins the names of policies that earlier versions had: adaptive, adaptive:0.5.
const former = "adaptive"

// kind makes a recipe of a name: of what follows the colon, and of whether anything does.
type kind = func(p *game.Problem, name, rest string, has bool) (recipe, error)

// recipe is a policy that is not made yet: a large table takes long.
type recipe struct {
	name     string                      // that the policy prints
	decision string                      // its own, "" where no name stands for it
	make     func() (game.Policy, error) // makes it
}

// anyAnswers are the kinds that read means alone, or know Gaussian answers.
var anyAnswers = []string{"uniform", "round-robin", "uncertainty", "successive-rejects", "sequential-halving", "top-two", "ugapeb", "ucb-e", "eb-tc"}

// plain returns a kind that takes no number.
func plain(canonical, own string, of func(p *game.Problem) game.Policy) kind {
	return func(p *game.Problem, name, _ string, has bool) (recipe, error) {
		if has {
			return recipe{}, numberless(name, canonical)
		}
		return recipe{canonical, own, func() (game.Policy, error) { return of(p), nil }}, nil
	}
}

// IsName reports whether name begins as one of a policy's does.
func IsName(name string) bool {
	ask, _, _ := strings.Cut(name, "+")
	kind, _, _ := strings.Cut(ask, ":")
	return kinds[kind] != nil || kind == former
}

// Parse returns the policy that a spec or a command line names: how it asks (uniform, uncertainty, sgbs:0.1, information,
// information:0.03, gain:1, instant:0.7) and, after a plus sign, how it recommends, by a name of package [decision]. Without
// one, information:τ recommends by the posterior, model-selector:ε the model of the most agreements, what eliminates arms the better
// of the last two, and the others by least squares. So it is one policy for every command that names the problem's own loss. loss is what the posterior's
// recommendation keeps least. information:τ needs a problem with [game.Shares]. The policy prints itself by its canonical name
// (fmt.Stringer): "sgbs:0.10" is sgbs:0.1. Errors are one line with a remedy, [ErrUnknown] among them.
//
// A name says how a policy asks, and after a plus sign how it recommends, such as
// uniform+posterior:
//
//   - uniform: every query alike; of a pool an item at random
//   - uncertainty: as in the paper; of rows and classifiers query i with p ∝ |z_i − z′_i| of the
//     nearest hypothesis and the runner-up
//   - sgbs:β: as in the paper, by majorities, of rows too
//   - information: the query of the largest information gain about the table's rows, with shares
//     clipped to [0.02, 0.98]
//   - information:τ: of rows, query i with p ∝ exp((gain_i / largest gain − 1) / τ); all alike
//     where the largest gain is below 1e-9
//   - gain:k: query i with p ∝ gain_iᵏ, the gain at an error rate of 0.05; k above 0
//   - round-robin: the queries with the fewest answers, each alike; not of pools
//   - successive-rejects, sequential-halving, top-two, ugapeb:c, ucb-e:a, eb-tc:ε: of arms
//   - xy-static: of vectors, by the static design
//   - lin-gap-e:c: of vectors, by what tells the leader best from the hypothesis that may be ahead
//     by most; c is 1 where omitted
//   - linear-top-two:s: the same with a challenger drawn by its probability to be ahead, the
//     variance multiplied by s; 1 where omitted
//   - disagreement: of classifiers, an item on which their votes are divided most, by entropy
//   - model-selector:ε: of classifiers, the item that leaves p(model) ∝ ((1−ε)/ε)^agreements the
//     least expected entropy
//   - instant:0, instant:0.7: by nine weights that come with the program, for the worst case alone
//     or a trade-off weight of 0.7
//   - transfer:FILE: by the weights of a structured or gated policy file of another problem; on
//     command lines alone
//   - cmd:PROGRAM: a program of yours, asked over lines of JSON; on command lines alone
//
// Without rows gain:k and instant:w take 2z − 1 for them.
func Parse(p *game.Problem, loss game.Loss, name string) (game.Policy, error) {
	r, rule, err := read(p, loss, name)
	if err != nil {
		return nil, err
	}
	if rule == r.decision && (rule != decision.Posterior || loss == game.BestIdentification) {
		return r.make() // as the policy does by itself
	}
	decider, err := decision.New(p, loss, rule)
	if err != nil {
		return nil, fmt.Errorf("policy %q: %w", name, err)
	}
	policy, err := r.make()
	if err != nil {
		return nil, err
	}
	return decided{policy, decider, r.with(rule)}, nil
}

// Name returns the canonical name of a policy that [Parse] would return, or its error. It makes no policy: that takes seconds for a
// large table.
func Name(p *game.Problem, loss game.Loss, name string) (string, error) {
	r, rule, err := read(p, loss, name)
	if err != nil {
		return "", err
	}
	return r.with(rule), nil
}

// read returns what a name says: how to ask, and the decision.
func read(p *game.Problem, loss game.Loss, name string) (r recipe, rule string, err error) {
	ask, rule, decides := strings.Cut(name, "+")
	kind, rest, has := strings.Cut(ask, ":")
	parse := kinds[kind]
	switch {
	case kind == former:
		return r, "", fmt.Errorf("policy %q is no longer part of mapo; use instant:0.7", name)
	case parse == nil:
		return r, "", unknown(name)
	}
	if f := familyOf(p); f.only != nil && !slices.Contains(f.only, kind) {
		return r, "", fmt.Errorf("policy %q %s %s", name, f.what, strings.Join(f.only, ", "))
	}
	if r, err = parse(p, name, rest, has); err != nil {
		return r, "", err
	}
	if !decides {
		return r, r.decision, nil
	}
	if err := decision.Check(p, rule); err != nil {
		return r, "", fmt.Errorf("policy %q: %w", name, err)
	}
	return r, rule, nil
}

// with returns the name with a decision, unless that is the policy's own.
func (r recipe) with(rule string) string {
	if rule == r.decision {
		return r.name
	}
	return r.name + "+" + rule
}

// number reads a policy's number, which must be above 0 and at most most.
func number(name, rest, what string, most float64, example string) (float64, error) {
	v, err := strconv.ParseFloat(rest, 64)
	if err != nil || !(v > 0 && v <= most) {
		return 0, fmt.Errorf("policy %q: %s must be a number above 0 and at most %g, such as %s", name, what, most, example)
	}
	return v, nil
}

// mostTau and mostPower are far above where information:τ is uniform, and where gain:k asks for the largest gain alone.
const (
	mostTau   = 1000
	mostPower = 1000
)

func parseInformation(p *game.Problem, name, tau string, has bool) (recipe, error) {
	if !has {
		if posterior.Instances(p) == 0 {
			return recipe{}, fmt.Errorf("policy %q needs instances that the problem knows, such as the rows of a table", name)
		}
		return recipe{"information", decision.LeastSquares, func() (game.Policy, error) { return Information(p), nil }}, nil
	}
	v, err := number(name, tau, "τ", mostTau, "information:0.03")
	switch {
	case err != nil:
		return recipe{}, err
	}
	if err := familyOf(p).rows; err != nil {
		return recipe{}, fmt.Errorf("policy %q %w", name, err)
	}
	return recipe{numbered("information", v), decision.Posterior, func() (game.Policy, error) { return Randomized(p, v), nil }}, nil
}

func parseGain(p *game.Problem, name, power string, has bool) (recipe, error) {
	if !has {
		return recipe{}, fmt.Errorf("policy %q needs its power, such as gain:1", name)
	}
	k, err := number(name, power, "the power", mostPower, "gain:1")
	if err != nil {
		return recipe{}, err
	}
	return recipe{numbered("gain", k), decision.LeastSquares, func() (game.Policy, error) { return Power(p, k), nil }}, nil
}

func parseSGBS(p *game.Problem, name, beta string, has bool) (recipe, error) {
	if !has {
		return recipe{}, fmt.Errorf("policy %q needs its β, such as sgbs:0.1", name)
	}
	v, err := strconv.ParseFloat(beta, 64)
	if err != nil || !(v > 0 && v < 0.5) {
		return recipe{}, fmt.Errorf("policy %q: β must be a number in (0, 0.5), such as sgbs:0.1", name)
	}
	return recipe{numbered("sgbs", v), decision.LeastSquares, func() (game.Policy, error) { return SGBS(p, v), nil }}, nil
}

// numbered returns the name of a kind with its number.
func numbered(kind string, v float64) string { return fmt.Sprintf("%s:%g", kind, v) }

// decided asks by one policy and recommends by another rule than its own.
type decided struct {
	game.Policy
	game.Decider
	name string
}

// String returns the name in specs and results.
func (d decided) String() string { return d.name }

func (d decided) revision() string { return Revision(d.Policy) }

// Rule says in words how a policy recommends whose rule is its own, and no name of package [decision] stands for it; "" for the others.
func Rule(policy game.Policy) string {
	if r, ok := policy.(interface{ rule() string }); ok {
		return r.rule()
	}
	return ""
}

// Revision says what else than its name a policy's questions depend on: the weights of [Instant], and that [Uncertainty]
// reads shares. It is "" for the others. A session is tied to both.
func Revision(policy game.Policy) string {
	if r, ok := policy.(interface{ revision() string }); ok {
		return r.revision()
	}
	return ""
}
