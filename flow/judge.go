package flow

import (
	"context"
	"fmt"
	"slices"

	"mapo/eval"
	"mapo/search"
)

// judge searches p's worst case at every level with that effort: that of the policy the
// run is for twice, with streams of their own, as one search may miss what another finds.
func (f *Flow) judge(ctx context.Context, p *Policy, effort search.Effort, bank [][]float64) error {
	searches := []string{p.Name}
	if f.final(p.Name) {
		searches = append(searches, p.Name+secondSearch)
	}
	found, took := make([][]search.Worst, len(searches)), make([]Took, len(searches))
	err := each(ctx, len(searches), func(ctx context.Context, i int) (err error) {
		in := JudgeInput{Header: f.header(searches[i]), Policy: p.Ref, Levels: f.Levels, Effort: effort, Bank: bank}
		found[i], took[i], err = f.hunt(ctx, in)
		return err
	})
	if err != nil {
		return err
	}
	p.Worst, p.judge = search.Worse(found[0], found[1:]...), append(p.judge, slices.Concat(took...)...)
	return nil
}

// hunt is one search.
func (f *Flow) hunt(ctx context.Context, in JudgeInput) ([]search.Worst, Took, error) {
	_, out, took, err := do[[]search.Worst](ctx, f, stepJudge, in)
	if err != nil {
		return nil, nil, fmt.Errorf("judge %s: %w", in.For, err)
	}
	return *out, took, nil
}

// confirm searches once more, there alone, the policies that hold a benchmark, the least
// worst case of ps at a level, until all that hold one were searched there twice, as the policy
// the run is for is. The least of many is most likely one of which a search missed something.
func (f *Flow) confirm(ctx context.Context, ps []*Policy) error {
	for {
		held := make([][]float64, len(ps))
		var todo []int
		for k, i := range eval.Holders(curves(ps)) {
			if p := ps[i]; !f.final(p.Name) && !slices.Contains(p.confirmed, f.Levels[k]) {
				if held[i] == nil {
					todo = append(todo, i)
				}
				held[i] = append(held[i], f.Levels[k])
			}
		}
		if len(todo) == 0 {
			return nil
		}
		err := each(ctx, len(todo), func(ctx context.Context, j int) error {
			p, levels := ps[todo[j]], held[todo[j]]
			in := JudgeInput{Header: f.header(p.Name + secondSearch), Policy: p.Ref, Levels: levels, Effort: f.Effort.Alone()}
			found, took, err := f.hunt(ctx, in)
			if err != nil {
				return err
			}
			p.Worst, p.judge = search.Worse(p.Worst, found), append(p.judge, took...)
			p.confirmed = append(p.confirmed, levels...)
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// replay judges p once more against instances found elsewhere.
func (f *Flow) replay(ctx context.Context, p *Policy, bank [][]float64) error {
	in := JudgeInput{Header: f.header(p.Name), Policy: p.Ref, Levels: f.Levels, Effort: f.Effort, Bank: bank, Earlier: p.Worst}
	_, out, took, err := do[[]search.Worst](ctx, f, stepReplay, in)
	if err != nil {
		return fmt.Errorf("replay %s: %w", p.Name, err)
	}
	p.Worst, p.judge = *out, append(p.judge, took...)
	return nil
}
