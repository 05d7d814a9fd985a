package posterior

import "mapo/internal/num"

const (
	// leftOut is what the rows that are left out of quick gains may weigh together, as a share of the weight of the rows but
	// the likeliest. Of a gain a row of weight w makes up w·(H'(q)·Δq + ΔH), at most 4.5·w nats as P(yes) is kept from 0 and 1.
	leftOut = 1e-7
	// quickRounding is how large a quick gain may be by rounding, as a share of the weight of the rows but the likeliest.
	quickRounding = 5e-7
	// listed is how many rows are summed in float32.
	listed = 64
)

// quickScratch is of [Belief.QuickGain].
type quickScratch struct {
	kept        num.Threes // rows that matter but the likeliest: weight, clean and keep
	total       float64    // of their weights
	mean, doubt []float32  // sums over lists of them, [lists, width]; the first list's are in the end those of all
}

// QuickGain writes what [Belief.Gain] does to dst, [|X|], but faster, and 0 for queries that mask excludes. It agrees with
// it to 10⁻⁶ nats. Sums are over the rows but the likeliest, as in [Fixed.Gains]; those whose weight does not matter are
// left out. Costs O(|X|) for each row that does, by [num.Replies].
func (b *Belief) QuickGain(dst []float64, mask []bool /* [|X|] or nil */) {
	best, others := b.keepRows()
	if others == 0 {
		clear(dst)
		return
	}
	b.sumKept()
	if b.rows.lax != nil {
		b.doubtUnknown(best)
	}
	q := &b.quick
	clean, keep := b.kept(best)
	for i := range dst {
		dst[i] = 0
		if mask != nil && mask[i] {
			continue
		}
		m := b.rows.row.At(best, i)
		mean := float64(clean*clip(m, b.rows.limit)) + float64(keep*m)
		own := b.rows.entropy((1 + mean) / 2)
		mixed := mean + others*(float64(q.mean[i])-q.total*mean)
		gain := b.rows.entropy((1+mixed)/2) - own - others*(float64(q.doubt[i])-q.total*own)
		if gain >= quickRounding*others {
			dst[i] = gain
		}
	}
}

// entropy returns the entropy of an answer by its share of yes, except for exact tables by a curve.
func (r *Rows) entropy(q float64) float64 {
	if r.lax != nil {
		return Entropy(q)
	}
	return doubtCurve.Of(q)
}

// doubtUnknown sums the entropies for an exact table, where only unknown cells have any. [num.Replies] takes no certain
// answers.
func (b *Belief) doubtUnknown(best int) {
	q, shares, d := &b.quick, b.rows.shares, b.rows.p.Queries()
	b.yes = sized(b.yes, d)
	clear(b.yes)
	others := 0.
	for j := 0; shares.Unknown != nil && j < len(b.Weight); j++ {
		if w := b.Weight[j]; w > 0 && j != best && !(shares.Other && j == len(b.Weight)-1) {
			others += w
			for i, unknown := range shares.Unknown[j*d : (j+1)*d] {
				if unknown {
					b.yes[i] += w * float64(between(b.rows.row.At(j, i)))
				}
			}
		}
	}
	for i, doubt := range b.yes {
		q.doubt[i] = float32(doubt / max(others, tiny))
	}
}

// keepRows lists the rows that matter but the likeliest, with their shares of the others' weight. It returns the likeliest, and
// what the others weigh among the rows, "none of these" aside: 0 where nothing is left to tell apart.
func (b *Belief) keepRows() (best int, others float64) {
	rows, among := len(b.Weight), 1.
	if b.rows.shares.Other {
		rows--
		if among -= b.Weight[rows]; among <= negligible {
			return 0, 0
		}
	}
	for j, w := range b.Weight[:rows] {
		if w > b.Weight[best] {
			best = j
		}
	}
	for j, w := range b.Weight[:rows] {
		if j != best {
			others += w
		}
	}
	q := &b.quick
	q.kept.Reset(1, len(b.Weight))
	q.total = 0
	count, least := 0, others*leftOut/float64(rows)
	if b.rows.lax != nil {
		least = 0 // a certain answer has no bound
	}
	for j, w := range b.Weight[:rows] {
		if j == best || w <= least {
			continue
		}
		share := float32(w / others)
		clean, keep := b.kept(j)
		q.kept.Add(j, share, clean, keep)
		q.total += float64(share)
		if count++; count%listed == 0 {
			q.kept.End()
		}
	}
	q.kept.End()
	return best, others / among
}

// sumKept adds the kept rows up, by lists that are short enough for float32.
func (b *Belief) sumKept() {
	q, m := &b.quick, b.rows.row
	all, width := q.kept.Rows()*m.Width(), m.Width()
	if len(q.mean) < all {
		q.mean, q.doubt = make([]float32, all), make([]float32, all)
	}
	num.Replies(q.mean[:all], q.doubt[:all], &q.kept, m)
	for i := range width {
		var mean, doubt float64
		for at := i; at < all; at += width {
			mean, doubt = mean+float64(q.mean[at]), doubt+float64(q.doubt[at])
		}
		q.mean[i], q.doubt[i] = float32(mean), float32(doubt)
	}
}
