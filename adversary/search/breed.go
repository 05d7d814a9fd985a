package search

import "slices"

// generation is one turn of a search: what it keeps of the pool that the turns before left, and how it makes and measures the
// young that join these.
type generation struct {
	kept    []*trial
	child   func(k, j int) *trial // makes the j-th young of level k, nil where none fits; workers call it
	measure func(young []*trial) error
}

// breed returns the pool that the last of so many generations leaves, each with so many young of each of the levels. It is the
// loop of all of a search but its climbs and its final.
func (h *hunt) breed(pool []*trial, levels []int, young, generations int, next func(g int, pool []*trial) (generation, error)) ([]*trial, error) {
	const chunk = 16
	for g := range generations {
		now, err := next(g, pool)
		if err != nil {
			return nil, err
		}
		made := make([]*trial, young*len(levels))
		err = each(h, made, chunk, func() struct{} { return struct{}{} }, func(_ struct{}, lo int, ts []*trial) {
			for i := range ts {
				ts[i] = now.child(levels[(lo+i)%len(levels)], (lo+i)/len(levels))
			}
		})
		if err != nil {
			return nil, err
		}
		made = slices.DeleteFunc(made, func(t *trial) bool { return t == nil })
		if err := now.measure(made); err != nil {
			return nil, err
		}
		pool = append(now.kept, made...)
	}
	return pool, nil
}

// parents returns by level the n of the pool that choose, such as [hunt.island], picks for each of the levels.
func (h *hunt) parents(levels []int, choose func(ts []*trial, k, n int) []*trial, pool []*trial, n int) [][]*trial {
	parents := make([][]*trial, len(h.Levels))
	for _, k := range levels {
		parents[k] = choose(pool, k, n)
	}
	return parents
}
