package judge

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"sync/atomic"

	"mapo/adversary/search"
	"mapo/difficulty"
	"mapo/game"
	"mapo/game/exact"
	"mapo/game/sim"
	"mapo/record"
	"mapo/rng"
)

// Player is a policy by its name in results.
type Player struct {
	game.Policy
	Name    string
	Hardest search.Bank // the worst instances known of it: where a search begins, among others
}

// Evaluation measures players of one game: their worst cases at Levels, their averages over Priors, and their losses on
// Thetas. What is empty is not measured.
type Evaluation struct {
	P      *game.Problem
	Loss   game.Loss // of worst cases
	Levels []float64
	Finite [][]float64 // Θ, where it is not all of it
	Effort search.Effort
	Priors []game.Prior
	Losses []game.Loss // of averages; nil: all
	Thetas [][]float64
	Games  int         // of each average and each instance
	Exact  exact.Whole // where not nil, every game of it is played instead of sampling: worst cases are over [ExactSet], and there are no averages

	Key     rng.Key // the players' streams come from it and their names
	Workers int     // 0: as many as the machine runs at once; no result depends on it

	// Tell, where not nil, is called again and again while games are played, by one worker at a time: how many of about how many
	// games of a part lie behind. what names the player and the part.
	Tell func(what string, games, of int)
}

// Measured is a part of what an evaluation finds: one player's worst cases, averages or instances.
type Measured struct {
	Player    string
	Worst     []record.Worst
	Draft     bool // Worst is of the player's own search alone; another will follow
	Averages  []Average
	Instances []Instance
}

// Run measures the players and yields the parts as they come. First come the worst cases of every player's own search, marked
// as drafts. Then every player meets the worst instances of all, and its worst cases are final. Averages and instances follow.
// Where games are exact there are no drafts, and worst cases and instances come one by one, player by player. Run ends with
// the first error.
func (e *Evaluation) Run(ctx context.Context, players []Player) iter.Seq2[Measured, error] {
	return func(yield func(Measured, error) bool) {
		parts := []func(context.Context, []Player, func(Measured) bool) error{e.worstCases, e.averages, e.instances}
		if e.Exact != nil {
			parts = []func(context.Context, []Player, func(Measured) bool) error{e.enumerate}
		}
		for _, part := range parts {
			stopped := false
			err := part(ctx, players, func(m Measured) bool {
				stopped = !yield(m, nil)
				return !stopped
			})
			if stopped {
				return
			}
			if err != nil {
				yield(Measured{}, err)
				return
			}
		}
	}
}

// search returns how a player's worst cases are looked for.
func (e *Evaluation) search(p *Player) *search.Search {
	return &search.Search{
		P: e.P, C: difficulty.Of(e.P), Loss: e.Loss, Policy: p.Policy, Levels: e.Levels,
		Finite: e.Finite, Effort: e.Effort, Bank: &p.Hardest, Key: e.Key.Name("judge").Name(p.Name), Workers: e.Workers,
	}
}

// told returns s, which tells how far it is.
func (e *Evaluation) told(s *search.Search, name string) *search.Search {
	if e.Tell != nil {
		of := max(1, s.Effort.Games(s.Levels))
		s.Steps = new(atomic.Int64)
		s.Keep = func(int, func() []byte) error {
			e.Tell(name+", worst cases", int(s.Steps.Load())/s.P.T, of)
			return nil
		}
	}
	return s
}

// play returns how a player's games of a part are played: so many times e.Games.
func (e *Evaluation) play(p Player, part string, times int) sim.Play {
	play := sim.Play{P: e.P, Policy: p.Policy, Workers: e.Workers, Items: true}
	if e.Tell != nil {
		games, of := 0, times*cmp.Or(e.Games, Games)
		play.Tell = func(more int) {
			games += more
			e.Tell(p.Name+", "+part, games, of)
		}
	}
	return play
}

// worstCases searches every player's, then plays each against the worst
// instances of all.
func (e *Evaluation) worstCases(ctx context.Context, players []Player, found func(Measured) bool) (err error) {
	if len(e.Levels) == 0 {
		return nil
	}
	own := make([][]record.Worst, len(players))
	var bank search.Bank
	for i := range players {
		p := &players[i]
		if own[i], err = e.told(e.search(p), p.Name).Run(ctx); err != nil {
			return fmt.Errorf("judge %s: %w", p.Name, err)
		}
		bank.Add(own[i]...)
		if !found(Measured{Player: p.Name, Worst: own[i], Draft: true}) {
			return nil
		}
	}
	for i := range players {
		p := &players[i]
		worst := own[i]
		if len(players) > 1 {
			if worst, err = search.Replay(ctx, e.search(p), bank.Instances(), own[i]); err != nil {
				return fmt.Errorf("judge %s: %w", p.Name, err)
			}
		}
		if !found(Measured{Player: p.Name, Worst: worst}) {
			return nil
		}
	}
	return nil
}

// averages plays every player on every prior; all meet the same instances.
func (e *Evaluation) averages(ctx context.Context, players []Player, found func(Measured) bool) error {
	for _, p := range players {
		if len(e.Priors) == 0 {
			return nil
		}
		as, err := Averages(ctx, e.play(p, "averages", len(e.Priors)), e.Priors, e.Games, e.Key.Name("average"), e.Losses...)
		if err != nil || !found(Measured{Player: p.Name, Averages: as}) {
			return err
		}
	}
	return nil
}

// instances plays every player on every given instance.
func (e *Evaluation) instances(ctx context.Context, players []Player, found func(Measured) bool) error {
	for _, p := range players {
		if len(e.Thetas) == 0 {
			return nil
		}
		list, err := Instances(ctx, e.play(p, "instances", len(e.Thetas)), e.Thetas, e.Games, e.Key.Name("instance").Name(p.Name))
		if err != nil || !found(Measured{Player: p.Name, Instances: list}) {
			return err
		}
	}
	return nil
}

// enumerate plays every game: losses without intervals.
func (e *Evaluation) enumerate(ctx context.Context, players []Player, found func(Measured) bool) (err error) {
	sets, rho := make([][][]float64, len(e.Levels)), difficulty.Of(e.P)
	for k, r := range e.Levels {
		if sets[k], err = CheckedExactSet(e.P, e.Finite, r); err != nil {
			return err
		}
	}
	for _, p := range players {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f, err := e.Exact.Play(p.Policy)
		if err != nil {
			return err
		}
		for k, r := range e.Levels {
			loss, at := exact.WorstOf(f, e.Loss, sets[k])
			theta := sets[k][at]
			w := record.Worst{Level: r, Theta: theta, Rho: rho.Of(theta), Estimate: certain(loss, f, theta)}
			if !found(Measured{Player: p.Name, Worst: []record.Worst{w}}) {
				return nil
			}
		}
		for i, theta := range e.Thetas {
			for _, loss := range game.Losses() {
				given, err := f.Given(loss, theta)
				if err != nil {
					return fmt.Errorf("instance #%d: %w", i, err)
				}
				if !found(Measured{Player: p.Name, Instances: []Instance{{i, loss, certain(given, f, theta)}}}) {
					return nil
				}
			}
		}
	}
	return nil
}

// certain returns a number that no game was sampled for, on an instance of a policy that is played whole.
func certain(v float64, f exact.Played, theta []float64) record.Estimate {
	e := record.Estimate{Mean: v, Lo: v, Hi: v, Confidence: 1}
	if f.Stops() {
		n := f.Questions(theta)
		e.Questions = record.Questions{Mean: n, Lo: n, Hi: n}
	}
	return e
}
