package bench

import (
	"context"
	"errors"
	"fmt"

	"mapo/adversary/search"
	"mapo/record"
	"mapo/run"
	"mapo/run/job"
)

// Race is what two trainings of one game needed for the same worst cases.
type Race struct {
	Levels []float64
	Ratios [][]Ratio // [K]
	Rival  []RivalAt // the rival with the least worst case, [K]; nil where none was judged

	Ours, Yardstick Record // all that each spent
}

// RivalAt is a rival's worst case at a level.
type RivalAt struct {
	Name string
	record.Worst
}

// RunRace carries out Algorithm 1 of two plans of the same game and levels, one after the other. It judges ours' untrained
// rivals, and then every mark of the policy that each ends in. All searches start from the same instances: the worst found
// for any policy, and what the two trainings found hardest. The work of π̂ includes that of the π_k before it. Judging them
// for the benchmarks is alike for both and not counted. Both plans must have marks.
func RunRace(ctx context.Context, ours, yardstick *run.Flow) (*Race, error) {
	switch {
	case !ours.SameGame(yardstick):
		return nil, errors.New("the two are not of the same problem, loss, seed and levels: no worst case of one means anything to the other")
	case !ours.Plan.Marks || !yardstick.Plan.Marks:
		panic("bench: RunRace of a plan without marks")
	}
	var all []*run.Policy
	ladders := make([]*run.Ladder, 2)
	for i, f := range []*run.Flow{ours, yardstick} {
		var err error
		if ladders[i], err = run.MAPO(ctx, f); err != nil {
			return nil, err
		}
		all = append(append(all, ladders[i].Pi...), ladders[i].PiHat)
	}
	var rivals []*run.Policy
	for _, name := range ours.Rivals {
		if name == run.BayesLAL {
			continue
		}
		ps, err := ours.Rival(ctx, name)
		if err != nil {
			return nil, err
		}
		rivals = append(rivals, ps...)
	}
	bank := search.Bank{Thetas: run.BankOf(append(all, rivals...))}
	for _, l := range ladders {
		for _, theta := range l.Last().Net.Hardest {
			bank.Put(theta)
		}
	}
	r := &Race{Levels: ours.Levels}
	for i, f := range []*run.Flow{ours, yardstick} {
		if err := f.Yardstick(ctx, []*run.Policy{ladders[i].Last()}, bank.Instances(), run.AllMarks); err != nil {
			return nil, fmt.Errorf("yardstick: %w", err)
		}
	}
	for k := range r.Levels {
		a, b := records(ladders[0], k), records(ladders[1], k)
		r.Ratios = append(r.Ratios, Ratios(b, a))
		r.Ours, r.Yardstick = a[len(a)-1], b[len(b)-1]
		if p := leastAt(rivals, k); p != nil {
			r.Rival = append(r.Rival, RivalAt{p.Name, p.Worst[k]})
		}
	}
	return r, nil
}

// records returns the marks of the last policy at level k, behind all the trainings
// before it: their work together, and the time in which one of them ran.
func records(l *run.Ladder, k int) (out []Record) {
	var work float64
	var before job.Took
	if len(l.Pi) > 1 {
		for _, p := range l.Pi {
			work += float64(p.Net.Marks[len(p.Net.Marks)-1].Work)
			before = append(before, p.Took.Train...)
		}
	}
	for _, m := range l.Last().Marks {
		w := m.Worst[k]
		out = append(out, Record{Work: work + float64(m.Work), Seconds: before.Wall() + m.Seconds, Worst: w.Mean, Lo: w.Lo, Hi: w.Hi})
	}
	return out
}

// leastAt returns the policy with the least worst case at level k, nil of none.
func leastAt(ps []*run.Policy, k int) (best *run.Policy) {
	for _, p := range ps {
		if best == nil || p.Worst[k].Mean < best.Worst[k].Mean {
			best = p
		}
	}
	return best
}
