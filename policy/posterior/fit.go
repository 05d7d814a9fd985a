package posterior

import (
	"cmp"
	"math"
	"slices"

	"mapo/rng"
)

const (
	fitAnswers = 8    // answers from which on a misfit is reported
	fitDraws   = 1000 // answer vectors drawn to compare with
	fitRare    = 10   // of which fewer than this many fit no better: the 1 % quantile
)

// Misfits reports whether the answers do not fit row j: their log-likelihood under the row at ε = 0 is below the 1 %
// quantile of 1,000 answer vectors that the row itself draws for the same queries. It is false below 8 answers.
// n and s are as for [Rows.Believe]; key names the draws.
func (r *Rows) Misfits(j int, n, s []float32, key rng.Key) bool {
	answers := float32(0)
	for _, times := range n {
		answers += times
	}
	if answers < fitAnswers {
		return false
	}
	seen, draws := 0., []draw(nil)
	for i, times := range n {
		if times > 0 {
			d := r.draw(j, i, times, s[i])
			seen, draws = seen+d.logLikelihood(int(times), s[i]), append(draws, d)
		}
	}
	stream, rare := key.Name("fit").Stream(), 0
	for range fitDraws {
		drawn := 0.
		for _, d := range draws {
			for range d.times {
				if stream.Float64() < d.yes {
					drawn += d.logYes
				} else {
					drawn += d.logNo
				}
			}
		}
		if drawn <= seen+1e-9 {
			rare++
		}
	}
	return rare < fitRare
}

// draw is how a row answers one query at ε = 0: so often, yes with a probability, half answers where the game's is one.
type draw struct {
	times              int
	yes, logYes, logNo float64
}

// draw returns how row j answers query i as often and as strongly as times answers with the sum sum do.
func (r *Rows) draw(j, i int, times, sum float32) draw {
	strength := 1.
	if times == 1 {
		strength = math.Abs(float64(sum))
	}
	yes := (1 + strength*r.mean(j, i)) / 2
	return draw{times: int(times), yes: yes, logYes: math.Log(yes), logNo: math.Log(1 - yes)}
}

// logLikelihood returns that of times answers with the sum sum.
func (d draw) logLikelihood(times int, sum float32) float64 {
	yes := (times + int(sum)) / 2
	if times == 1 && sum > 0 {
		yes = 1
	}
	return float64(yes)*d.logYes + float64(times-yes)*d.logNo
}

// mean returns the mean answer of row j to query i at ε = 0, kept from certainty.
func (r *Rows) mean(j, i int) float64 {
	return 2*Share(2*r.shares.Row(j, r.p.Queries())[i]-1) - 1
}

// Reason is how much the answers to one query speak for a row.
type Reason struct {
	Query  int
	Weight float64 // log P(answers | row) − log P(answers | the other rows), in nats
}

// Reasons returns, for every query asked, how much its answers speak for row j against the other rows as they were
// weighted before the game, the strongest first. n and s are as for [Rows.Believe].
func (r *Rows) Reasons(j int, n, s []float32) []Reason {
	var list []Reason
	for i, times := range n {
		if times == 0 {
			continue
		}
		mine, others, weight := 0., 0., 0.
		for k, prior := range r.shares.Weight {
			p := r.likelihood(k, i, times, s[i])
			if k == j {
				mine = p
			} else {
				others, weight = others+prior*p, weight+prior
			}
		}
		list = append(list, Reason{i, math.Log(max(mine, tiny)) - math.Log(max(others/max(weight, tiny), tiny))})
	}
	slices.SortStableFunc(list, func(a, b Reason) int { return cmp.Compare(b.Weight, a.Weight) })
	return list
}

// tiny stands in for 0 in a logarithm.
const tiny = 1e-300

// likelihood returns that of times answers to query i with the sum sum under row k, over the noise as it was before the
// game.
func (r *Rows) likelihood(k, i int, times, sum float32) float64 {
	total := 0.
	for e := range r.noise.share {
		limit, keep := r.at(e)
		m := keep * float64(clip(r.column[i*r.p.Hypotheses()+k], limit))
		p := (1 + float64(sum)*m) / 2
		if times > 1 {
			p = math.Pow((1+m)/2, float64(times+sum)/2) * math.Pow((1-m)/2, float64(times-sum)/2)
		}
		total += r.noise.weight[e] * p
	}
	return total
}

// Excluding returns the queries whose answers are impossible under row j with its shares as they stand: a no where the
// share is 1, a yes where it is 0. n and s are as for [Rows.Believe].
func (r *Rows) Excluding(j int, n, s []float32) []int {
	var list []int
	for i, yes := range r.shares.Row(j, len(n)) {
		half := n[i] == 1 && (s[i] == 0.5 || s[i] == -0.5)
		if !half && n[i] > 0 && (yes == 1 && s[i] < n[i] || yes == 0 && s[i] > -n[i]) {
			list = append(list, i)
		}
	}
	return list
}
