package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"mapo/difficulty"
	"mapo/game"
	"mapo/record"
	"mapo/rng"
)

// Search looks for the worst instances of a fixed policy, a black box, for all
// levels at once: max_{θ : 𝒞(θ) ≤ r} ℓ(π, θ), App. E. Every θ it looks at counts
// for all r ≥ 𝒞(θ).
//
// Structured starts are screened with few games and climb by the score-function
// gradient (Eq. 10) with leave-one-out baselines (reading 18), projected onto
// 𝒞 ≤ r, through successive halvings with growing games. The mutations of good
// ones and the finds of neighbouring levels join at every halving. Before the last
// the best breed for long, which finds on easy levels what no gradient does. Instances
// without any doubt, or in doubt only where that decides, are searched apart. The best few of a level are re-played, and
// the winner is played again on fresh games for its report (reading 12).
//
// What is reported is the worst found: a lower bound on the true worst case.
// The result depends on the fields only, not on the number of workers. A Search
// is not changed by Run; several may share P, C, Policy and a Bank that nothing
// adds to meanwhile.
type Search struct {
	P      *game.Problem
	C      game.Difficulty
	Loss   game.Loss
	Policy game.Policy

	Levels  []float64   // r_k, increasing
	Finite  [][]float64 // where given, only these instances are looked at
	Effort  Effort      // the zero value is desk
	Bank    *Bank       // instances to start from, read only; nil: none
	Key     rng.Key
	Workers int           // 0: as many as the machine runs at once
	Steps   *atomic.Int64 // environment steps played are added to it, T a game, those that From holds among them; nil: they are not counted

	// Keep, where not nil, is called after every block of the search, by one worker at
	// a time: 256 games, 16 starts, or a climb of a few trials, at desk effort of at most
	// 10,240 games. done is how many blocks lie behind, From's included. state, which may
	// be called within Keep and once Run has ended, makes what From takes to go on from
	// there. It costs 8·|X| bytes for each trial made or climbed: 31 MB in a quarter of a second
	// at desk effort for five levels and |X| = 100. Keep's error ends the search.
	// The result is the same bytes with and without, and however often it is cut. Finds
	// looks at neither.
	Keep func(done int, state func() []byte) error
	From []byte // a state of the same search, nil: from the beginning; see ErrState
}

// Worse is, of several searches of one policy, the worst result of each level of the first,
// among which those of the others must be. Of results that are equally bad it is the
// one that games made look worse, so it errs upwards, by less than a half-width, until [Replay]
// plays it on fresh games. Means do not fall with r.
func Worse(first []record.Worst, others ...[]record.Worst) []record.Worst {
	return replace(first, slices.Concat(others...), func(old, w record.Worst) bool { return w.Mean > old.Mean })
}

// Instead returns first with the results of later, measured anew, in place of its own at their
// levels, which must be among those of first. Means do not fall with r.
func Instead(first, later []record.Worst) []record.Worst {
	return replace(first, later, func(_, _ record.Worst) bool { return true })
}

// replace returns first with those results of found in place of its own that better prefers at
// their levels. Means do not fall with r.
func replace(first, found []record.Worst, better func(old, w record.Worst) bool) []record.Worst {
	out := slices.Clone(first)
	for k, at := range first {
		for _, w := range found {
			if w.Level == at.Level && better(out[k], w) {
				out[k] = w
			}
		}
		if k > 0 && out[k-1].Mean > out[k].Mean {
			out[k] = out[k-1]
			out[k].Level = at.Level
		}
	}
	return out
}

// Run searches and returns one Worst a level, in the order of s.Levels, with
// means that do not fall with r. Besides ctx's error, Keep's and ErrState it returns one for
// levels that admit no instance.
func (s *Search) Run(ctx context.Context) ([]record.Worst, error) {
	h, err := s.hunt(ctx)
	if err != nil {
		return nil, err
	}
	h.effort = h.effort.Over(s.Levels)
	return h.journaled(h.run)
}

