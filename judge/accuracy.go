package judge

import (
	"math"

	"mapo/record"
)

// AccuracyConfidence is that of the intervals of [Drawn.Accuracy].
const AccuracyConfidence = 0.95

// bets are the shares of the capital that are staked; the interval is by their mean.
var bets = [...]float64{1. / 32, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 3. / 4, 0.9, 0.97}

// Drawn is a pool of items from which some were drawn for a label, one after the other.
type Drawn struct {
	Items  int     // how many the pool has
	Weight float64 // the sum of their weights: how many items stand behind them
	Most   float64 // the largest weight
	Floor  float64 // each draw gave each item without a label at least Floor ÷ (items without one)
}

// Drew is a draw, as it counts for one model.
type Drew struct {
	Weight     float64 // the item's
	Propensity float64 // with which it was drawn among the items without a label
	Right      bool    // whether the model predicts the label
	Guess      float64 // the probability of that as guessed before any draw, any number from 0 to 1
}

// Accuracy estimates the share, by weight, of the pool's items that a model predicts right. guess is the mean of Guess over the
// pool, by weight. The draws may depend on all that came before.
//
// The interval is by betting (Waudby-Smith and Ramdas 2023): it holds the truth with probability at least 0.95 for a model that
// is chosen in advance, however many draws there are and whatever ended them. The mean is [Drawn.Unbiased], moved into the
// interval.
func (d Drawn) Accuracy(draws []Drew, guess float64) record.Estimate {
	lo := d.bound(draws, true)
	hi := 1 - d.bound(draws, false)
	hi = max(lo, hi) // both are exact where all items have labels, up to rounding
	return record.Estimate{Mean: min(max(d.Unbiased(draws, guess), lo), hi), Lo: lo, Hi: hi, Confidence: AccuracyConfidence, Games: len(draws)}
}

// Unbiased estimates what [Drawn.Accuracy] does without bias, where the number of draws does not depend on them. It is the mean
// of the guesses, a control variate, plus what the draws add to it. They have the weights of Farquhar, Gal and Rainforth (2021),
// which correct for draws without replacement. It may lie outside [0, 1].
func (d Drawn) Unbiased(draws []Drew, guess float64) float64 {
	n, m := float64(d.Items), float64(len(draws))
	var sum float64
	for k, draw := range draws {
		open := n - float64(k) // without a label before this draw
		v := 1.0
		if n > m {
			v += (n - m) / (open - 1) * (1/(open*draw.Propensity) - 1)
		}
		sum += v * n * draw.Weight / d.Weight * (one(draw.Right) - draw.Guess)
	}
	if m > 0 {
		sum /= m
	}
	return guess + sum
}

// bound returns the least share of right items, or of wrong ones, that the draws do not refute: the capital of bets against it stays
// below 2/(1 − 0.95). The capital falls as the share rises.
func (d Drawn) bound(draws []Drew, right bool) float64 {
	var seen float64
	for _, draw := range draws {
		if draw.Right == right {
			seen += draw.Weight
		}
	}
	lo, hi := seen/d.Weight, 1.0
	if d.capital(draws, right, lo) < 2/(1-AccuracyConfidence) {
		return lo
	}
	for range 50 {
		if mid := (lo + hi) / 2; d.capital(draws, right, mid) < 2/(1-AccuracyConfidence) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// capital returns what bets against a share have made of 1. Where m is what the share leaves for the items without a label, w the
// draw's weight over the expected and y whether it counts, E[w·y] = m and E[w·(y − m)] = 0. A bet c on the first multiplies the
// capital by 1 + c(wy/m − 1), on the second by 1 + c·w/w_max·(y/m − 1).
func (d Drawn) capital(draws []Drew, right bool, share float64) float64 {
	var logs [2 * len(bets)]float64
	open, left := d.Weight, share*d.Weight
	for k, draw := range draws {
		m := min(left/open, 1)
		if left <= 1e-9*d.Weight { // no item counts any more, up to rounding
			if draw.Right == right {
				return math.Inf(1)
			}
			open -= draw.Weight
			continue
		}
		w := draw.Weight / open / draw.Propensity
		part := min(w*open*d.Floor/(d.Most*float64(d.Items-k)), 1) // of the largest w
		first, second := -1.0, -part
		if draw.Right == right {
			first, second = w/m-1, part*(1/m-1)
			left -= draw.Weight
		}
		for i, c := range bets {
			logs[2*i] += math.Log1p(c * first)
			logs[2*i+1] += math.Log1p(c * second)
		}
		open -= draw.Weight
	}
	var sum float64
	for _, v := range logs {
		sum += math.Exp(v)
	}
	return sum / float64(len(logs))
}

// one returns 1 for true, else 0.
func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
