package play

import "mapo/game"

// pool is which items of a problem with labels may still be asked. Items that got a label or "don't know", and those of the
// mask, may not.
type pool struct {
	*game.Labels
	closed   []bool  // [items]
	labelled []bool  // [items]
	left     []int32 // how many items of each cell are open, [cells]
	open     int     // how many are in all
	labels   int     // how many were given
}

func newPool(l *game.Labels) *pool {
	marks := make([]bool, 2*len(l.Items))
	p := &pool{Labels: l, closed: marks[:len(l.Items)], labelled: marks[len(l.Items):], left: make([]int32, l.Cells()), open: len(l.Items)}
	for c := range p.left {
		p.left[c] = int32(l.Room(c))
	}
	return p
}

// shut closes an item. It returns its cell, and whether another item of that is open.
func (p *pool) shut(item int) (cell int, left bool) {
	cell = p.CellOfItem(item)
	if !p.closed[item] {
		p.closed[item] = true
		p.left[cell]--
		p.open--
	}
	return cell, p.left[cell] > 0
}

// label counts the class of an item.
func (at *Position) label(item, class int) {
	at.shut(item)
	at.pool.labelled[item] = true
	at.pool.labels++
	at.given++
	cell := at.pool.CellOfItem(item)
	lo, hi := at.asks.Columns(cell)
	for i := lo; i < hi; i++ {
		at.n[i]++
		if at.asks.Class(i) == class {
			at.s[i]++
		} else {
			at.s[i]--
		}
	}
}

// items returns the probability that each item is asked, [items]. A cell has the sum over its queries, and each of its open
// items an equal part. Of this the share Explore is replaced by the uniform distribution over all open items. So no open
// item has a probability below Explore/open, and accuracies can be estimated by importance weights.
func (at *Position) items(queries []float32) []float32 {
	p := at.pool
	probs := make([]float32, len(p.Items))
	floor := at.Explore / float64(p.open)
	for c, left := range p.left {
		if left == 0 {
			continue
		}
		var sum float64
		lo, hi := at.asks.Columns(c)
		for _, v := range queries[lo:hi] {
			sum += float64(v)
		}
		each := float32((1-at.Explore)*sum/float64(left) + floor)
		for i := p.Cell[c]; i < p.Cell[c+1]; i++ {
			if !p.closed[i] {
				probs[i] = each
			}
		}
	}
	return probs
}

// Agreed returns how many of the labels so far hypothesis k predicts; nil where the problem has no labels.
func (at *Position) Agreed(k int) *int {
	if at.pool == nil {
		return nil
	}
	n := int(at.agreement(k))
	return &n
}

// agreement returns how many of the labels so far hypothesis k predicts.
func (at *Position) agreement(k int) (right float32) {
	for q, says := range at.Problem.Says(k) {
		switch {
		case says == 1:
			right += (at.n[q] + at.s[q]) / 2
		case at.asks.Tells() == 1:
			right += (at.n[q] - at.s[q]) / 2
		}
	}
	return right
}

// agreements writes those of all hypotheses to dst, [|Z|].
func (at *Position) agreements(dst []float32) {
	for k := range dst {
		dst[k] = at.agreement(k)
	}
}
