package run

import (
	"context"
	"slices"
	"strings"

	"mapo/adversary/search"
	"mapo/record"
)

// screening ends the name of the job that searches a rival by smoke's effort.
const screening = " screened"

// smoke is the scale whose effort screens, and at which nothing is screened.
const smoke = "smoke"

// screenEffort is that of the short search.
var screenEffort, _ = search.Efforts(smoke)

// sameQuestions groups rivals that ask alike and differ in their decision, such as uniform and uniform+posterior: the places of
// each group's in names, groups and their members in the order of names.
func sameQuestions(names []string) (groups [][]int) {
	at := make(map[string]int)
	for i, name := range names {
		asks, _, _ := strings.Cut(name, "+")
		k, known := at[asks]
		if !known {
			k = len(groups)
			at[asks], groups = k, append(groups, nil)
		}
		groups[k] = append(groups[k], i)
	}
	return groups
}

// screen judges rivals that ask alike by smoke's effort, and that with the lowest worst cases, on average over the levels, by
// the plan's. What it finds of the others is a lower bound that is less tight. It is not taken at its word where it would be a
// benchmark ([Flow.confirm]). The rivals are those at the given places of the plan's, and so are the policies in all.
func (f *Flow) screen(ctx context.Context, places []int, all [][]*Policy) error {
	var best *Policy
	least := 0.
	for _, at := range places {
		p := &Policy{Name: f.Rivals[at], Ref: Ref{Rival: f.Rivals[at]}, screened: true}
		in := JudgeInput{Header: f.header(p.Name + screening), Policy: p.Ref, Levels: f.Levels, Effort: screenEffort}
		found, took, err := f.worst(ctx, stepJudge, in)
		if err != nil {
			return err
		}
		p.Worst, p.Took.Judge, all[at] = found, took, []*Policy{p}
		if sum := total(found); best == nil || sum < least {
			best, least = p, sum
		}
	}
	best.screened = false
	return f.judge(ctx, best, nil)
}

// Screened reports whether p's worst case at a level is from the short search alone. Then it is a looser bound
// than those of other policies, and may not be set against them.
func (p *Policy) Screened(level float64) bool {
	return p.screened && !slices.Contains(p.confirmed, level)
}

// total returns the sum of worst cases.
func total(ws []record.Worst) (sum float64) {
	for _, w := range ws {
		sum += w.Mean
	}
	return sum
}
