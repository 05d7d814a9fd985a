package policies

import (
	"mapo/judge"
	"mapo/policy/nn"
	"mapo/serve/wire"
)

// gives returns what a reader should know first of what the contract states: see [judge.Headline]. Policies without
// training have averages at most.
func (p *Policy) gives() []judge.Given {
	all, err := judge.GivenOf(p.Contract)
	if err != nil { // Open has read the loss
		return nil
	}
	return judge.Headline(all)
}

// givenOf returns these for the API.
func givenOf(all []judge.Given) []wire.Gives {
	out := []wire.Gives{}
	for _, g := range all {
		out = append(out, wire.Gives{
			Answers: g.Answers(), Prior: g.Prior, R: g.Level, Covers: g.Covers, Loss: g.Mean, Lo: g.Lo, Hi: g.Hi,
			Questions: nn.QuestionsOf(g.Estimate), Amount: g.Amount(), Text: g.Words(),
		})
	}
	return out
}

// Promise returns what the contract states first of the policy, in sentences without their full stops. Averages come first, where the
// file has them, then the accuracy, or the regret, on the worst instances that its judge found.
func (p *Policy) Promise() []string { return sentences(p.gives()) }

func sentences(all []judge.Given) (lines []string) {
	for _, g := range all {
		lines = append(lines, g.Words())
	}
	return lines
}

// Recalled returns what of its promise is said at the end of a game: the first average, where there is one, and the last worst case.
func (p *Policy) Recalled() []string {
	all := p.gives()
	if n := len(all); n > 1 && all[0].Level == 0 {
		return sentences([]judge.Given{all[0], all[n-1]})
	} else if n > 0 {
		return sentences(all[n-1:])
	}
	return nil
}

// Stated returns what the contract says of the policy's accuracy: its promise, and that a policy without training has no worst case.
func (p *Policy) Stated() []string {
	promise := p.Promise()
	if len(promise) > 0 && !p.Untrained {
		return promise
	}
	return append(promise, p.Contract.Notes...)
}
