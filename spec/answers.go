package spec

import (
	"fmt"
	"slices"

	"mapo/difficulty"
	"mapo/game"
	"mapo/policy/decision"
)

// mostNoise is the largest standard deviation and bound of answers, far beyond any use.
const mostNoise = 1e9

// answersAre reads answers:. Without it they are ±1.
func (l *loader) answersAre() error {
	raw, p := l.raw.Answers, l.spec.Problem
	switch {
	case raw == nil:
		return l.decides()
	case raw.Gaussian == nil:
		return l.src.at("answers", "answers have no distribution: write answers: {gaussian: 1, bound: 1}")
	case raw.Bound == nil:
		return l.src.at("answers", "Gaussian answers need a bound on their means, as nothing is learned in a few answers where means may be any: write answers: {gaussian: %g, bound: 1}", *raw.Gaussian)
	case !(*raw.Gaussian > 0 && *raw.Gaussian <= mostNoise):
		return l.src.at("answers.gaussian", "gaussian is %g; the standard deviation of answers must be above 0 and at most %g", *raw.Gaussian, float64(mostNoise))
	case !(*raw.Bound > 0 && *raw.Bound <= mostNoise):
		return l.src.at("answers.bound", "bound is %g; it must be above 0 and at most %g", *raw.Bound, float64(mostNoise))
	case l.spec.Table != nil:
		return l.src.at("answers", "Gaussian answers are for hypotheses of 0 and 1: write truth: majority, or remove answers")
	case p.AskOnce:
		return l.src.at("answers", "Gaussian answers differ when they are asked for again: write ask-once: false")
	}
	p.Reply = game.Answers{Sigma: *raw.Gaussian, Bound: *raw.Bound}
	l.spec.noise = fmt.Sprintf("answers: {gaussian: %v, bound: %v}\n", *raw.Gaussian, *raw.Bound)
	p.Known = nil // rows say how often yes is answered
	if l.spec.kind.measured != nil {
		l.spec.kind.measured(p)
	}
	return l.decides()
}

// decides refuses a decision that the problem does not suit.
func (l *loader) decides() error {
	if l.spec.Decision == "" {
		return nil
	}
	if err := decision.Check(l.spec.Problem, l.spec.Decision); err != nil {
		return l.src.at("decision", "%v", err)
	}
	return nil
}

// difficulty reads what the levels are by.
func (l *loader) difficulty() error {
	name := l.spec.kind.difficulty
	if l.raw.Difficulty != "" || l.has("difficulty") {
		name = l.raw.Difficulty
	}
	if known := difficulty.Names(); name != "" && !slices.Contains(known, name) {
		return l.src.at("difficulty", "%s", Unknown("difficulty", name, known))
	}
	measure, err := difficulty.Named(l.spec.Problem, name)
	if err != nil {
		return l.src.at("difficulty", "%v", err)
	}
	if measure.Name != difficulty.RhoTilde {
		l.spec.Problem.Difficulty = measure.Name
	}
	return nil
}
