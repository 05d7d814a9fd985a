package policies

import (
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"slices"
	"strconv"

	"mapo/game/play"
	"mapo/rng"
	"mapo/serve/wire"
)

const DefaultTop = 5

// Next answers one request, of which nothing is kept.
func (p *Policy) Next(in *wire.NextRequest) (*wire.NextReply, error) {
	history, err := p.History(in.History)
	if err != nil {
		return nil, err
	}
	stop, err := p.StopAt(in.Stop, 0)
	if err != nil {
		return nil, err
	}
	at, err := p.Game.At(play.Record{History: history, Mask: in.Mask, Out: in.RuledOut, Stop: stop})
	if err != nil {
		return nil, wire.Invalid(err)
	}
	out := &wire.NextReply{Remaining: at.Remaining(), Policy: p.ref(), Seed: AnySeed(), Probabilities: []float32{}}
	if in.Seed != nil {
		out.Seed = *in.Seed
	}
	key := at.Key(out.Seed)
	probs, err := at.Probabilities()
	if err != nil {
		return nil, err
	}
	if probs != nil {
		query := at.Query(play.Draw(probs, DrawKey(in.Mask, key)))
		out.Query, out.Probabilities = &query, probs
	}
	top := DefaultTop
	if in.Top != nil {
		top = *in.Top
	}
	now := at.Standing(key, top)
	out.Said = SaidOf(at, now, key, at.Over())
	if in.About != nil {
		if out.Pro, out.Contra, err = reasons(at, *in.About); err != nil {
			return nil, err
		}
	}
	if guess, ok := at.Guess(key); ok && in.Guess {
		out.Guess = &guess
	}
	return out, nil
}

// History returns the answers that a request lists.
func (p *Policy) History(list []wire.HistoryEntry) ([]play.Answered, error) {
	history := make([]play.Answered, len(list))
	for i, h := range list {
		query, err := p.referred(h.Query)
		if err != nil {
			return nil, wire.Refuse(http.StatusUnprocessableEntity, "history[%d]: %v", i, err)
		}
		answer, err := p.Form().Read(h.Answer, "history["+strconv.Itoa(i)+"].answer")
		if err != nil {
			return nil, err
		}
		history[i] = play.Answered{Query: query, Answer: answer}
	}
	return history, nil
}

func (p *Policy) ref() wire.PolicyRef { return wire.PolicyRef{ID: p.ID, Hash: p.Hash()} }

// AnySeed returns a random seed, for a game whose seed was not chosen.
func AnySeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.LittleEndian.Uint64(b[:]) & play.MaxSeed
}

// DrawKey returns the key that draws a query under a mask, in whatever order and however often that
// names a query. Draws under different masks are independent: by the same random number, what
// replaces a masked query would mostly be its neighbour, whatever its probability is.
func DrawKey(mask []int, key rng.Key) rng.Key {
	for _, i := range slices.Compact(slices.Sorted(slices.Values(mask))) {
		key = key.At(i)
	}
	return key
}