func (h *hunt) run() (_ []record.Worst, err error) {
	if h.Finite != nil {
		err = h.sift()
	} else if err = h.search(); err == nil {
		err = h.recall()
	}
	if err != nil {
		return nil, err
	}
	return h.report(nil)
}

// Find is an instance a search came across, with its loss as estimated while
// searching: biased upwards, for training and not for reports.
type Find struct {
	Theta     []float64 // [|X|]
	Rho, Mean float64
}

// Finds searches and returns up to n instances for each level, the worst first,
// no two alike: what training against a growing set of instances adds.
func (s *Search) Finds(ctx context.Context, n int) ([]Find, error) {
	h, err := s.hunt(ctx)
	if err != nil {
		return nil, err
	}
	if h.Finite != nil {
		err = h.sift()
	} else {
		err = h.search()
	}
	if err != nil {
		return nil, err
	}
	var finds []Find
	taken := make(map[*trial]bool)
	for _, k := range h.asked {
		for _, t := range h.top(h.seen, k, n) {
			if !taken[t] {
				taken[t] = true
				finds = append(finds, Find{Theta: t.theta, Rho: t.rho, Mean: t.mean})
			}
		}
	}
	return finds, nil
}

// Replay judges s.Policy once more against instances found elsewhere, such as
// the bank of all policies of a run. They are screened, and the best few a level
// climb through the last rung of s.Effort. What then wins against earlier's, the
// result of s.Run (or nil) whose games count there, is reported from fresh games. Instances outside every level, or, with
// Finite, any that are not among its rows, must not be given. Keep and From are as
// for Run, a state of one being none of the other.
func Replay(ctx context.Context, s *Search, thetas [][]float64, earlier []record.Worst) ([]record.Worst, error) {
	if earlier != nil && len(earlier) != len(s.Levels) {
		panic(fmt.Sprintf("search: Replay got %d earlier results for %d levels", len(earlier), len(s.Levels)))
	}
	h, err := s.hunt(ctx)
	if err != nil {
		return nil, err
	}
	h.effort = h.effort.Over(s.Levels)
	h.key = s.Key.Name("replay")
	return h.journaled(func() ([]record.Worst, error) {
		if err := h.revisit(thetas); err != nil {
			return nil, err
		}
		return h.report(earlier)
	}, thetas, earlier)
}

// count adds to Steps what some games take.
func (s *Search) count(games int) {
	if s.Steps != nil {
		s.Steps.Add(int64(games * s.P.T))
	}
}

// hunt is the state of one Run.
type hunt struct {
	*Search
	ctx     context.Context
	journal *journal // nil: none
	effort  Effort
	Levels  []float64 // Search's with Effort.Islands' among them, [K]
	all     []int     // 0 … K−1
	asked   []int     // those of Search's
	key     rng.Key
	d       int
	shape   *shapes
	spread  float64  // standard deviation of a game's loss, pooled over the first screen
	trials  []*trial // all that were played in the rung before
	seen    []*trial // the best of every rung: candidates for the final
}

func (s *Search) hunt(ctx context.Context) (*hunt, error) {
	if s.P == nil || s.C == nil || s.Policy == nil {
		panic("search: Search needs P, C and Policy")
	}
	if len(s.Levels) == 0 {
		return nil, errors.New("search: no levels to search")
	}
	for k, r := range s.Levels {
		if !(r > 0) || math.IsInf(r, 0) || k > 0 && r <= s.Levels[k-1] {
			return nil, fmt.Errorf("search: levels %v are not positive and increasing", s.Levels)
		}
	}
	h := &hunt{Search: s, ctx: ctx, effort: s.Effort.orDesk(), key: s.Key.Name("search"), d: s.P.Queries()}
	if s.Finite != nil {
		h.shape = &shapes{p: s.P, d: h.d} // makes no instance
	} else {
		own, err := *s, error(nil)
		if own.P, err = difficulty.AnchoredTold(ctx, s.P, func(float64) {}); err != nil {
			return nil, err
		}
		h.Search, h.shape = &own, newShapes(own.P, s.C)
	}
	h.Levels = h.islands()
	for k, r := range h.Levels {
		h.all = append(h.all, k)
		if slices.Contains(s.Levels, r) {
			h.asked = append(h.asked, k)
		}
	}
	return h, nil
}

