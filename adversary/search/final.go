package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mapo/game"
	"mapo/game/sim"
	"mapo/record"
	"mapo/rng"
)

// alike is how near two trials of a level may be and both be kept, but for given
// rows, which are all of Θ.
const alike = 0.02

// secondScreen is how many times a screen's games the better quarter is measured
// with once more, as are the young, given rows and what was found elsewhere.
const secondScreen = 4

// rank returns a trial's mean less two standard errors: the best of many that were measured
// with few games would else push out those known well. The spread is one for all, so that
// among equally measured ones the mean decides.
func (h *hunt) rank(t *trial) float64 {
	return t.mean - 2*h.spread/math.Sqrt(float64(max(1, t.games)))
}

// top returns the n trials of the highest rank that count for level k, no two alike (of
// a finite Θ: the same), best first.
func (h *hunt) top(ts []*trial, k, n int) []*trial {
	var in []*trial
	for _, t := range ts {
		if h.counts(t, k) {
			in = append(in, t)
		}
	}
	slices.SortStableFunc(in, func(a, b *trial) int { return cmp.Compare(h.rank(b), h.rank(a)) })
	near := alike
	if h.Finite != nil {
		near = 0
	}
	var out []*trial
	for _, t := range in {
		if len(out) == n {
			break
		}
		if !slices.ContainsFunc(out, func(o *trial) bool { return apart(o.theta, t.theta) <= near }) {
			out = append(out, t)
		}
	}
	return out
}

// best returns the union of the levels' n best, and of the own best of the levels'
// islands, in the order of ts.
func (h *hunt) best(ts []*trial, n, own int) []*trial {
	keep := make(map[*trial]bool)
	for k := range h.Levels {
		for _, t := range h.top(ts, k, n) {
			keep[t] = true
		}
		for _, t := range h.island(ts, k, own) {
			keep[t] = true
		}
	}
	var out []*trial
	for _, t := range ts {
		if keep[t] {
			out = append(out, t)
			keep[t] = false
		}
	}
	return out
}

