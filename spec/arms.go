package spec

import (
	"fmt"

	"mapo/data/dataset"
)

// arms are as written: so many, or their names.
type arms struct {
	Count *int     `yaml:"count"` // 2 to 2,000
	Names []string `yaml:"names"` // or their names
}

// arms sets the problem to best-arm identification, which needs no file.
func (l *loader) arms(budget int, once bool) error {
	raw := l.raw.Problem.Arms
	switch {
	case raw.Count == nil && raw.Names == nil:
		return l.src.at("problem.arms", "arms have neither a count nor names: write arms: {count: 10} or arms: {names: [red, green, blue]}")
	case raw.Count != nil && raw.Names != nil && *raw.Count != len(raw.Names):
		return l.src.at("problem.arms.count", "count is %d and there are %d names: remove the count", *raw.Count, len(raw.Names))
	case l.raw.Problem.Select != nil:
		return l.src.at("problem.select", "select is for tables: remove it, or lower arms' count")
	case once:
		return l.src.at("ask-once", "ask-once is for questions whose answers do not change; an arm is pulled many times: remove it")
	}
	names, at := raw.Names, "problem.arms.names"
	l.spec.origin = fmt.Sprintf("  arms: {names: %s}\n", words(names))
	if names == nil {
		at = "problem.arms.count"
		if *raw.Count < 2 || *raw.Count > mostD {
			return l.src.at(at, "%d arms; there must be from 2 to %d", *raw.Count, mostD)
		}
		for i := range *raw.Count {
			names = append(names, fmt.Sprintf("arm %d", i+1))
		}
		l.spec.origin = fmt.Sprintf("  arms: {count: %d}\n", *raw.Count)
	}
	p, err := dataset.Arms(names, budget)
	if err != nil {
		return l.src.at(at, "%v", err)
	}
	l.spec.Problem = p
	return nil
}
