package serve

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"mapo/game/play"
)

// NextRequest is a game so far, of which the next query is asked.
type NextRequest struct {
	History  []HistoryEntry `json:"history,omitempty" doc:"the answers so far, in order"`
	Mask     []int          `json:"mask,omitempty" doc:"indices of queries not to be asked now"`
	RuledOut []int          `json:"ruled_out,omitempty" doc:"indices of hypotheses that were guessed and are wrong; each uses an answer"`
	Stop     *float64       `json:"stop,omitempty" minimum:"0" exclusiveMaximum:"1" doc:"ask no more once the recommendation has this probability, above 0.5; 0: never; the policy's own where none is given"`
	Guess    bool           `json:"guess,omitempty" doc:"guess where nothing is left to ask"`
	About    *int           `json:"about,omitempty" minimum:"0" doc:"the index of the hypothesis that pro and contra speak of; the recommendation where none is given"`
	Seed     *uint64        `json:"seed,omitempty" minimum:"0" maximum:"9007199254740991" doc:"draws the query and breaks ties: the same request with the same seed has the same reply; any, and told in the reply, where none is given"`
	Top      *int           `json:"top,omitempty" minimum:"0" maximum:"1000000" default:"5" doc:"how many runners-up to list"`
}

// HistoryEntry is one answer of a game so far.
type HistoryEntry struct {
	Query  Ref   `json:"query"`
	Answer Reply `json:"answer"`
}

// NextReply is what to ask next and what is recommended now.
type NextReply struct {
	Query         *play.Text `json:"query" doc:"to be asked next; null where the game is over or the mask leaves none"`
	Probabilities []float32  `json:"probabilities" nullable:"false" doc:"with which each query was to be drawn, in the order of the policy's queries, or of its items; empty where query is null"`
	Guess         *play.Text `json:"guess" doc:"is it this? null where nothing is guessed; if it is wrong, send it in ruled_out"`
	Said
	Remaining int       `json:"remaining" doc:"answers left" minimum:"0"`
	Policy    PolicyRef `json:"policy"`
	Seed      uint64    `json:"seed"`
}

// PolicyRef says which policy answered, to the byte.
type PolicyRef struct {
	ID   string `json:"id"`
	Hash string `json:"hash" doc:"of the policy file's content"`
}

const defaultTop = 5

// Next answers one request, of which nothing is kept.
func (p *Policy) Next(in *NextRequest) (*NextReply, error) {
	history, err := p.history(in.History)
	if err != nil {
		return nil, err
	}
	stop, err := p.stopAt(in.Stop, 0)
	if err != nil {
		return nil, err
	}
	at, err := p.game.At(play.Record{History: history, Mask: in.Mask, Out: in.RuledOut, Stop: stop})
	if err != nil {
		return nil, invalid(err)
	}
	out := &NextReply{Remaining: at.Remaining(), Policy: p.ref(), Seed: AnySeed(), Probabilities: []float32{}}
	if in.Seed != nil {
		out.Seed = *in.Seed
	}
	key := at.Key(out.Seed)
	probs, err := at.Probabilities()
	if err != nil {
		return nil, err
	}
	if probs != nil {
		query := at.Query(play.Draw(probs, under(in.Mask, key)))
		out.Query, out.Probabilities = &query, probs
	}
	top := defaultTop
	if in.Top != nil {
		top = *in.Top
	}
	now := at.Standing(key, top)
	out.Said = said(at, now, key, at.Over())
	if err := out.about(at, in.About); err != nil {
		return nil, err
	}
	if guess, ok := at.Guess(key); ok && in.Guess {
		out.Guess = &guess
	}
	return out, nil
}

// history returns the answers that a request lists.
func (p *Policy) history(list []HistoryEntry) ([]play.Answered, error) {
	history := make([]play.Answered, len(list))
	for i, h := range list {
		query, err := h.Query.of(p)
		if err != nil {
			return nil, fault(http.StatusUnprocessableEntity, "history[%d]: %v", i, err)
		}
		answer, err := h.Answer.of(p, "history["+strconv.Itoa(i)+"].answer")
		if err != nil {
			return nil, err
		}
		history[i] = play.Answered{Query: query, Answer: answer}
	}
	return history, nil
}

func (p *Policy) ref() PolicyRef { return PolicyRef{p.ID, p.Hash()} }

// AnySeed returns a random seed, for a game whose seed was not chosen.
func AnySeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.LittleEndian.Uint64(b[:]) & play.MaxSeed
}

func (s *Server) registerNext(api huma.API) {
	type input struct {
		ID   string `path:"id" doc:"the policy's id"`
		Body NextRequest
	}
	type output struct{ Body *NextReply }
	op := s.operation(http.MethodPost, "/v1/policies/{id}/next", "next", "What to ask next",
		"Stateless: the game so far comes with the request and nothing of it is kept. A guess that is wrong goes into ruled_out.")
	op.Errors = append(op.Errors, http.StatusServiceUnavailable) // too many large bodies at once, or a dead program
	huma.Register(api, op,
		func(_ context.Context, in *input) (*output, error) {
			p, err := s.set.find(in.ID)
			if err != nil {
				return nil, s.problem(err)
			}
			reply, err := p.Next(&in.Body)
			if err != nil {
				return nil, s.problem(err)
			}
			return &output{reply}, nil
		})
}
