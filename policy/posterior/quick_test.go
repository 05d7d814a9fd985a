package posterior_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mapo/game"
	"mapo/policy/posterior"
	"mapo/spec"
)

// tables are problems whose shares are real, as far as there are files, and one of every kind besides.
func tables(t *testing.T, r *rand.Rand) map[string]*game.Problem {
	list := map[string]*game.Problem{"random": shared(40, 150, r), "small": shared(5, 3, r), "exact": exactTable()}
	again, tenth := shared(12, 30, r), 0.1
	again.AskOnce, again.T = false, 60
	list["again"] = again
	list["exact, unknown"] = exactUnknown(15, 300, r)
	other := exactUnknown(15, 300, r)
	list["exact, other"] = withOther(other)
	known := shared(20, 60, r)
	known.Seek.(*game.Shares).Wrong = &tenth
	list["known noise"] = known
	for name, path := range map[string]string{
		"animals": "../../examples/animals.csv",
		"leuven":  filepath.Join(os.Getenv("MAPO_DATA"), "leuven_animal_pyes.csv.gz"),
	} {
		if _, err := os.Stat(path); err != nil {
			continue // real data are not part of the project
		}
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "spec.yaml")
		if err := os.WriteFile(file, []byte("problem:\n  table: "+path+"\nbudget: 20\nask-once: true\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Load(file, spec.Override{Truth: spec.Rows})
		if err != nil {
			t.Fatal(err)
		}
		list[name] = s.Problem
	}
	animals := *list["animals"]
	list["other"] = withOther(&animals)
	return list
}

// exactUnknown is a table of zeros and ones with no wrong answers, and some cells that are not known.
func exactUnknown(d, n int, r *rand.Rand) *game.Problem {
	p, never := shared(d, n, r), 0.
	p.Seek.(*game.Shares).Wrong, p.Seek.(*game.Shares).Unknown = &never, make([]bool, n*d)
	for at := range p.Seek.(*game.Shares).Yes {
		p.Seek.(*game.Shares).Yes[at] = float64(r.IntN(2))
		if r.IntN(10) == 0 {
			p.Seek.(*game.Shares).Yes[at], p.Seek.(*game.Shares).Unknown[at] = 0.45, true
		}
	}
	return p.Grade()
}

// withOther adds "none of these" to p.
func withOther(p *game.Problem) *game.Problem {
	with := game.Shares{Yes: slices.Clone(p.Seek.(*game.Shares).Yes), Other: true}
	for range p.X {
		with.Yes = append(with.Yes, .5)
	}
	if with.Wrong = p.Seek.(*game.Shares).Wrong; p.Seek.(*game.Shares).Unknown != nil {
		with.Unknown = append(slices.Clone(p.Seek.(*game.Shares).Unknown), make([]bool, len(p.X))...)
	}
	for _, w := range p.Seek.(*game.Shares).Weight {
		with.Weight = append(with.Weight, .8*w)
	}
	with.Weight, p.Seek = append(with.Weight, .2), &with
	p.Names, p.Z = append(slices.Clone(p.Names), "none of these"), nil
	return p.Grade()
}

// midGame are states of games about a drawn row in which a share of the answers is wrong, some half and some rows ruled out.
func midGame(p *game.Problem, states int, wrong float64, r *rand.Rand) game.States {
	d, n := p.Queries(), p.Hypotheses()
	s := game.States{N: make([]float32, states*d), S: make([]float32, states*d), Mask: make([]bool, states*d), Out: make([]bool, states*n)}
	for b := range states {
		one, row := s.Row(b, d), r.IntN(n)
		for range r.IntN(min(p.T, d)) {
			i := r.IntN(d)
			if p.AskOnce && one.N[i] > 0 {
				continue
			}
			answer := float32(1)
			if (r.Float64() < p.Seek.(*game.Shares).Yes[row*d+i]) == (r.Float64() < wrong) {
				answer = -1
			}
			if p.AskOnce && b%3 == 0 && r.IntN(4) == 0 {
				answer /= 2
			}
			one.N[i]++
			one.S[i] += answer
			one.Mask[i] = p.AskOnce
		}
		for k := 0; b%4 == 1 && k < 3; k++ {
			one.Out[r.IntN(n)] = true
		}
	}
	return s
}

// TestQuickGainAgrees: quick gains are those of the reference, in games of every kind.
func TestQuickGainAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for name, p := range tables(t, r) {
		rows, d := posterior.NewRows(p), p.Queries()
		got, want := make([]float64, d), make([]float64, d)
		far, contradicted := 0., 0
		var b posterior.Belief
		for _, wrong := range []float64{0, 0.1, 0.5} {
			const states = 90
			s := midGame(p, states, wrong, r)
			for k := range states {
				state := s.Row(k, d)
				rows.Believe(&b, state.N, state.S, state.Out)
				if b.Contradicted {
					contradicted++
				}
				b.Gain(want)
				b.QuickGain(got, state.Mask)
				for i, v := range got {
					if state.Mask[i] {
						want[i] = 0
					}
					far = max(far, math.Abs(v-want[i]))
				}
			}
		}
		t.Logf("%s: %.1e nats", name, far)
		if far > 1e-6 || math.IsNaN(far) {
			t.Errorf("%s: a gain is %v nats from the reference, want at most 1e-6", name, far)
		}
		if may := name == "exact" || name == "exact, unknown"; may != (contradicted > 0) {
			t.Errorf("%s: %d states contradict the table", name, contradicted)
		}
	}
}
