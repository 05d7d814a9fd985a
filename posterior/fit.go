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
	seen := 0.
	for i, times := range n {
		if times > 0 {
			seen += r.logLikelihood(j, i, times, s[i])
		}
	}
	stream, rare := key.Name("fit").Stream(), 0
	for range fitDraws {
		var drawn float64
		for i, times := range n {
			drawn += r.drawn(j, i, times, s[i], &stream)
		}
		if drawn <= seen+1e-9 {
			rare++
		}
	}
	return rare < fitRare
}

// logLikelihood returns that of times answers to query i with the sum sum, under row j at ε = 0.
func (r *Rows) logLikelihood(j, i int, times, sum float32) float64 {
	m := r.mean(j, i)
	if times == 1 {
		return math.Log((1 + float64(sum)*m) / 2)
	}
	yes, no := float64(times+sum)/2, float64(times-sum)/2
	return timesLog(yes, (1+m)/2) + timesLog(no, (1-m)/2)
}

// mean returns the mean answer of row j to query i at ε = 0, kept from certainty.
func (r *Rows) mean(j, i int) float64 {
	return 2*Share(2*r.p.Shares.Row(j, r.p.Queries())[i]-1) - 1
}

// timesLog returns times·log q, 0 where times is 0.
func timesLog(times, q float64) float64 {
	if times == 0 {
		return 0
	}
	return times * math.Log(q)
}

// drawn draws as many answers to query i from row j, as strong as those with the sum sum, and returns their
// log-likelihood.
func (r *Rows) drawn(j, i int, times, sum float32, stream *rng.Stream) float64 {
	if times == 0 {
		return 0
	}
	strength := float32(1)
	if times == 1 {
		strength = max(sum, -sum)
	}
	m, total := r.mean(j, i), float32(0)
	for range int(times) {
		if stream.Float64() < (1+float64(strength)*m)/2 {
			total += strength
		} else {
			total -= strength
		}
	}
	return r.logLikelihood(j, i, times, total)
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
		for k, prior := range r.p.Shares.Weight {
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
		matrix, keep := r.at(e)
		m := keep * float64(matrix.row[k*r.p.Queries()+i])
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
	for i, yes := range r.p.Shares.Row(j, len(n)) {
		half := n[i] == 1 && (s[i] == 0.5 || s[i] == -0.5)
		if !half && n[i] > 0 && (yes == 1 && s[i] < n[i] || yes == 0 && s[i] > -n[i]) {
			list = append(list, i)
		}
	}
	return list
}
