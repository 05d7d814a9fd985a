package flow

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"mapo"
	"mapo/internal/num"
	"mapo/judge"
	"mapo/record"
	"mapo/report"
	"mapo/train"
)

// Rows are the lines of results.csv: worst cases and gaps of every policy at
// every level, averages, then certified brackets.
func (f *Flow) Rows(res *Result) []report.Row {
	var rows []report.Row
	gaps := f.gaps(res.Policies)
	for _, p := range res.Policies {
		for _, w := range p.Worst {
			row := Row(report.WorstCase, p.Name, f.Loss, w.Estimate)
			row.Level, row.Seconds = w.Level, p.judge.Seconds()/float64(len(p.Worst))
			rows = append(rows, row)
		}
	}
	for i, p := range res.Policies {
		for k, e := range gaps[i] {
			row := Row(report.Gap, p.Name, f.Loss, e)
			row.Level = f.Levels[k]
			rows = append(rows, row)
		}
	}
	for _, p := range res.Policies {
		for _, a := range p.Averages {
			row := Row(report.Average, p.Name, a.Loss, a.Estimate)
			row.Prior, row.Seconds = a.Prior, p.average.Seconds()/float64(len(p.Averages))
			rows = append(rows, row)
		}
	}
	for _, b := range res.Certificate.Brackets {
		rows = append(rows, BracketRow(f.Loss, b.Level, b.Lo, b.Hi, b.took.Seconds()))
	}
	return rows
}

// gaps are the policies' by [judge.Gaps], which takes their numbers for independent: with
// one level π̂ is π_1, and its gaps are π_1's.
func (f *Flow) gaps(ps []*Policy) [][]record.Estimate {
	if len(f.Levels) > 1 {
		return judge.Gaps(curves(ps))
	}
	gaps := judge.Gaps(curves(ps[1:])) // a Result's policies begin with π̂ and π_1
	return slices.Insert(gaps, 0, gaps[0])
}

// BracketRow is a certified bracket as a line of results.csv.
func BracketRow(loss mapo.Loss, level, lo, hi, seconds float64) report.Row {
	return report.Row{
		Metric: report.Minimax, Loss: loss.String(), Level: level, Instance: -1,
		Mean: math.NaN(), Lo: lo, Hi: hi, Confidence: 1, Seconds: seconds,
	}
}

// exactRows are every policy's exact worst cases over the certified instances.
func (f *Flow) exactRows(res *Result) (rows []report.Row) {
	for _, p := range res.Policies {
		for k, v := range p.Exact {
			row := Row(report.WorstCase, p.Name, f.Loss, record.Estimate{Mean: v, Lo: v, Hi: v, Confidence: 1})
			row.Level = res.Certificate.Brackets[k].Level
			rows = append(rows, row)
		}
	}
	return rows
}

// Row is an estimate as a line of results.csv, without level, prior, instance
// and seconds.
func Row(metric, policy string, loss mapo.Loss, e record.Estimate) report.Row {
	return report.Row{
		Metric: metric, Policy: policy, Loss: loss.String(), Instance: -1, Seconds: math.NaN(),
		Mean: e.Mean, Lo: e.Lo, Hi: e.Hi, Confidence: e.Confidence, Games: e.Games,
	}
}

// Page is the run as package report shows it.
func (f *Flow) Page(res *Result) *report.Run {
	run := &report.Run{
		Name: f.Name, Title: f.Title, Queries: f.Problem.Queries(), Hypotheses: f.Problem.Hypotheses(),
		Budget: f.Problem.T, AskOnce: f.Problem.AskOnce, Loss: f.Loss.String(), Levels: f.Levels, LevelsNote: f.LevelsNote, Notes: f.Notes, Experiment: f.Experiment,
		Seed: f.Seed, Scale: f.Scale, Rows: f.Rows(res), QueryTexts: f.Problem.X, HypothesisTexts: f.Problem.Names,
		Weight: f.Weight, Warnings: f.warnings(res), Machine: Machine(), Version: f.Version, Spec: string(f.Spec),
	}
	run.Exact, run.ExactOver, run.NoBracket = f.exactRows(res), res.Certificate.Over, res.Certificate.Why
	if f.Average != nil {
		run.Average = f.Average.Name()
	}
	var took Took
	for _, p := range res.Policies {
		took = slices.Concat(took, p.train, p.judge, p.average, p.yardstick)
		same := p.Name == PiHat && len(f.Levels) == 1 // as π_1, which comes next
		if p.Net != nil && !same {
			run.Curves = append(run.Curves, f.curve(res, p))
		}
		for _, w := range p.Worst {
			run.Worst = append(run.Worst, f.worst(p.Name, w))
		}
		if !same {
			run.Timings = append(run.Timings, p.timings()...)
		}
	}
	for _, b := range res.Certificate.Brackets {
		took = append(took, b.took...)
		run.Timings = append(run.Timings, report.Timing{Step: fmt.Sprintf("certify r = %.4g", b.Level), Seconds: b.took.Seconds()})
	}
	run.Wall = took.Wall()
	return run
}

