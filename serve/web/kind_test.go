package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mapo/game"
	"mapo/game/play"
	"mapo/game/sim"
	"mapo/judge"
	"mapo/policy/nn"
	"mapo/rng"
	"mapo/run"
	"mapo/run/folder"
	"mapo/run/job"
	"mapo/run/runtest"
	"mapo/serve/policies"
	"mapo/serve/web"
)

// tasters are a goal of this test's own: which of some wines is meant, told by tasters.
type tasters struct {
	game.Majorities
	Cellar string
}

func (*tasters) Kind() string { return "test.tasters" }

// Words speaks of wines.
func (t *tasters) Words() *game.Words {
	w := *t.Majorities.Words()
	w.Hypothesis, w.Hypotheses, w.Lead = "wine", "wines", "A policy that chooses among %[1]s sips which of %[2]s wines of "+t.Cellar+" it is, with %[3]d tastings%[4]s."
	return &w
}

// Answer returns what tasters say.
func (*tasters) Answer() game.Answer { return &sour{Keep: 0.8} }

// Decisions are least squares alone: how often tasters err is not known.
func (*tasters) Decisions() []string { return []string{"least-squares"} }

// sour is an answer of this test's own: sweet or sour, of which a part is said at random, so that its mean is Keep·θ.
type sour struct {
	game.YesNo
	Keep float64
}

func (*sour) Kind() string { return "test.sour" }

func (*sour) Names() []string { return []string{"sour", "sweet"} }

func (*sour) Noun() string { return "tastes" }

func (a *sour) mean(theta []float64) []float64 {
	out := make([]float64, len(theta))
	for i, v := range theta {
		out[i] = a.Keep * v
	}
	return out
}

func (a *sour) Draw(dst []float32, theta []float64, all bool, u float64) {
	a.YesNo.Draw(dst, a.mean(theta), all, u)
}

func (a *sour) Variance(theta float64) float64 { return a.YesNo.Variance(a.Keep * theta) }

func (a *sour) LogLikelihood(theta, times, sum float64) float64 {
	return a.YesNo.LogLikelihood(a.Keep*theta, times, sum)
}

func (a *sour) AddScore(dst, theta []float64, n, s []float32, q game.Questions, weight float64) {
	a.YesNo.AddScore(dst, a.mean(theta), n, s, q, a.Keep*weight)
}

func (a *sour) Chance() game.Chance { return a }

func (a *sour) Of(theta, quantile float64, yes bool) ([2]float32, [2]float64, int) {
	return a.YesNo.Of(a.Keep*theta, quantile, yes)
}

// TestKindOfAnotherPackage: a kind of goal and of answer that only this file knows is trained, stopped and resumed, saved, opened,
// judged, evaluated, reported, played and served.
func TestKindOfAnotherPackage(t *testing.T) {
	game.Register("test.tasters", func() game.Registered { return new(tasters) })
	game.Register("test.sour", func() game.Registered { return new(sour) })
	parts := runtest.Tiny(t)
	p := *parts.Problem
	p.Name, p.Seek, p.Reply = "cellar", &tasters{Cellar: "Bordeaux"}, &sour{Keep: 0.9}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	plan := run.Plan{
		Name: "cellar", Title: "Cellar", Scale: "smoke", Spec: []byte("# wines\n"), Problem: &p, Loss: game.BestIdentification, Levels: []float64{8, 32}, Seed: 1,
		Train: parts.Train, Effort: parts.Effort, Rivals: []string{"uniform", "sgbs:0.1", run.BayesLAL}, Priors: []game.Prior{game.Flip(&p, .8)}, Games: 200,
	}
	dir := t.TempDir()
	stopped := tasted(t, plan, dir, 20)
	if again := tasted(t, plan, dir, 0); !stopped || again {
		t.Fatalf("stopped %v, and again %v", stopped, again)
	}
	whole := t.TempDir()
	tasted(t, plan, whole, 0)
	runtest.Same(t, "resumed", runtest.Left(t, dir), runtest.Left(t, whole))

	report, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !strings.Contains(string(report), "wines of Bordeaux") {
		t.Errorf("the report does not speak of wines (%v)", err)
	}
	net, c, err := policies.ReadFile(filepath.Join(dir, "policies", "mapo.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if own, is := c.Problem.Answer().(*sour); !is || own.Keep != 0.9 || c.Problem.Goal().(*tasters).Cellar != "Bordeaux" {
		t.Fatalf("opened it has %v and %v", c.Problem.Goal(), c.Problem.Answer())
	}
	if text := p.Mismatch(c.Problem); text != "" {
		t.Errorf("opened it is another game: %s", text)
	}
	// What is judged: noise that is kept for certain makes the worst case higher than without.
	theta := [][]float64{{.6, .6, -.6, -.6, -.6}}
	clean := p
	clean.Seek, clean.Reply = nil, nil
	noisy, err := judge.Instances(t.Context(), sim.Play{P: c.Problem, Policy: nn.Policy(c.Problem, net)}, theta, 4000, rng.New(1))
	plain, err2 := judge.Instances(t.Context(), sim.Play{P: &clean, Policy: nn.Policy(&clean, net)}, theta, 4000, rng.New(1))
	if err != nil || err2 != nil || noisy[0].Mean < plain[0].Mean+0.01 {
		t.Errorf("judged %v with noise, %v without (%v, %v)", noisy, plain, err, err2)
	}

	at, err := play.New(c.Problem, nn.Policy(c.Problem, net), false).At(play.Record{History: []play.Answered{{Query: 0, Answer: play.Yes}}})
	if err != nil || at.Remaining() != p.T-1 {
		t.Errorf("played: %v", err)
	}
	served, err := policies.Open(filepath.Join(dir, "policies", "mapo.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := policies.NewSet([]string{filepath.Join(dir, "policies", "mapo.safetensors")}, policies.Open)
	if err != nil {
		t.Fatal(err)
	}
	reply := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/v1/policies/"+served.ID+"/next", bytes.NewReader([]byte(`{"history":[{"query":0,"answer":1}],"seed":1}`)))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	web.New(set, nil, web.Options{}).Handler().ServeHTTP(reply, r)
	var next map[string]any
	if err := json.Unmarshal(reply.Body.Bytes(), &next); err != nil || reply.Code != http.StatusOK || next["query"] == nil {
		t.Errorf("served: %d %s", reply.Code, reply.Body)
	}
}

// tasted carries plan out in dir, until an event where that is not 0, and reports whether it was stopped.
func tasted(t *testing.T, plan run.Plan, dir string, at int) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f, err := folder.Open(ctx, dir, plan.Spec, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := 0
	exec := &job.Local{Store: f.Store, Steps: run.Steps(plan.Known()...), Cores: 2, Every: time.Nanosecond, Events: func(job.Event) {
		if seen++; seen == at {
			cancel()
		}
	}}
	flow, err := run.New(ctx, plan, f.Store, exec)
	if err != nil {
		t.Fatal(err)
	}
	res, err := flow.Run(ctx)
	if ctx.Err() != nil {
		return true
	}
	if err == nil {
		err = f.Write(flow, res)
	}
	if err != nil {
		t.Fatal(err)
	}
	return false
}
