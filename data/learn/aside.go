package learn

import (
	"cmp"
	"math"
	"slices"

	"mapo/game/play"
	"mapo/policy/posterior"
)

const (
	mostCandidates = 64 // clients compared with the quantile of the other games before all are judged anew
	mostSuspected  = 3  // one in so many of the games may be of clients that are suspected to hide each other
)

// judge holds the counts of the games that count, from which it takes clients and games out to judge them.
type judge struct {
	*selector
	queries int
	base    *Base
	counts  *Counts
	games   []judgedGame // all, in order
	owner   []*client    // of each game, nil: not known
	order   []int        // games that may count, those that fit worst first: in which order to look at them, no more

	prior []evidence // of each question's disagreement; nil: there is none
	log   []evidence // the log-likelihood of each question's answers
	share []float64  // each question's disagreement

	saved      []evidence // log and share before a client was taken out
	savedShare []float64
}

// judgedGame is a game in the order of the table.
type judgedGame struct {
	rows    []int32
	answers []judgedAnswer // those to one question side by side
}

type judgedAnswer struct {
	column int32
	halves int8 // of an answer, as [play.Answer.Halves]
}

// judge returns the counts of the games that the cap leaves.
func (m *Model) judge(cells []Cell, games []Played, x *selector) (*judge, error) {
	c, _, err := m.counts(cells)
	if err != nil {
		return nil, err
	}
	j := &judge{selector: x, queries: m.Base.Queries, base: m.Base, counts: c, share: make([]float64, m.Base.Queries), savedShare: make([]float64, m.Base.Queries)}
	if err := j.read(m, games); err != nil {
		return nil, err
	}
	for k, out := range x.s.Excluded {
		if out {
			j.count(&j.games[k], -1)
		}
	}
	if !m.o.Plain {
		j.prior, j.log, j.saved = make([]evidence, j.queries), make([]evidence, j.queries), make([]evidence, j.queries)
		for i := range j.queries {
			j.prior[i] = priorOf(m.Base.spread(i))
		}
		for at, p := range j.base.P {
			j.log[at%j.queries].add(p, float64(c.Yes[at])/2, float64(c.No[at])/2)
		}
		j.infer()
	}
	return j, nil
}

// read brings the games to the order of the table.
func (j *judge) read(m *Model, games []Played) error {
	j.games, j.owner = make([]judgedGame, len(games)), make([]*client, len(games))
	for _, c := range j.clients {
		for _, k := range c.games {
			j.owner[k] = c
		}
	}
	var rows []int32
	var answers []judgedAnswer
	seen := make([]int, j.queries) // the last game, counted from 1, that answered the question
	for k := range games {
		r, a, again := len(rows), len(answers), false
		for _, object := range games[k].Objects {
			row, err := m.row(object)
			if err != nil {
				return err
			}
			rows = append(rows, int32(row))
		}
		for _, told := range games[k].Answers {
			col, err := m.column(told.Query)
			if err != nil {
				return err
			}
			if told.Answer == play.DontKnow {
				continue
			}
			again = again || seen[col] == k+1
			seen[col] = k + 1
			answers = append(answers, judgedAnswer{int32(col), int8(told.Answer.Halves())})
		}
		g := judgedGame{rows: rows[r:len(rows):len(rows)], answers: answers[a:len(answers):len(answers)]}
		if again {
			slices.SortStableFunc(g.answers, func(a, b judgedAnswer) int { return cmp.Compare(a.column, b.column) })
		}
		j.games[k] = g
	}
	return nil
}

// infer sets every question's disagreement.
func (j *judge) infer() {
	for i := range j.log {
		j.share[i] = posteriorMean(&j.prior[i], &j.log[i])
	}
}

// count adds the answers of a game to the counts times over; −1 takes them out.
func (j *judge) count(g *judgedGame, times int64) {
	for _, row := range g.rows {
		for _, a := range g.answers {
			at := int(row)*j.queries + int(a.column)
			j.counts.Yes[at] += times * int64(max(a.halves, 0))
			j.counts.No[at] += times * int64(max(-a.halves, 0))
		}
	}
}