// islands returns the levels searched: those asked for and others in the widest gaps,
// on a log scale, until there are Effort.Islands. Simple regret's worst instances
// are mostly far easier than the level allows. A policy that was learned for
// identification may have undetected high-loss instances at easy levels. Its losses near them
// are lower than on hard ones elsewhere, so that a search of the level alone drops them.
func (h *hunt) islands() []float64 {
	levels := slices.Clone(h.Search.Levels)
	if h.Finite != nil || len(levels) >= h.effort.Islands {
		return levels
	}
	least := 1.1 * slices.Min(h.shape.rho)
	for len(levels) < h.effort.Islands {
		at, widest, below := 0, 1.0, least
		for k, r := range levels {
			if r/below > widest {
				at, widest = k, r/below
			}
			below = r
		}
		if widest < 1.4 {
			break
		}
		levels = slices.Insert(levels, at, levels[at]/math.Sqrt(widest))
	}
	return levels
}

// search fills seen over the whole of Θ.
func (h *hunt) search() error { return h.effort.schedule().search(h) }

// halve keeps what is to climb a rung. The final hears of those kept too, as a climb may end below where it began.
func (h *hunt) halve(rung Rung) {
	h.trials = h.best(h.trials, rung.Keep, rung.Keep/3)
	if h.effort.Replay > 0 {
		for _, t := range h.best(h.trials, h.effort.Finals, 0) {
			h.seen = append(h.seen, t.clone())
		}
	}
}

// recall brings the bank to the final as it is: of a trial that began there the
// screen's few games may have thought too little.
func (h *hunt) recall() error {
	given := h.given(h.Bank.Instances())
	if err := h.measure(given, secondScreen*h.effort.Screen, h.key.Name("recall")); err != nil {
		return err
	}
	h.seen = append(h.seen, h.best(given, recalled*h.effort.Finals, 0)...)
	return nil
}

// recalled is how many times as many of the bank as come out of a rung go to the final.
const recalled = 4

// start makes and screens the first trials: the bank, and Starts a level.
func (h *hunt) start() (err error) {
	key, bank := h.key.Name("start"), h.given(h.Bank.Instances())
	h.trials, err = h.breed(bank, h.all, h.effort.Starts, 1, func(int, []*trial) (generation, error) {
		return generation{bank, func(k, j int) *trial { return h.fresh(k, j, key.At(k).At(j)) }, func(young []*trial) error {
			ts := slices.Concat(bank, young)
			if r, ok := h.without(ts); ok {
				return fmt.Errorf("search: no instance of difficulty at most %g was found; the problem's easiest has about %.3g", r, slices.Min(h.shape.rho))
			}
			return h.measure(ts, h.effort.Screen, h.key.Name("screen"))
		}}, nil
	})
	return err
}

// given returns trials of instances from elsewhere, each at the lowest level that admits it. What no level admits is left out.
func (h *hunt) given(thetas [][]float64) (ts []*trial) {
	for _, theta := range thetas {
		rho := h.C.Of(theta)
		if k := slices.IndexFunc(h.Levels, func(r float64) bool { return game.Within(rho, r) }); k >= 0 {
			ts = append(ts, &trial{theta: slices.Clone(theta), rho: rho, level: k})
		}
	}
	return ts
}

// without returns the first of the levels that were asked for of which no trial says anything.
func (h *hunt) without(ts []*trial) (r float64, ok bool) {
	for _, k := range h.asked {
		if !slices.ContainsFunc(ts, func(t *trial) bool { return h.counts(t, k) }) {
			return h.Levels[k], true
		}
	}
	return 0, false
}

// counts reports whether t's loss says something of level k.
func (h *hunt) counts(t *trial, k int) bool { return game.Within(t.rho, h.Levels[k]) }
