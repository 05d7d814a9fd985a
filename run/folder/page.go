package folder

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/num"
	"mapo/judge"
	"mapo/record"
	"mapo/report"
	"mapo/run"
	"mapo/run/job"
	"mapo/train"
)

// Rows returns the lines of results.csv: worst cases and gaps of every policy at
// every level, averages, then certified brackets.
func Rows(f *run.Flow, res *run.Result) []report.Row {
	var rows []report.Row
	gaps := gaps(f, res.Policies)
	for _, p := range res.Policies {
		for _, w := range p.Worst {
			row := report.RowOf(report.WorstCase, p.Name, f.Problem, f.Loss, w.Estimate)
			row.Level, row.Seconds, row.Effort = w.Level, p.Took.Judge.Seconds()/float64(len(p.Worst)), effort(p, w.Level)
			rows = append(rows, row)
		}
	}
	for i, p := range res.Policies {
		for k, e := range gaps[i] {
			row := report.RowOf(report.Gap, p.Name, f.Problem, f.Loss, e)
			row.Level, row.Effort = f.Levels[k], effort(p, f.Levels[k])
			rows = append(rows, row)
		}
	}
	for _, p := range res.Policies {
		for _, a := range p.Averages {
			row := report.RowOf(report.Average, p.Name, f.Problem, a.Loss, a.Estimate)
			row.Prior, row.Seconds = a.Prior, p.Took.Average.Seconds()/float64(len(p.Averages))
			rows = append(rows, row)
		}
	}
	for _, b := range res.Certificate.Brackets {
		rows = append(rows, report.BracketRow(f.Loss.String(), b.Level, b.Lo, b.Hi, b.Took.Seconds()))
	}
	return rows
}

// effort marks what a short search alone found of p at a level.
func effort(p *run.Policy, level float64) string {
	if p.Screened(level) {
		return report.ScreenEffort
	}
	return ""
}

// gaps returns the policies' by [judge.Gaps], which takes their numbers for independent: with
// one level π̂ is π_1, and its gaps are π_1's.
func gaps(f *run.Flow, ps []*run.Policy) [][]record.Estimate {
	if len(f.Levels) > 1 {
		return judge.Gaps(run.Curves(ps))
	}
	gaps := judge.Gaps(run.Curves(ps[1:])) // a Result's policies begin with π̂ and π_1
	return slices.Insert(gaps, 0, gaps[0])
}

// exactRows returns every policy's exact worst cases over the certified instances.
func exactRows(f *run.Flow, res *run.Result) (rows []report.Row) {
	for _, p := range res.Policies {
		for k, v := range p.Exact {
			row := report.RowOf(report.WorstCase, p.Name, f.Problem, f.Loss, record.Estimate{Mean: v, Lo: v, Hi: v, Confidence: 1})
			row.Level = res.Certificate.Brackets[k].Level
			rows = append(rows, row)
		}
	}
	return rows
}

// Page returns the run as package report shows it.
func Page(f *run.Flow, res *run.Result) *report.Run {
	page := &report.Run{
		Name: f.Name, Title: f.Title, Stopping: f.Stopping, Queries: f.Problem.Queries(), Hypotheses: f.Problem.Hypotheses(),
		Budget: f.Problem.T, AskOnce: f.Problem.AskOnce, Loss: f.Loss.String(), Levels: f.Levels, LevelsNote: f.LevelsNote, Notes: f.Notes, Experiment: f.Experiment,
		Seed: f.Seed, Scale: f.Scale, Rows: Rows(f, res), QueryTexts: f.Problem.X, HypothesisTexts: f.Problem.Names,
		Weight: f.Weight, Warnings: warnings(f, res), Machine: Machine(), Version: f.Version, Spec: string(f.Spec),
	}
	page.Measure = difficulty.MeasureOf(f.Problem)
	page.Words, page.Items, page.Pool = f.Problem.Goal().Words(), len(f.Problem.Texts()), f.Problem.Pooled()
	switch a := f.Problem.Answer().(type) {
	case game.Answers:
		page.Answers = fmt.Sprintf("Gaussian with standard deviation %g and a mean from %g to %g", a.Sigma, -a.Bound, a.Bound)
	case game.Classes:
		page.Answers = a.Noun()
	default:
	}
	page.Exact, page.ExactOver, page.NoBracket = exactRows(f, res), res.Certificate.Over, res.Certificate.Why
	page.Coverage = coverage(f)
	if note := f.Sampled(); note != "" {
		page.LevelsNote = strings.TrimSpace(page.LevelsNote + " " + strings.ToUpper(note[:1]) + note[1:] + ".")
	}
	if f.Average != nil {
		page.Average = f.Average.Name()
	}
	var took job.Took
	for _, p := range res.Policies {
		took = slices.Concat(took, p.Took.Train, p.Took.Judge, p.Took.Average)
		same := p.Name == run.PiHat && len(f.Levels) == 1 // as π_1, which comes next
		if p.Net != nil && !same {
			page.Curves = append(page.Curves, curve(f, res, p))
		}
		for _, w := range p.Worst {
			page.Worst = append(page.Worst, worstOf(f, p.Name, w))
		}
		if !same {
			page.Timings = append(page.Timings, timings(p)...)
		}
	}
	for _, b := range res.Certificate.Brackets {
		took = append(took, b.Took...)
		page.Timings = append(page.Timings, report.Timing{Step: fmt.Sprintf("certify r = %.4g", b.Level), Seconds: b.Took.Seconds()})
	}
	page.Wall = took.Wall()
	return page
}