// move adds games to the counts and to the evidence times over.
func (j *judge) move(games []int, times int64) {
	for _, k := range games {
		g := &j.games[k]
		j.count(g, times)
		if j.log == nil {
			continue
		}
		for _, row := range g.rows {
			for _, a := range g.answers {
				p := j.base.P[int(row)*j.queries+int(a.column)]
				j.log[a.column].add(p, float64(times)*float64(max(a.halves, 0))/2, float64(times)*float64(max(-a.halves, 0))/2)
			}
		}
	}
}

// without calls do while the counts lack a client's games.
func (j *judge) without(c *client, do func()) {
	copy(j.saved, j.log)
	copy(j.savedShare, j.share)
	j.move(c.games[:c.kept], -1)
	for i := range j.log {
		if j.log[i] != j.saved[i] { // these are few: it costs less than infer
			j.share[i] = posteriorMean(&j.prior[i], &j.log[i])
		}
	}
	do()
	for _, k := range c.games[:c.kept] {
		j.count(&j.games[k], 1)
	}
	copy(j.log, j.saved)
	copy(j.share, j.savedShare)
}

// fit returns the mean log-likelihood of a game's answers; own: the counts hold the game, and it is judged without its
// own answers.
func (j *judge) fit(g *judgedGame, own bool) float64 {
	sum, product := 0., 1.
	for first := 0; first < len(g.answers); {
		column, yes, no := int(g.answers[first].column), int64(0), int64(0)
		end := first
		for ; end < len(g.answers) && int(g.answers[end].column) == column; end++ {
			if a := int64(g.answers[end].halves); own && a > 0 {
				yes += a
			} else if own {
				no -= a
			}
		}
		p, share := 0., j.share[column]
		for _, row := range g.rows {
			at := int(row)*j.queries + column
			base, kappa, all := (1-2*share)*j.base.P[at]+share, j.base.Kappa[at], j.counts.Yes[at]+j.counts.No[at]
			p += (kappa*base + float64(j.counts.Yes[at]-yes)/2) / (kappa + float64(all-yes-no)/2)
		}
		p = clip(p / float64(len(g.rows)))
		for ; first < end; first++ {
			product *= 0.5 + float64(g.answers[first].halves)/2*(p-0.5)
			if product < 1e-200 {
				sum, product = sum+math.Log(product), 1
			}
		}
	}
	return (sum + math.Log(product)) / float64(len(g.answers))
}

// clip keeps a share from certainty, as a posterior does.
func clip(p float64) float64 { return min(max(p, posterior.LeastShare), 1-posterior.LeastShare) }

// setAside sets clients aside until none is left that is to be.
func (j *judge) setAside() {
	candidates := j.candidates()
	j.unmask(candidates)
	if len(j.s.Aside) > 0 {
		candidates = j.candidates()
	}
	for j.setAsideOf(candidates) {
		candidates = j.candidates()
	}
}

// setAsideOf sets clients aside that misfit, the lowest median first and all judged anew after each, and reports whether
// there was one.
func (j *judge) setAsideOf(candidates []*client) bool {
	for any := false; ; any = true {
		// The cap may have left a client fewer games, or only such as have no answers.
		candidates = slices.DeleteFunc(candidates, func(c *client) bool { return j.judged(c) < asideGames })
		for _, c := range candidates {
			j.without(c, func() { j.measure(c) })
		}
		slices.SortStableFunc(candidates, byMedian)
		at := slices.IndexFunc(candidates, j.misfits)
		if at < 0 {
			return any
		}
		candidates = slices.Delete(candidates, at, at+1)
	}
}