// Machine is what the run ran on, in one line.
func Machine() string {
	return fmt.Sprintf("%s/%s, %d cores, kernel %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), num.Kernel())
}

// warnings are the plan's, the clock's and the estimates', each once.
func (f *Flow) warnings(res *Result) []string {
	out := slices.Clone(f.Warnings)
	add := func(name string, texts ...string) {
		for _, text := range texts {
			if text = name + ": " + text; !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	for _, p := range res.Policies {
		if t := p.Net; t != nil && t.Done < t.Iters {
			add(p.Name, fmt.Sprintf("training was stopped by --max-time after %d of %d iterations", t.Done, t.Iters))
		}
		for _, w := range p.Worst {
			add(p.Name, w.Warnings...)
		}
		for _, a := range p.Averages {
			add(p.Name, a.Warnings...)
		}
	}
	return out
}

// timings are a policy's part of the time.
func (p *Policy) timings() []report.Timing {
	var out []report.Timing
	for _, t := range []report.Timing{{Step: "train ", Seconds: p.train.Seconds()}, {Step: "judge ", Seconds: p.judge.Seconds()}, {Step: "averages of ", Seconds: p.average.Seconds()}, {Step: "yardstick of ", Seconds: p.yardstick.Seconds()}} {
		if t.Seconds > 0 {
			t.Step += p.Name
			out = append(out, t)
		}
	}
	return out
}

// curve is p's training record, with the judge's last word at its end.
func (f *Flow) curve(res *Result, p *Policy) report.Curve {
	c := report.Curve{Policy: p.Name, Level: p.Level, Gap: p.Name == PiHat && len(f.Levels) > 1}
	for _, x := range p.Net.Curve {
		c.Points = append(c.Points, report.Point{Step: x})
	}
	// A phase's loss: Init's is that of the phase it prepares.
	loss := ""
	for i := len(c.Points) - 1; i >= 0; i-- {
		switch c.Points[i].Phase {
		case train.PhaseRegret, train.PhaseTilde:
			loss = report.SimpleRegret
		case train.PhasePi, train.PhasePiHat:
			loss = ""
		}
		c.Points[i].Loss = loss
	}
	if n := len(c.Points); n > 0 && p.Level > 0 {
		j := f.judged(res.Ladder.B, p, p.Worst)
		j.Work, j.Seconds = float64(c.Points[n-1].Work), p.train.Seconds()
		c.Judged = []report.Judged{j}
	}
	c.Yardstick = f.yardstick(res.Ladder.B, p)
	return c
}

// judged is π_k's worst case at its level, of π̂ its largest excess over the
// benchmarks, of those without a level the last.
func (f *Flow) judged(b []float64, p *Policy, worst []record.Worst) report.Judged {
	out := report.Judged{Mean: math.Inf(-1)}
	for k, w := range worst {
		shift := 0.0
		switch {
		case p.Name == PiHat && len(b) > 1:
			shift = b[k]
		case p.Level > 0 && w.Level != p.Level:
			continue
		}
		if w.Mean-shift > out.Mean {
			out.Mean, out.Lo, out.Hi = w.Mean-shift, w.Lo-shift, w.Hi-shift
		}
	}
	return out
}

// worst is an instance for the report to draw.
func (f *Flow) worst(policy string, found record.Worst) report.Worst {
	in := f.Problem.Instance(found.Theta)
	w := report.Worst{Worst: found, Policy: policy, BestText: f.Problem.Names[in.Best]}
	for _, z := range f.Problem.Row(in.Best) {
		w.Best = append(w.Best, z != 0)
	}
	return w
}

// trained says in a policy file how the policy came to be.
func (f *Flow) trained(t *Trained) map[string]string {
	out := map[string]string{"scale": f.Scale, "iterations": strconv.Itoa(t.Done)}
	for _, e := range Environment() {
		name, value, _ := strings.Cut(e, "=")
		out[name] = value
	}
	return out
}
