package run

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"mapo/judge"
	"mapo/policy/nn"
	"mapo/record"
	"mapo/run/job"
	"mapo/run/store"
)

// The yardstick: how good a training was after how much work. Before the first
// iteration, after 1, 2, 4, 8 … and at its end a training sets a mark, the policy of
// the moment kept in the store. Afterwards marks are judged, all by the same small
// search from the same instances.

// Mark is a moment of a training. Iteration 0 is before the first: what it starts from.
type Mark struct {
	Iter int
	Work int64 // environment steps played by then, the adversary's included
}

// Marked is a mark with what the judge found. Seconds are the training's alone, NaN
// where they are not known any more.
type Marked struct {
	Mark
	Seconds float64
	Worst   []record.Worst // π_k's at its own level, π̂'s at every level, Bayes-LAL's at the last
}

// AllMarks asks [Flow.Yardstick] for the start of a training and all its marks.
const AllMarks = math.MaxInt32

// lastMarks is how many marks of a training a run judges: from about a sixteenth
// of it on.
const lastMarks = 5

// marked and markTimes name a mark's policy file and the seconds of a training's
// marks in the store.
func marked(key store.Key, iter int) string { return "marks/" + string(key) + "/" + strconv.Itoa(iter) }
func markTimes(key store.Key) string        { return "timings/" + string(key) + "-marks" }

// markStart keeps what the training starts from, if it sets marks.
func (t *training) markStart(ctx context.Context) error {
	if !t.in.Marks {
		return nil
	}
	file, err := t.file()
	if err != nil {
		return err
	}
	return t.Store.Put(ctx, marked(t.Key, 0), file)
}

// mark sets one if the training asks for marks and the step is one of theirs. It is
// the same bytes however often it is set.
func (t *training) mark(ctx context.Context, s record.Step, end bool) error {
	at := &t.at
	if !t.in.Marks || len(at.Marks) > 0 && at.Marks[len(at.Marks)-1].Iter == s.Iter || !end && bits.OnesCount(uint(s.Iter)) != 1 {
		return nil
	}
	file, err := t.file()
	if err != nil {
		return err
	}
	at.Marks = append(at.Marks, Mark{s.Iter, s.Work})
	at.MarkSeconds = append(at.MarkSeconds, t.Spent())
	return t.Store.Put(context.WithoutCancel(ctx), marked(t.Key, s.Iter), file)
}

// file returns the policy of the moment as a policy file without levels.
func (t *training) file() ([]byte, error) {
	return nn.Encode(t.run.Policy(), nn.Contract{Name: t.in.For, Problem: t.task.P, Loss: t.task.Loss.String(), Decision: t.decision, Stop: t.stop})
}

// keepMarkTimes stores when the marks were set, beside the result, which does not
// depend on it.
func (t *training) keepMarkTimes(ctx context.Context) error {
	if !t.in.Marks {
		return nil
	}
	data, err := json.Marshal(t.at.MarkSeconds)
	if err != nil {
		return err
	}
	return t.Store.Put(context.WithoutCancel(ctx), markTimes(t.Key), data) // the training has ended
}

// Yardstick judges the last n marks of every policy that was trained with them,
// from the instances given: pass the worst found for all policies. AllMarks are all
// and, before them, what the training started from.
func (f *Flow) Yardstick(ctx context.Context, ps []*Policy, bank [][]float64, n int) error {
	type todo struct {
		p      *Policy
		at     *Marked
		levels []float64
	}
	var jobs []todo
	for _, p := range ps {
		if p.Net == nil {
			continue
		}
		marks := p.Net.Marks[max(0, len(p.Net.Marks)-n):]
		seconds := f.markSeconds(ctx, p)
		p.Marks = nil
		if n == AllMarks {
			p.Marks = append(p.Marks, Marked{})
		}
		for i, m := range marks {
			took := math.NaN()
			if at := len(p.Net.Marks) - len(marks) + i; at < len(seconds) {
				took = seconds[at]
			}
			p.Marks = append(p.Marks, Marked{Mark: m, Seconds: took})
		}
		for i := range p.Marks {
			jobs = append(jobs, todo{p, &p.Marks[i], f.ownLevels(p)})
		}
	}
	took := make([]job.Took, len(jobs))
	err := f.crew.Each(ctx, len(jobs), func(ctx context.Context, i int) error {
		o := jobs[i]
		in := JudgeInput{Header: f.header(o.p.Name), Policy: Ref{Trained: o.p.Ref.Trained, Mark: o.at.Iter, Start: o.at.Iter == 0}, Levels: o.levels, Effort: judge.YardstickEffort(f.Scale, f.Problem), Bank: bank}
		_, out, spans, err := do[[]record.Worst](ctx, f, stepYardstick, in)
		if err != nil {
			return fmt.Errorf("judge %s at iteration %d: %w", o.p.Name, o.at.Iter, err)
		}
		o.at.Worst, took[i] = *out, spans
		return nil
	})
	for i, o := range jobs {
		o.p.Took.Yardstick = append(o.p.Took.Yardstick, took[i]...)
	}
	return err
}

// ownLevels returns those p is trained for, or that it is reported at.
func (f *Flow) ownLevels(p *Policy) []float64 {
	switch {
	case p.Name == PiHat:
		return f.Levels
	case p.Level > 0:
		return []float64{p.Level}
	}
	return f.Levels[len(f.Levels)-1:]
}

// markSeconds returns when p's marks were set, by its training's clock; nil where that
// was lost.
func (f *Flow) markSeconds(ctx context.Context, p *Policy) (seconds []float64) {
	if data, err := f.store.Get(ctx, markTimes(p.Ref.Trained)); err == nil {
		_ = json.Unmarshal(data, &seconds) // a lost time is not a reason to lose a run
	}
	return seconds
}

// TrainedOnce returns the policies that have a training of their own: with one level π̂
// is π_1.
func (f *Flow) TrainedOnce(ps []*Policy) []*Policy {
	return slices.DeleteFunc(slices.Clone(ps), func(p *Policy) bool { return p.Net == nil || p.Name == PiHat && len(f.Levels) == 1 })
}