// unmask sets clients aside that hide each other: the games of one are among the others' that fit worst. It takes the
// clients of the lowest medians out, up to a third of the games, and brings them back one by one, the highest median
// first, until one misfits what counts by then. That one and those below it are set aside.
func (j *judge) unmask(candidates []*client) {
	var suspects []*client
	room := len(j.order) / mostSuspected
	for _, c := range candidates {
		if c.kept <= room {
			room -= c.kept
			c.suspected, suspects = true, append(suspects, c)
			j.move(c.games[:c.kept], -1)
		}
	}
	for ; len(suspects) > 0; suspects = suspects[:len(suspects)-1] {
		j.infer()
		for _, c := range suspects {
			j.measure(c)
		}
		slices.SortStableFunc(suspects, byMedian)
		best := suspects[len(suspects)-1]
		if quantile, low := j.low(best); low {
			for _, c := range suspects {
				j.remove(c, quantile)
			}
			break
		}
		best.suspected = false
		j.move(best.games[:best.kept], 1)
	}
	j.move(j.cap(), -1)
	j.infer()
}

func byMedian(a, b *client) int { return cmp.Compare(a.median, b.median) }

// candidates returns the clients of the lowest medians, the lowest first, and sets the order of the games.
func (j *judge) candidates() []*client {
	var list []*client
	fits := make([]float64, len(j.games))
	j.order = j.order[:0]
	for _, c := range j.clients {
		if c.aside {
			continue
		}
		for _, k := range c.games[:c.kept] {
			if len(j.games[k].answers) > 0 {
				fits[k], j.order = j.fit(&j.games[k], true), append(j.order, k)
			}
		}
		if !c.exempt && j.judged(c) >= asideGames {
			list = append(list, c)
		}
	}
	for _, c := range list {
		j.without(c, func() { j.measure(c) })
	}
	slices.SortFunc(j.order, func(a, b int) int { return cmp.Or(cmp.Compare(fits[a], fits[b]), cmp.Compare(a, b)) })
	slices.SortStableFunc(list, byMedian)
	return list[:min(len(list), mostCandidates)]
}

// judged returns how many of a client's games that the cap leaves have answers.
func (j *judge) judged(c *client) (n int) {
	for _, k := range c.games[:c.kept] {
		if len(j.games[k].answers) > 0 {
			n++
		}
	}
	return n
}

// measure sets a client's median by the counts as they are, which lack its games.
func (j *judge) measure(c *client) {
	fits := make([]float64, 0, c.kept)
	for _, k := range c.games[:c.kept] {
		if len(j.games[k].answers) > 0 {
			fits = append(fits, j.fit(&j.games[k], false))
		}
	}
	slices.Sort(fits)
	c.median = (fits[(len(fits)-1)/2] + fits[len(fits)/2]) / 2
}

// misfits reports whether a client's median lies below the quantile of the other games, and sets the client aside then.
func (j *judge) misfits(c *client) (low bool) {
	var quantile float64
	j.without(c, func() { quantile, low = j.low(c) })
	if low {
		j.move(j.remove(c, quantile), -1)
		j.move(j.cap(), -1)
		j.infer()
	}
	return low
}

// low reports whether a client's median lies below the quantile of the other games that count, and that quantile where it
// does. The counts lack the client's games. It looks at the games that fit worst first, and stops when enough of them fit
// no better than the client.
func (j *judge) low(c *client) (quantile float64, low bool) {
	var others []int
	for _, k := range j.order {
		if owner := j.owner[k]; owner != c && !owner.suspected && !j.s.Excluded[k] {
			others = append(others, k)
		}
	}
	rank, below := len(others)/asideOf, 0
	if rank == 0 {
		return 0, false
	}
	fits := make([]float64, 0, len(others))
	for _, k := range others {
		fit := j.fit(&j.games[k], true)
		if fit <= c.median {
			below++
		}
		if below > rank {
			return 0, false
		}
		fits = append(fits, fit)
	}
	slices.Sort(fits)
	return fits[rank], true
}
