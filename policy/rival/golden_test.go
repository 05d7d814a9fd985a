package rival

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/rng"
)

// TestPlaythroughs pins whole games, one text file per problem and rival, so
// that a change of what a rival asks is seen and read before it is accepted.
func TestPlaythroughs(t *testing.T) {
	once := random(6, 9, 6, rand.New(rand.NewPCG(1, 2)))
	once.AskOnce = true
	theta := map[string][]float64{
		"thresholds": {1, 0.8, 0.1, -0.1, -0.8, -1},
		"random":     {0.9, -0.5, 0.3, -0.9, 0, 0.6},
		"arms":       {0.4, -0.1, 0.6, -0.8},
	}
	arms := check.BestArm(4, 14)
	arms.Name = "arms"
	for _, c := range []struct {
		p        *game.Problem
		policies []game.Policy
	}{
		{thresholds(6, 8), []game.Policy{Uncertainty(thresholds(6, 8)), SGBS(thresholds(6, 8), 0.1)}},
		{once, []game.Policy{Uncertainty(once), SGBS(once, 0.1)}},
		{arms, []game.Policy{RoundRobin(arms), UGapEb(arms, 2), UCBE(arms, 2), EBTC(arms, 0.5)}},
	} {
		p := c.p
		for _, policy := range c.policies {
			name, _, _ := strings.Cut(fmt.Sprint(policy), ":")
			t.Run(p.Name+"-"+name, func(t *testing.T) {
				text := playthrough(p, policy, theta[p.Name])
				check.Golden(t, filepath.Join("testdata", p.Name+"-"+name+".txt"), []byte(text))
			})
		}
	}
}

// playthrough plays one game of sim's and prints every state on the way, with
// the distribution asked for, the query drawn and the answer.
func playthrough(p *game.Problem, policy game.Policy, theta []float64) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%v on %s, θ = %v\n", policy, p.Name, theta)
	for k, name := range p.Names {
		fmt.Fprintf(&out, "%-12s %v\n", name, p.Row(k))
	}
	var asks []string
	var states [][]float32
	b := sim.Block{P: p, L: 1, Theta: theta}
	for b.Begin(rng.New(7), 0); b.Ask(); b.Answer() {
		policy.Probs(b.Probs, b.States)
		asks = append(asks, fmt.Sprintf("N %v S %v ask %.3f", b.States.N, b.States.S, b.Probs))
		states = append(states, append([]float32(nil), b.States.S...))
	}
	states = append(states, b.S)
	for t, ask := range asks {
		i := b.Asked[t]
		answer := "no"
		if states[t+1][i] > states[t][i] {
			answer = "yes"
		}
		fmt.Fprintf(&out, "%d: %s → %d %s\n", t+1, ask, i+1, answer)
	}
	fmt.Fprintf(&out, "N %v S %v\nrecommends", b.N, b.S)
	for k, share := range b.Decision(0) {
		if share == 0 {
			continue
		}
		fmt.Fprintf(&out, " %q", p.Names[k])
	}
	return out.String() + "\n"
}
