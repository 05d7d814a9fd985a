package run

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mapo/adversary/search"
	"mapo/judge"
	"mapo/policy/nn"
	"mapo/record"
	"mapo/run/job"
)

// judge searches p's worst case at every level: that of the policy the
// run is for twice, with streams of their own, as one search may miss what another finds.
func (f *Flow) judge(ctx context.Context, p *Policy, bank [][]float64) error {
	searches := []string{p.Name}
	if f.final(p.Name) {
		searches = append(searches, p.Name+secondSearch)
	}
	found, took := make([][]record.Worst, len(searches)), make([]job.Took, len(searches))
	err := f.crew.Each(ctx, len(searches), func(ctx context.Context, i int) (err error) {
		in := JudgeInput{Header: f.header(searches[i]), Policy: p.Ref, Levels: f.Levels, Effort: f.effortFor(p.Name), Bank: bank}
		found[i], took[i], err = f.worst(ctx, stepJudge, in)
		return err
	})
	if err != nil {
		return err
	}
	p.Worst, p.Took.Judge = search.Worse(found[0], found[1:]...), append(p.Took.Judge, slices.Concat(took...)...)
	return nil
}

// effortFor returns how hard the policy of that name is searched, and replayed against what was found for all. In a ladder
// any but π̂ is searched by a draft, as a policy that holds a benchmark is searched there again with all of the effort.
func (p *Plan) effortFor(name string) search.Effort {
	if len(p.Levels) > 1 && !p.final(name) {
		return p.Effort.Draft()
	}
	return p.Effort
}

// worst returns one search, [stepJudge], or one replay, [stepReplay].
func (f *Flow) worst(ctx context.Context, step string, in JudgeInput) ([]record.Worst, job.Took, error) {
	_, out, took, err := do[[]record.Worst](ctx, f, step, in)
	if err != nil {
		name, _, _ := strings.Cut(step, "/")
		return nil, nil, fmt.Errorf("%s %s: %w", name, in.For, err)
	}
	return *out, took, nil
}

// confirm makes sure of the benchmarks, the least worst cases of ps. A policy that holds one is searched there once
// more, alone and from what was found for all, and then measured finely, until no other comes to hold one
// ([judge.Unsettled]). The policy the run is for was searched twice before; it is measured finely at every level, so that its
// gaps have less noise than other differences: half, where a report is not at its most games.
func (f *Flow) confirm(ctx context.Context, ps []*Policy) error {
	bank, settled := BankOf(ps), make([][]float64, len(ps))
	for i, p := range ps {
		if f.final(p.Name) {
			settled[i] = f.Levels
			if err := f.settle(ctx, p, f.Levels); err != nil {
				return err
			}
		}
	}
	for {
		held, todo := judge.Unsettled(Curves(ps), settled)
		if len(todo) == 0 {
			return nil
		}
		err := f.crew.Each(ctx, len(todo), func(ctx context.Context, j int) error {
			i := todo[j]
			p, levels := ps[i], held[i]
			settled[i] = append(settled[i], levels...)
			if err := f.searchAgain(ctx, p, levels, bank); err != nil {
				return err
			}
			return f.settle(ctx, p, levels)
		})
		if err != nil {
			return err
		}
	}
}

// searchAgain searches p at those of the levels where it was not yet searched alone.
func (f *Flow) searchAgain(ctx context.Context, p *Policy, levels []float64, bank [][]float64) error {
	levels = slices.DeleteFunc(slices.Clone(levels), func(r float64) bool { return slices.Contains(p.confirmed, r) })
	if len(levels) == 0 {
		return nil
	}
	in := JudgeInput{Header: f.header(p.Name + secondSearch), Policy: p.Ref, Levels: levels, Effort: f.Effort.Alone(), Bank: bank}
	found, took, err := f.worst(ctx, stepJudge, in)
	if err != nil {
		return err
	}
	if p.screened { // the bank has its instances, and a short search's few games flatter the policy or blame it
		p.Worst = search.Instead(p.Worst, found)
	} else {
		p.Worst = search.Worse(p.Worst, found)
	}
	p.Took.Judge = append(p.Took.Judge, took...)
	p.confirmed = append(p.confirmed, levels...)
	return nil
}

// settle measures p finely on the instances found for it at the levels, but where games are costly. Each time it
// plays other games, as those of the last had a part in what stands since.
func (f *Flow) settle(ctx context.Context, p *Policy, levels []float64) error {
	if nn.Work(f.Problem) > nn.Costly {
		return nil
	}
	p.measured++
	in := JudgeInput{Header: f.header(p.Name + finely + " " + strconv.Itoa(p.measured)), Policy: p.Ref, Levels: levels, Effort: f.Effort.Fine()}
	for _, w := range p.Worst {
		if slices.Contains(levels, w.Level) {
			in.Earlier = append(in.Earlier, w)
		}
	}
	found, took, err := f.worst(ctx, stepReplay, in)
	if err != nil {
		return err
	}
	p.Worst, p.Took.Judge = search.Instead(p.Worst, found), append(p.Took.Judge, took...)
	return nil
}

// replay judges p once more against instances found elsewhere.
func (f *Flow) replay(ctx context.Context, p *Policy, bank [][]float64) error {
	effort := f.effortFor(p.Name)
	if p.screened {
		effort = screenEffort
	}
	in := JudgeInput{Header: f.header(p.Name), Policy: p.Ref, Levels: f.Levels, Effort: effort, Bank: bank, Earlier: p.Worst}
	found, took, err := f.worst(ctx, stepReplay, in)
	if err != nil {
		return err
	}
	p.Worst, p.Took.Judge = found, append(p.Took.Judge, took...)
	return nil
}
