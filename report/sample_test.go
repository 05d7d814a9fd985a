package report

import (
	"bytes"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"mapo/record"
)

var (
	update = flag.Bool("update", false, "rewrite the goldens in testdata")
	look   = flag.String("look", "", "write made-up reports into this folder, to be looked at")
)

// madeUp is a run nobody played: numbers of plausible shape from fixed formulas and a fixed seed, so
// that goldens do not depend on any other package.
type madeUp struct {
	queries int
	levels  []float64
	flips   []string
	loss    string
	points  int
}

func (m madeUp) run() *Run {
	r := rand.New(rand.NewPCG(1, 2))
	run := &Run{
		Name: "thresholds-1a2b3c4d", Title: "Thresholds with 25 queries", Queries: m.queries, Hypotheses: m.queries + 1,
		Budget: 20, Loss: m.loss, Levels: m.levels, Seed: 1, Scale: "desk", Machine: "2 cores, linux/amd64", Version: "0.1.0",
		LevelsNote: "The levels were chosen from the problem: from the first 2^(i/2) that is at least 1.25 times its least difficulty.",
		Spec:       "problem:\n  thresholds: {d: 25}\nbudget: 20\nloss: " + m.loss + "\n",
		Warnings:   []string{"2 duplicate hypotheses merged", "search: 3 of 12 winners lay on the boundary"},
	}
	for i := range m.queries {
		run.QueryTexts = append(run.QueryTexts, "is it above "+strconv.Itoa(i)+"?")
	}
	m.estimates(run, r)
	m.records(run, r)
	for _, t := range []string{"levels", "pi-1: regret", "pi-1: identification", "pi-2: regret", "pi-2: identification", "mapo", "worst-case search", "replays", "averages"} {
		run.Timings = append(run.Timings, Timing{t, 3 + 60*r.Float64()})
	}
	run.Wall = .6 * run.work()
	return run
}

// strength is a made-up worst case: rises with r, depends on the policy.
func (m madeUp) strength(policy string, r float64) float64 {
	base := 1 / (1 + math.Pow(24/r, 1.1))
	switch k, pi := piIndex(policy); {
	case pi:
		base *= 1 + .05*math.Abs(math.Log2(r/m.levels[k-1]))
	case policy == Mapo:
		base *= 1.04
	case policy == "uniform":
		base = math.Min(.96, base*1.5)
	case policy == "uncertainty":
		base = math.Min(.97, base*1.18+.03-.2*math.Max(0, math.Log2(r/90)))
	default:
		rk, beta := rank(policy)
		base = math.Min(.995, base*(1.25-beta)+.1)
		if rk == 5 {
			base = math.Min(.99, base*.9)
		}
	}
	base = math.Min(base, .999)
	if m.loss == SimpleRegret {
		base *= 2.2
		if rk, _ := rank(policy); rk == 4 {
			base *= 5
		}
	}
	return base
}

func (m madeUp) estimates(run *Run, r *rand.Rand) {
	names := []string{Mapo}
	for k := range m.levels {
		names = append(names, "pi-"+strconv.Itoa(k+1))
	}
	names = append(names, "uniform", "uncertainty", "sgbs:0.01", "sgbs:0.1", "sgbs:0.3", "bayes-lal")
	add := func(metric, policy, loss string, lv float64, prior string, mean, half float64) {
		run.Rows = append(run.Rows, Row{metric, policy, loss, lv, prior, -1, mean, mean - half, mean + half, .95, 25000, 1.5, none, ""})
	}
	for _, lv := range m.levels {
		least := math.Inf(1)
		for _, p := range names {
			least = math.Min(least, m.strength(p, lv))
		}
		for _, p := range names {
			v := m.strength(p, lv)
			add(WorstCase, p, m.loss, lv, "", v, .008)
			add(Gap, p, m.loss, lv, "", v-least, .012)
			run.Worst = append(run.Worst, m.worst(p, lv, v, r))
		}
	}
	for _, kind := range []string{BestIdentification, SimpleRegret} {
		for _, prior := range append(m.flips, "table") {
			h, ok := flip(prior)
			if !ok {
				h = .85
			}
			for _, p := range names {
				v := (1 - h) * (1.2 + .3*m.strength(p, 32)) * map[string]float64{BestIdentification: 1, SimpleRegret: 1.7}[kind]
				add(Average, p, kind, 0, prior, v, .01)
			}
		}
	}
}

