package adversary

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"mapo/adversary/search"
	"mapo/difficulty"
	"mapo/game"
	"mapo/game/sim"
)

// OracleOptions are how the double oracle's set grows.
type OracleOptions struct {
	MeanOptions
	N        int  // the most instances that the set holds
	Games    int  // of an iteration; where they are few, so are those of its searches
	Refresh  int  // iterations between two searches
	Add      int  // instances that a search adds over all levels, with Below of each; at most N/3 in all, at least 2 a level
	Below    bool // every search covers all levels below the only one too, not every second search one of them
	Thorough int  // searches of a training that are as the judge's at desk scale and add twice as many
	Brief    bool // thorough searches have a seventh of the trials, no longer climbs, and cover no level that is not asked for
}

// Oracle is the default adversary, a double oracle (McMahan, Gordon and Blum 2003): a growing set of instances, weighted as
// by [Means]. Every so often a search of the judge's kind adds the worst that it finds against the policy of the moment, in
// place of the weakest.
type Oracle struct {
	Means
	options OracleOptions
	lower   []float64 // levels below the only one that searches cover too; none but for regret
	past    oracleState
}

// oracleState is what Oracle needs to go on, besides its means.
type oracleState struct {
	Dropped   []float64 // instances that left the set, the oldest first, [·, |X|]
	Refreshed int       // 1 + the phase's iteration of the last search
}

// FullSet is the set's size that searches are meant for; smaller sets search less.
const FullSet = 144

const (
	fullBatch    = 512 // likewise the games of an iteration
	dropped      = 8   // how many times as many as the set holds are remembered of those that left it
	leastFinals  = 8   // candidates that a search keeps of each rung, at least
	bankStarts   = 16  // of the set's worst a search starts from, besides its own starts
	freshGames   = 192 // fresh games an instance's running mean begins with, of smaller batches fewer
	briefShare   = .3  // of a draft's trials that a brief thorough search has
	thoroughAdds = 2   // how many times as many a thorough search adds
)

// refreshEffort is that of a search.
var refreshEffort = search.Effort{
	Starts: 192, Screen: 8, Brood: 32, Generations: 2, Corners: 12,
	Rungs: []search.Rung{{Keep: 56, Steps: 8, Games: 32, From: .08, To: .03}, {Keep: 18, Steps: 10, Games: 96, From: .05, To: .01}},
}

// judging is the judge's effort at desk scale, and a thorough search's.
var judging, _ = search.Efforts("desk")

// NewOracle returns the default adversary for a loss. Regret's worst instances are often far easier than the level allows,
// and hard to find below harder ones that lose less. So with one level its searches cover levels below it too.
func NewOracle(s Setting, loss game.Loss, o OracleOptions) *Oracle {
	a := &Oracle{Means: Means{Setting: s, options: o.MeanOptions}, options: o}
	if loss == game.SimpleRegret && len(s.R) == 1 {
		a.lower = lower(s.R[0], difficulty.Least(s.P))
	}
	return a
}

// Enter begins a phase, a fresh one with an empty set, or goes on in it.
func (a *Oracle) Enter(ph Phase, snapshot []byte) error {
	if snapshot == nil {
		a.begin(ph, new(Mixture))
		a.past.Refreshed = 0
		return nil
	}
	d := a.P.Queries()
	s, err := restored(snapshot, func(s *oracleSnapshot) bool { return s.Set.fits(d) && len(s.Past.Dropped)%d == 0 })
	a.phase, a.state, a.past = ph, s.Set, s.Past
	return err
}

// Prepare brings the set up to date where the schedule says so.
func (a *Oracle) Prepare(ctx context.Context, policy game.Policy, iteration int) (int64, error) {
	a.iteration = iteration
	if iteration%a.options.Refresh != 0 || a.past.Refreshed == iteration+1 {
		return 0, nil
	}
	var steps atomic.Int64
	levels := a.hunted()
	effort, adds := a.effort(len(levels)), a.adds(len(levels), 1)
	if a.thorough() {
		effort, adds = judging.Graded(a.P, search.LongClimbs).Over(levels), a.adds(len(levels), thoroughAdds)
		if a.options.Brief {
			effort = judging.Graded(a.P, 1).Alone().Draft().Share(briefShare)
		}
	}
	hunt := search.Search{
		P: a.P, C: a.C, Loss: a.phase.Loss, Policy: policy, Levels: levels, Effort: effort,
		Bank: a.known(levels[len(levels)-1]), Key: a.Key.Name("refresh").At(a.phase.Index).At(iteration), Workers: a.Workers, Steps: &steps,
	}
	finds, err := hunt.Finds(ctx, adds)
	if err != nil {
		return 0, err
	}
	// A find's own mean is that of a winner: it is played afresh.
	var theta []float64
	for _, f := range finds {
		theta = append(theta, f.Theta...)
	}
	play, games := sim.Play{P: a.P, Policy: policy, Workers: a.Workers}, a.batched(freshGames, 32)
	sums, err := play.Instances(ctx, theta, games, hunt.Key.Name("afresh"), a.phase.Loss)
	if err != nil {
		return 0, err
	}
	for i, f := range finds {
		a.admit(f.Theta, a.phase.Scale*(sums[0][i].Mean()-a.phase.Benchmark(f.Rho)))
	}
	a.past.Refreshed = iteration + 1
	return steps.Load() + int64(len(finds)*games*a.P.T), nil
}

