package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mapo/game"
	"mapo/game/sim"
	"mapo/policy/rival"
	"mapo/rng"
	"mapo/spec"
)

// kindsOfProblems are a spec of each kind, and names of policies besides its rivals.
var kindsOfProblems = map[string]struct {
	spec  string
	names []string
}{
	"rows":          {"problem: {table: t.csv}\ntruth: rows\nbudget: 4\n", []string{"information", "instant:0.7", "uniform+posterior"}},
	"rows, regret":  {"problem: {table: t.csv}\ntruth: rows\nbudget: 4\nloss: simple-regret\n", []string{"information", "uniform+posterior"}},
	"majority":      {"problem: {table: t.csv}\ntruth: majority\nbudget: 4\n", []string{"gain:1", "uniform+posterior"}},
	"thresholds":    {"problem: {thresholds: {d: 5}}\nbudget: 6\n", []string{"gain:1", "sgbs:0.1+posterior"}},
	"their regret":  {"problem: {thresholds: {d: 5}}\nbudget: 6\nloss: simple-regret\n", []string{"gain:1", "sgbs:0.1+posterior"}},
	"arms":          {"problem: {arms: {count: 4}}\nbudget: 9\n", []string{"uncertainty", "sgbs:0.1", "uniform+posterior"}},
	"Gaussian arms": {"problem: {arms: {count: 4}}\nanswers: {gaussian: 1, bound: 2}\nbudget: 9\n", []string{"uncertainty"}},
	"vectors":       {"problem: {vectors: {queries: x.csv}}\nbudget: 6\n", nil},
	"pool": {"problem: {classifiers: many.csv}\nbudget: 6\n",
		[]string{"uncertainty", "disagreement+posterior", "uniform+votes", "model-selector:0.4+least-squares", "model-selector:0.46+posterior", "instant:0.7", "sgbs:0.1"}},
	"pool of two classes": {"problem: {classifiers: two.csv}\nbudget: 6\n", []string{"uncertainty", "uniform+posterior", "gain:1+votes"}},
	"pool, identification": {"problem: {classifiers: many.csv}\nbudget: 6\nloss: best-identification\n",
		[]string{"uncertainty", "uniform+posterior", "model-selector:0.46+posterior"}},
}

// TestOnePolicy: the policy that mapo eval measures asks and recommends as the one of that name that is played and served, and as a
// run's rival, in all states that games come to.
func TestOnePolicy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"t.csv":    "object,q1,q2,q3,q4,q5\na,0.9,0.1,0.7,1,0.2\nb,0.2,0.8,0.6,0,0.4\nc,1,1,0.3,0.2,0.9\nd,0.3,0.4,0.1,0.9,0.7\n",
		"x.csv":    "1,0\n0.6,0.8\n0,1\n-0.5,0.5\n",
		"many.csv": "item,a,b,c,d\n1,x,y,z,x\n2,x,x,y,z\n3,y,x,x,x\n4,z,z,y,y\n5,x,y,z,x\n6,y,y,z,y\n7,x,y,z,x\n8,z,x,z,y\n9,y,z,y,x\n",
		"two.csv":  "item,a,b,c,d\n1,0,1,1,0\n2,1,1,0,0\n3,0,1,1,0\n4,1,0,0,1\n5,1,0,1,1\n6,0,1,1,0\n7,1,1,0,0\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for kind, c := range kindsOfProblems {
		path := filepath.Join(dir, kind+".yaml")
		if err := os.WriteFile(path, []byte(c.spec), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Load(path, spec.Override{Truth: spec.Rows})
		if err != nil {
			t.Fatal(err)
		}
		states, ends := statesOf(s.Problem, rng.New(1).Name(kind))
		for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.Rivals, c.names)))) {
			if name == spec.BayesLAL {
				continue // a run trains it
			}
			t.Run(kind+"/"+name, func(t *testing.T) {
				measured, err := players(s.Problem, s.Loss, []string{name}, nil, func(string) string { return "" })
				if err != nil {
					t.Fatal(err)
				}
				served, err := (&source{problem: path}).open(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				if served.Contract.Loss != s.Loss.String() {
					t.Errorf("the policy that is served says it is for %s; the spec's loss is %v", served.Contract.Loss, s.Loss)
				}
				rivals, err := rival.Parse(s.Problem, s.Loss, name)
				if err != nil {
					t.Fatal(err)
				}
				want := behaviour(s.Problem, measured[0].Policy, states, ends)
				for who, policy := range map[string]game.Policy{"played": served.Asks(), "a run's rival": rivals} {
					if fmt.Sprint(policy) != measured[0].Name {
						t.Errorf("%s is called %v, the one that is measured %s", who, policy, measured[0].Name)
					}
					if got := behaviour(s.Problem, policy, states, ends); !slices.Equal(got, want) {
						t.Errorf("the policy that is %s asks or recommends other things than the one that is measured", who)
					}
				}
			})
		}
	}
}

// statesOf returns states in which games of p ask, and some in which they end.
func statesOf(p *game.Problem, key rng.Key) (asking, ends game.States) {
	const games = 24
	b := &sim.Block{P: p, L: 1, Theta: make([]float64, games*p.Queries())}
	for m := range games {
		p.Anywhere(b.Theta[m*p.Queries():(m+1)*p.Queries()], key.Name("theta").At(m).Rand())
	}
	uniform := rival.Uniform(p)
	for b.Begin(key, 0); b.Ask(); b.Answer() {
		s := b.States
		asking.N, asking.S = append(asking.N, s.N...), append(asking.S, s.S...)
		asking.Mask, asking.Left = append(asking.Mask, s.Mask...), append(asking.Left, s.Left...)
		uniform.Probs(b.Probs, s)
	}
	return asking, game.States{N: b.N, S: b.S}
}

// behaviour is what a policy asks and recommends in these states.
func behaviour(p *game.Problem, policy game.Policy, asking, ends game.States) []float32 {
	asks := make([]float32, len(asking.N))
	policy.Probs(asks, asking)
	decision := make([]float32, ends.Len(p.Queries())*p.Hypotheses())
	game.DeciderOf(p, policy).Decide(decision, ends)
	return append(asks, decision...)
}
