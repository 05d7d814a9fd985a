package policies

import "slices"

// Objects returns the names of what the policy's hypotheses are: the rows of its table or, where they are not rows, the
// hypotheses. It must not be changed.
func (p *Policy) Objects() []string {
	if p.Table != nil {
		return p.Table.Objects
	}
	return p.problem.Names
}

// Of returns the names of the objects that hypothesis k stands for: several for "A or B", none for "none of these".
func (p *Policy) Of(k int) []string {
	if p.Table == nil {
		return p.problem.Names[k : k+1]
	}
	like := p.like()
	if k >= len(like) {
		return nil
	}
	names := make([]string, len(like[k]))
	for i, row := range like[k] {
		names[i] = p.Table.Objects[row]
	}
	return names
}

// finder finds a policy's objects by their names.
type finder struct {
	*Objects
	owner []int // the hypothesis that stands for each
}

func (p *Policy) makeFinder() *finder {
	f := &finder{Objects: NewObjects(p.Objects()), owner: make([]int, len(p.Objects()))}
	for i := range f.owner {
		f.owner[i] = i
	}
	if p.Table == nil {
		return f
	}
	for k, rows := range p.like() {
		for _, row := range rows {
			f.owner[row] = k
		}
	}
	return f
}

// Hypothesis returns the hypothesis of that name, or that stands for the objects of that name; -1 where there is none.
func (p *Policy) Hypothesis(name string) int {
	if k := slices.Index(p.problem.Names, name); k >= 0 {
		return k
	}
	f := p.Finder()
	found, ok := f.Find(name)
	for _, i := range found {
		if f.owner[i] != f.owner[found[0]] {
			return -1
		}
	}
	if !ok {
		return -1
	}
	return f.owner[found[0]]
}