// thorough reports whether a search now is one of the at most Thorough that search as the judge does, at 0.5 to 0.9 of the
// phase. The others are ten times cheaper, and what they miss is undetected in the policy that is judged.
func (a *Oracle) thorough() bool {
	o := &a.options
	for j := range o.Thorough {
		at := int((.5 + .4*float64(j)/float64(max(1, o.Thorough-1))) * float64(a.phase.Iters))
		if a.iteration >= at && a.iteration < at+o.Refresh {
			return true
		}
	}
	return false
}

// hunted returns the levels that a search covers: the task's; with Below those below it, too, else every second search covers
// one of those alone, in turn.
func (a *Oracle) hunted() []float64 {
	if a.options.Below {
		levels := slices.Concat(a.R, a.lower)
		slices.Sort(levels)
		return levels
	}
	turn := a.iteration / a.options.Refresh
	if len(a.lower) == 0 || turn%2 == 0 {
		return a.R
	}
	at := turn / 2 % len(a.lower)
	return a.lower[at : at+1]
}

// lower returns the levels r/√2, r/2, r/√8 … above twice the least difficulty.
func lower(r, least float64) (levels []float64) {
	for r /= math.Sqrt2; r > 2*least; r /= math.Sqrt2 {
		levels = append(levels, r)
	}
	return levels
}

// effort returns that of a search over so many levels: its starts are shared among them and in proportion to the set, its
// games in proportion to the batch.
func (a *Oracle) effort(levels int) search.Effort {
	e := refreshEffort
	e.Rungs = append([]search.Rung(nil), e.Rungs...)
	share := func(n, least int) int { return max(least, 2*n*min(a.options.N, FullSet)/((levels+1)*FullSet)) }
	e.Starts, e.Brood = share(e.Starts, 12), share(e.Brood, 4)
	for i := range e.Rungs {
		e.Rungs[i].Keep = share(e.Rungs[i].Keep, 3)
		e.Rungs[i].Games = a.batched(e.Rungs[i].Games, 8)
	}
	e.Finals = max(leastFinals, a.adds(levels, 1))
	return e.Graded(a.P, 1)
}

// adds returns how many instances of each of so many levels a search adds, or times as many: more to an empty set, else no
// more than leave two thirds of a small one.
func (a *Oracle) adds(levels, times int) int {
	o, k := &a.options, len(a.R)
	n := min(times*max(2, o.Add/k), o.N/3/levels)
	if a.state.N() == 0 {
		n = max(n, min(o.N, FullSet)/k)
	}
	return max(2, n)
}

// batched returns n games in proportion to the batch, at most n and no fewer than least.
func (a *Oracle) batched(n, least int) int { return min(n, max(least, n*a.options.Games/fullBatch)) }

// known returns what a search starts from besides its own starts: the set's worst within the level, and all that is
// remembered of those that left it.
func (a *Oracle) known(level float64) *search.Bank {
	bank := strongest(&a.Setting, &a.state.Mixture, a.state.Mean, level, bankStarts)
	bank.Thetas = slices.AppendSeq(bank.Thetas, slices.Chunk(a.past.Dropped, a.P.Queries()))
	return bank
}

// admit takes an instance into the set, for the weakest where the set is full. That one is among a search's starts from then
// on, as the policy may come to lose on it again.
func (a *Oracle) admit(theta []float64, mean float64) {
	s := &a.state
	if s.N() < a.options.N {
		s.Theta, s.W = append(s.Theta, theta...), append(s.W, 0)
		s.Mean, s.Lead, s.Last = append(s.Mean, mean), append(s.Lead, 0), append(s.Last, a.iteration)
		return
	}
	weakest := 0
	for i, v := range s.Mean {
		if v < s.Mean[weakest] {
			weakest = i
		}
	}
	a.past.Dropped = append(a.past.Dropped, s.At(weakest)...)
	if most := dropped * a.options.N * a.P.Queries(); len(a.past.Dropped) > most {
		a.past.Dropped = a.past.Dropped[len(a.past.Dropped)-most:]
	}
	copy(s.At(weakest), theta)
	s.Mean[weakest], s.Lead[weakest], s.Last[weakest] = mean, 0, a.iteration
}

// Snapshot returns the set, what is known of its losses, and the instances that left it.
func (a *Oracle) Snapshot() ([]byte, error) { return Encode(oracleSnapshot{a.state, a.past}) }

// oracleSnapshot is what a snapshot of an Oracle holds.
type oracleSnapshot struct {
	Set  meanState
	Past oracleState
}
