package difficulty

import (
	"context"
	"slices"
	"sync"
	"weak"

	"mapo/game"
)

const (
	largeCells = 200_000 // above so many cells a table is large
	fewRows    = 100     // how many rows of a large table are a sample
	easyRows   = 24      // of how many rows of a large table the least ρ̃ is found
)

// Large reports whether a graded problem has so many cells, above 200,000, that what is said of it is found on a sample of its
// rows. Such a problem needs no anchors until it is searched.
func Large(p *game.Problem) bool { return len(p.Z) > classOf(p).few }

// Easiest returns rows of a graded problem, ascending, and the least ρ̃ of each: all rows of a small problem, "none of these"
// among them, and 24 at even distances of a [Large] one. The least over all rows is at most the least of these.
func Easiest(p *game.Problem) (rows []int, rho []float64) {
	if !Large(p) {
		return every(p), Cells(p)
	}
	rows = evenly(p, easyRows)
	return rows, seen.easiest(context.Background(), p, rows, untold)
}

// lookUnits is how many times as long the least ρ̃ of a row takes as its own ρ̃, about.
const lookUnits = 8

// Look works out what [Easiest], [RowRho] and [Coverage] say of a [Large] problem, so that they cost nothing afterwards.
// tell is told what share of it is done, by one caller at a time. The error is ctx's, where that is done first.
func Look(ctx context.Context, p *game.Problem, tell func(share float64)) error {
	easy, flips := evenly(p, easyRows), []float64{0, tenth}
	all := len(easy)*lookUnits + len(flips)*len(Sample(p))
	var done int
	var lock sync.Mutex
	step := func(units int) func() {
		return func() {
			lock.Lock()
			defer lock.Unlock()
			done += units
			tell(float64(done) / float64(all))
		}
	}
	seen.easiest(ctx, p, easy, step(lookUnits))
	for _, flipped := range flips {
		seen.rowRho(ctx, p, flipped, step(1))
	}
	return ctx.Err()
}

// seen is what was worked out for the last large problem.
var seen memory

func untold() {}

// memory is what was worked out for one large problem and its copies, which share Z.
type memory struct {
	lock  sync.Mutex
	of    weak.Pointer[float32] // the first entry of its Z
	drawn int                   // its Drawn
	by    string                // its Difficulty
	least []float64             // of easyRows
	rho   map[float64][]float64 // by the share of answers flipped
}

// turn makes m that of p.
func (m *memory) turn(p *game.Problem) {
	if of := weak.Make(&p.Z[0]); of != m.of || m.drawn != p.Drawn() || m.by != p.Difficulty {
		m.of, m.drawn, m.by, m.least, m.rho = of, p.Drawn(), p.Difficulty, nil, map[float64][]float64{}
	}
}

// easiest returns the least ρ̃ of some rows, the same in each call. Once ctx is done it soon ends, and keeps nothing.
func (m *memory) easiest(ctx context.Context, p *game.Problem, rows []int, tell func()) []float64 {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.turn(p)
	if m.least == nil {
		anchors := anchorsOf(ctx, p, rows, func(int) { tell() })
		if ctx.Err() != nil {
			return nil
		}
		m.least = rhoOf(p, Of(p), len(rows), anchors)
	}
	return slices.Clone(m.least)
}

// rowRho returns what [RowRho] does, computed once and kept while m is that of p. Once ctx is done it soon ends, and keeps
// nothing.
func (m *memory) rowRho(ctx context.Context, p *game.Problem, flipped float64, tell func()) []float64 {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.turn(p)
	if m.rho[flipped] == nil {
		rho := rowRho(ctx, p, flipped, tell)
		if ctx.Err() != nil {
			return nil
		}
		m.rho[flipped] = rho
	}
	return slices.Clone(m.rho[flipped])
}
