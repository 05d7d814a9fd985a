package rival_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mapo/game"
	"mapo/game/sim"
	"mapo/policy/rival"
	"mapo/rng"
	"mapo/spec"
)

// recorder asks as a policy does and keeps the states with that many answers.
type recorder struct {
	game.Policy
	after, d int
	kept     *game.States
}

// Probs is [game.Policy]'s.
func (r recorder) Probs(dst []float32, s game.States) {
	for b := range s.Len(r.d) {
		one, answers := s.Row(b, r.d), float32(0)
		for _, n := range one.N {
			answers += n
		}
		if int(answers) == r.after {
			r.kept.N, r.kept.S = append(r.kept.N, one.N...), append(r.kept.S, one.S...)
			r.kept.Mask = append(r.kept.Mask, one.Mask...)
		}
	}
	r.Policy.Probs(dst, s)
}

// played returns states of that many answers from games that policy plays on drawn rows, with one answer in ten flipped.
func played(tb testing.TB, p *game.Problem, policy game.Policy, after, states int) game.States {
	tb.Helper()
	var kept game.States
	play := sim.Play{P: p, Policy: recorder{policy, after, p.Queries(), &kept}, Workers: 1}
	if _, err := play.Average(tb.Context(), game.DrawShares(p, 0.1), states, rng.New(1), game.BestIdentification); err != nil {
		tb.Fatal(err)
	}
	for d := p.Queries(); kept.Len(d) < states; { // all games of a batch begin in one state
		kept.N, kept.S, kept.Mask = append(kept.N, kept.N[:d]...), append(kept.S, kept.S[:d]...), append(kept.Mask, kept.Mask[:d]...)
	}
	return kept.Slice(0, states, p.Queries())
}

// tableProblem returns a table's rows as a problem of 20 questions, none of them twice; nil where there is no such file. The real
// tables of MAPO_DATA are not part of the project.
func tableProblem(tb testing.TB, name, selects string) *game.Problem {
	tb.Helper()
	path, err := filepath.Abs(name)
	if _, missing := os.Stat(path); err != nil || missing != nil {
		path = filepath.Join(os.Getenv("MAPO_DATA"), name)
	}
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	file := filepath.Join(tb.TempDir(), "spec.yaml")
	if err := os.WriteFile(file, []byte("problem:\n  table: "+path+selects+"\nbudget: 20\nask-once: true\n"), 0o600); err != nil {
		tb.Fatal(err)
	}
	s, err := spec.Load(file, spec.Override{Truth: spec.Rows})
	if err != nil {
		tb.Fatal(err)
	}
	return s.Problem
}

const balanced = "\n  select: {queries: 100, design: balanced, seed: 1}"

// BenchmarkTables is a state's cost, many at once and alone.
func BenchmarkTables(b *testing.B) {
	for _, file := range []struct{ name, selects string }{
		{"../../examples/animals.csv", ""}, {"cub_pyes.csv.gz", balanced},
	} {
		p := tableProblem(b, file.name, file.selects)
		if p == nil {
			continue
		}
		d := p.Queries()
		for _, name := range []string{"information:0.03", "information", "gain:1", "instant:0.7", "uncertainty"} {
			policy, err := rival.Parse(p, game.BestIdentification, name)
			if err != nil {
				b.Fatal(err)
			}
			for _, after := range []int{0, 5, 10, 15} {
				const states = 256
				s := played(b, p, policy, after, states)
				s.Left = make([]float32, states)
				for k := range s.Left {
					s.Left[k] = float32(p.T - after)
				}
				for _, batch := range []int{states, 1} {
					dst := make([]float32, batch*d)
					b.Run(fmt.Sprintf("%dx%d/%s/after=%d/batch=%d", p.Hypotheses(), d, name, after, batch), func(b *testing.B) {
						k := 0
						for b.Loop() {
							policy.Probs(dst, s.Slice(k, k+batch, d))
							k = (k + batch) % states
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch), "ns/state")
					})
				}
			}
		}
	}
}
