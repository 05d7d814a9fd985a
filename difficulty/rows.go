package difficulty

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mapo/game"
)

// mostRows is above how many rows a share of them is told of a sample.
const mostRows = 500

// Sample returns the rows of a graded problem that stand for all: every one up to 500, else 500 at even distances, of a
// [Large] one up to 100. "None of these" is not among them. Ascending.
func Sample(p *game.Problem) []int {
	if Large(p) {
		return evenly(p, fewRows)
	}
	return evenly(p, mostRows)
}

// SampleWords names what [Sample] stands for in a sentence: the rows, or of a [Large] problem a sample of so many.
func SampleWords(p *game.Problem) string {
	if Large(p) {
		return fmt.Sprintf("a sample of %d rows", len(Sample(p)))
	}
	return "the rows"
}

// evenly lists at most so many rows of a graded problem at even distances, without "none of these".
func evenly(p *game.Problem, most int) []int {
	n := p.Drawn()
	rows := make([]int, min(n, most))
	for j := range rows {
		rows[j] = j * n / len(rows)
	}
	return rows
}

// RowRho returns the difficulty of the rows of [Sample] with a share of the answers flipped, θ = (1 − 2·flipped)·(2·yes − 1), each
// for its own hypothesis: +Inf where another scores higher or as high. Costs O(|Z||X|) a row. For a large problem the
// result is kept, see [Look].
func RowRho(p *game.Problem, flipped float64) []float64 {
	if Large(p) {
		return seen.rowRho(context.Background(), p, flipped, untold)
	}
	return rowRho(context.Background(), p, flipped, untold)
}

// rowRho ends at the next row once ctx is done.
func rowRho(ctx context.Context, p *game.Problem, flipped float64, tell func()) []float64 {
	rows := Sample(p)
	rho, c := make([]float64, len(rows)), Of(p)
	theta, in := make([]float64, p.Queries()), new(game.Instance)
	for j, k := range rows {
		if ctx.Err() != nil {
			break
		}
		p.Typical(theta, k)
		for i := range theta {
			theta[i] *= 1 - 2*flipped
		}
		if p.Fill(in, theta); in.Best == k {
			rho[j] = c.Of(theta)
		} else {
			rho[j] = math.Inf(1)
		}
		tell()
	}
	return rho
}

// Coverage returns the share of a graded problem's rows, those of [Sample], that are within Θ^(r) for each of the levels r: how
// much of the table a statement about a level speaks of. flipped is as for [RowRho].
func Coverage(p *game.Problem, levels []float64, flipped float64) []float64 {
	rho, share := RowRho(p, flipped), make([]float64, len(levels))
	for k, r := range levels {
		count := 0
		for _, v := range rho {
			if game.Within(v, r) {
				count++
			}
		}
		share[k] = float64(count) / float64(len(rho))
	}
	return share
}

const (
	tenth  = 0.1  // the share of flipped answers by which levels are chosen
	enough = 0.95 // the share of rows that levels have to cover then
)

// RowLevels returns the levels to choose from for a graded problem with anchors, in steps of √2.
// The first is at or above the median over the rows of the least ρ̃, without rows that are the best
// one of no instance, as they tie with another. The last is the first at or above the ρ̃ that 95 %
// of the rows have with one answer in ten flipped, or above end where that is less. The rows are
// those of [Sample]; the median of a [Large] problem is of those of [Easiest], and it needs no
// anchors.
func RowLevels(p *game.Problem, end float64) []float64 {
	var least []float64
	if Large(p) {
		_, least = Easiest(p)
	} else {
		all := Cells(p)
		for _, k := range Sample(p) {
			least = append(least, all[k])
		}
	}
	end = min(end, quantile(RowRho(p, tenth), enough))
	if least = slices.DeleteFunc(least, func(r float64) bool { return math.IsInf(r, 1) }); len(least) == 0 {
		least = []float64{end}
	}
	out := []float64{step(firstStep(quantile(least, 0.5)))}
	for i := firstStep(out[0]) + 1; out[len(out)-1] < end*(1-1e-9); i++ {
		out = append(out, step(i))
	}
	return out
}

// quantile returns the least of values that a share of them do not exceed.
func quantile(values []float64, share float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[int(math.Ceil(share*float64(len(values))))-1]
}