func (m madeUp) worst(policy string, lv, value float64, r *rand.Rand) Worst {
	cut := m.queries / 2
	if policy == "uniform" {
		cut = m.queries / 4
	}
	w := Worst{Policy: policy, BestText: "threshold at " + strconv.Itoa(cut)}
	w.Worst = record.Worst{Level: lv, Rho: lv * .97, Estimate: record.Estimate{Mean: value, Lo: value - .008, Hi: value + .008}}
	for i := range m.queries {
		d := float64(i-cut) + .5
		w.Theta = append(w.Theta, math.Max(-1, math.Min(1, -3*d/(1+math.Abs(d))/math.Pow(lv, .3)+.1*r.NormFloat64())))
		w.Best = append(w.Best, i < cut)
	}
	return w
}

func (m madeUp) records(run *Run, r *rand.Rand) {
	for k := range len(m.levels) + 1 {
		c := Curve{Policy: "pi-" + strconv.Itoa(k+1), Level: m.levels[min(k, len(m.levels)-1)]}
		if k == len(m.levels) {
			c.Policy, c.Gap = Mapo, true
		}
		end := m.strength(c.Policy, c.Level)
		if c.Gap {
			end = .05
		}
		for i := range m.points {
			u := float64(i+1) / float64(m.points)
			p := Point{Step: record.Step{Iter: i + 1, Work: int64(4e6 * u), Phase: "fine-tune", Worst: end*(.9+.8*math.Exp(-5*u)) + .01*r.NormFloat64(),
				Feasible: .97, Barrier: .02 * math.Exp(-3*u), PolicyEntropy: .95 - .6*u, ParticleEntropy: .99 - .4*u,
				GradPsi: .1 * math.Exp(r.NormFloat64()*.2-u), GradTheta: .01 * math.Exp(r.NormFloat64()*.2), GradW: 1e-3 * math.Exp(r.NormFloat64()*.2)}}
			if u < .3 && !c.Gap && m.loss == BestIdentification {
				p.Phase, p.Loss = "regret", SimpleRegret
			}
			c.Points = append(c.Points, p)
		}
		at := func(u float64) Judged {
			v := end * (1 + .7*math.Exp(-4*u))
			return Judged{4e6 * u, v, v - .015, v + .015}
		}
		c.Judged = []Judged{at(1)}
		run.Curves = append(run.Curves, c)
	}
}

// small is the goldens' run, large the one to look at.
func small() *Run {
	return madeUp{8, []float64{8, 16, 32}, []string{"flip:0.7", "flip:0.8", "flip:0.9"}, BestIdentification, 12}.run()
}

func large(loss string) *Run {
	var levels []float64
	for i := range 9 {
		levels = append(levels, math.Exp2(3+float64(i)/2))
	}
	return madeUp{25, levels, []string{"flip:0.6", "flip:0.7", "flip:0.8", "flip:0.9"}, loss, 900}.run()
}

// TestLook writes reports for the eye; without -look it does nothing.
func TestLook(t *testing.T) {
	if *look == "" {
		t.Skip("no -look")
	}
	one := madeUp{3, []float64{16}, []string{"flip:0.8"}, BestIdentification, 40}.run()
	one.Rows = append(one.Rows, Row{Metric: Minimax, Loss: BestIdentification, Level: 16, Instance: -1, Mean: math.NaN(), Lo: .3772, Hi: .3782})
	hundred := large(BestIdentification)
	for name, run := range map[string]*Run{"identification": hundred, "regret": large(SimpleRegret), "one": one, "small": small(), "empty": {Name: "empty"}} {
		var b bytes.Buffer
		if err := HTML(&b, run); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(*look, name+".html"), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