// bestAsked returns the union of the n best of the levels that were asked for.
func (h *hunt) bestAsked(ts []*trial, n int) []*trial {
	var out []*trial
	for _, k := range h.asked {
		for _, t := range h.top(ts, k, n) {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// measure estimates every trial's mean from some fresh games; the first call
// also notes how losses spread.
func (h *hunt) measure(ts []*trial, games int, key rng.Key) error {
	return h.measureBy(h.play(), ts, games, key)
}

// measureAlike measures trials by games that are the same for all, which for trials that are
// much alike takes a fraction of the time.
func (h *hunt) measureAlike(ts []*trial, games int, key rng.Key) error {
	play := h.play()
	play.Same = true
	return h.measureBy(play, ts, games, key)
}

// measureBy measures trials as measure does, by the given play.
func (h *hunt) measureBy(play sim.Play, ts []*trial, games int, key rng.Key) error {
	if len(ts) == 0 {
		return nil
	}
	theta := make([]float64, 0, len(ts)*h.d)
	for _, t := range ts {
		theta = append(theta, t.theta...)
	}
	h.count(len(ts) * games)
	sums, err := play.Instances(h.ctx, theta, games, key, h.Loss)
	if err != nil {
		return err
	}
	var all float64
	for i, t := range ts {
		t.sum = sums[0][i]
		t.mean, t.games = t.sum.Mean(), games
		all += max(0, t.sum.XX/float64(games)-t.mean*t.mean)
	}
	if h.spread == 0 {
		h.spread = math.Sqrt(all / float64(len(ts)))
	}
	return nil
}

// play returns how the policy is measured.
func (h *hunt) play() sim.Play {
	return sim.Play{P: h.P, Policy: h.Policy, Workers: h.Workers, Ledger: h.journal}
}

// sift searches the rows of Finite by halvings of plays alone, without climbs.
func (h *hunt) sift() error {
	h.trials = h.given(h.Finite)
	if r, ok := h.without(h.trials); ok {
		return fmt.Errorf("search: none of the %d given instances has a difficulty of at most %g", len(h.Finite), r)
	}
	games := secondScreen * h.effort.Screen
	if err := h.measure(h.trials, games, h.key.Name("screen")); err != nil {
		return err
	}
	for i, rung := range h.effort.Rungs {
		games *= 4
		h.trials = h.best(h.trials, rung.Keep, 0)
		if err := h.measure(h.trials, games, h.key.Name("sift").At(i)); err != nil {
			return err
		}
	}
	h.seen = h.trials
	return nil
}

// revisit measures instances found elsewhere. Where Θ is not finite, the best of them
// climb by the last rung.
func (h *hunt) revisit(thetas [][]float64) error {
	h.trials = h.given(thetas)
	if err := h.measure(h.trials, secondScreen*h.effort.Screen, h.key.Name("screen")); err != nil {
		return err
	}
	n := len(h.effort.Rungs)
	if n == 0 || h.Finite != nil {
		h.seen = h.best(h.trials, h.effort.Finals, 0)
		return nil
	}
	h.trials = h.best(h.trials, h.effort.Rungs[n-1].Keep, 0)
	if err := h.climb(h.trials, h.effort.Rungs[n-1], h.key.Name("climb")); err != nil {
		return err
	}
	h.seen = h.trials
	return nil
}

// report re-plays the candidates of every level in halvings of more and more games, and
// measures each level's winner on games of its own (reading 12). From the second halving on,
// games are the same for all candidates and add to those before. In the first they are not:
// one unlucky set of games would remove a whole region of Θ. Earlier results join in the
// last halving, and their own games count there: else one of many that a few games made look
// worse would take the place of one that many games showed to be bad. What is reported of them
// are fresh games too, as their estimates may have won a choice.
func (h *hunt) report(earlier []record.Worst) ([]record.Worst, error) {
	var finals, known []*trial
	for _, t := range h.seen {
		if !slices.Contains(finals, t) { // what climbs on is seen again
			finals = append(finals, t)
		}
	}
	for k, w := range earlier {
		known = append(known, &trial{theta: w.Theta, rho: w.Rho, level: h.asked[k]})
	}
	halvings := h.effort.halvings(len(finals))
	if err := h.measure(finals, halvings[0].games, h.key.Name("final").At(0)); err != nil {
		return nil, err
	}
	for i, halving := range halvings[1:] {
		finals = h.bestAsked(finals, halving.keep)
		if i == len(halvings)-2 {
			finals = append(finals, known...)
		}
		if err := h.playOn(finals, halving.games, h.key.Name("final").At(i+1)); err != nil {
			return nil, err
		}
	}
	for k, t := range known {
		t.pool(earlier[k].Mean, earlier[k].Games)
	}
	out, reported := make([]record.Worst, len(h.Search.Levels)), make(map[*trial]record.Worst)
	for k, r := range h.Search.Levels {
		best := h.top(finals, h.asked[k], 1)
		if len(best) == 0 {
			return nil, fmt.Errorf("search: no instance of difficulty at most %g among those given", r)
		}
		t := best[0]
		w, ok := reported[t]
		if !ok {
			e, err := h.fair(t, k)
			if err != nil {
				return nil, err
			}
			w = record.Worst{Theta: t.theta, Rho: t.rho, Estimate: e}
			reported[t] = w
		}
		// A level's worst is a level's above too: where noise has it otherwise,
		// the one below stands.
		if k > 0 && out[k-1].Mean >= w.Mean {
			w = out[k-1]
		}
		w.Level = r
		out[k] = w
	}
	return out, nil
}

// halving is one round of the final: the keep best of a level play games each.
type halving struct{ keep, games int }

// halvings returns the rounds of the final for n candidates. Missed losses come mostly from a wrong choice among the last
// few, so these play the most.
func (e Effort) halvings(n int) []halving {
	replay := max(4, e.Replay)
	return []halving{{n, replay / 4}, {10, replay}, {4, 3 * replay}, {2, 8 * replay}}
}

// fair estimates t's loss from games that had no part in choosing t or their number.
func (h *hunt) fair(t *trial, k int) (record.Estimate, error) {
	games := h.effort.games(h.Loss, t.sum)
	h.count(games)
	play := h.play()
	return play.Loss(h.ctx, h.Loss, t.theta, games, h.key.Name("report").At(k))
}

// games returns how many the report needs for its half-width, by the re-play's sum.
func (e Effort) games(loss game.Loss, s sim.Sum) int {
	mean := s.Mean()
	variance := max(0, s.XX/float64(s.N)-mean*mean)
	half := e.HalfWidth
	if loss == game.SimpleRegret {
		half *= max(1, mean)
	}
	// A tenth more, as the variance itself is an estimate.
	need := 1.1 * 1.96 * 1.96 * variance / (half * half)
	if !(need < float64(e.MaxReport)) {
		return max(e.Report, e.MaxReport)
	}
	return max(e.Report, int(math.Ceil(need)))
}