// coverage returns how much of the rows each level covers; nil where the hypotheses are not rows.
func coverage(f *run.Flow) (out []report.Cover) {
	own, flipped := f.Coverage(0), f.Coverage(0.1)
	for k := range own {
		out = append(out, report.Cover{Level: f.Levels[k], Own: own[k], Flipped: flipped[k]})
	}
	return out
}

// Machine returns what the run ran on, in one line.
func Machine() string {
	return fmt.Sprintf("%s/%s, %d cores, kernel %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), num.Kernel())
}

// warnings returns the plan's, the clock's and the estimates', each once.
func warnings(f *run.Flow, res *run.Result) []string {
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

// timings returns how long each step took for a policy.
func timings(p *run.Policy) []report.Timing {
	var out []report.Timing
	for _, t := range []report.Timing{{Step: "train ", Seconds: p.Took.Train.Seconds()}, {Step: "judge ", Seconds: p.Took.Judge.Seconds()}, {Step: "averages of ", Seconds: p.Took.Average.Seconds()}} {
		if t.Seconds > 0 {
			t.Step += p.Name
			out = append(out, t)
		}
	}
	return out
}

// curve returns p's training record, with the judge's result at its end.
func curve(f *run.Flow, res *run.Result, p *run.Policy) report.Curve {
	c := report.Curve{Policy: p.Name, Level: p.Level, Gap: p.Name == run.PiHat && len(f.Levels) > 1}
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
		j := judged(res.Ladder.B, p, p.Worst)
		j.Work = float64(c.Points[n-1].Work)
		c.Judged = []report.Judged{j}
	}
	inUnits(&c, f.Loss.Unit(f.Problem))
	return c
}

// inUnits turns the losses of a curve into those that people read, which the loss's are so many of.
func inUnits(c *report.Curve, unit float64) {
	for i := range c.Points {
		c.Points[i].Worst *= unit
	}
	for i := range c.Judged {
		j := &c.Judged[i]
		j.Mean, j.Lo, j.Hi = j.Mean*unit, j.Lo*unit, j.Hi*unit
	}
}

// judged returns what the judge found for a policy: for π_k its worst case at its level, for π̂
// its largest excess over the benchmarks, for others their largest worst case.
func judged(b []float64, p *run.Policy, worst []record.Worst) report.Judged {
	out := report.Judged{Mean: math.Inf(-1)}
	for k, w := range worst {
		shift := 0.0
		switch {
		case p.Name == run.PiHat && len(b) > 1:
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

// worstOf returns an instance for the report to draw.
func worstOf(f *run.Flow, policy string, found record.Worst) report.Worst {
	in := f.Problem.Instance(found.Theta)
	found.Estimate = found.Estimate.Times(f.Loss.Unit(f.Problem))
	w := report.Worst{Worst: found, Policy: policy, BestText: f.Problem.Names[in.Best]}
	for _, z := range f.Problem.Says(in.Best) {
		w.Best = append(w.Best, z > 0.5)
	}
	return w
}
