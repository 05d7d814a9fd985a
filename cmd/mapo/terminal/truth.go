package terminal

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"mapo/data/learn"
	"mapo/data/table"
	"mapo/game/play"
	"mapo/serve/wire"
)

// mostNames is how many names that the table does not have are taken before the question is dropped.
const mostNames = 5

// reveal asks what it was, and says how likely that is and what spoke for and against it.
func (g *Game) reveal(ctx context.Context, at *play.Position) error {
	for range mostNames {
		g.say("What was it? (Enter to leave) ")
		text, err := g.Line(ctx)
		text = strings.TrimSpace(text)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, ErrQuit), err == nil && text == "":
			g.say("\n")
			return nil
		case err != nil:
			return err
		}
		k := slices.IndexFunc(at.Problem.Names, func(name string) bool { return strings.EqualFold(table.Fold(name), table.Fold(text)) })
		if k < 0 {
			k = g.Policy.Hypothesis(text)
		}
		if k < 0 {
			g.say("%s is not in the table%s\n", wire.Plain(text), g.Policy.Finder().Meant(text))
			continue
		}
		now := at.Standing(at.Key(g.Seed), at.Problem.Hypotheses())
		for place, r := range now.RunnersUp {
			if r.Index == k && r.Confidence != nil {
				g.say("%s is number %d, with %s.\n", wire.Plain(at.Problem.Names[k]), place+2, Percent(*r.Confidence))
			}
		}
		g.truth = at.Problem.Names[k]
		g.reasons(at, k)
		return nil
	}
	return nil
}

// Game returns the game as a file of games has it, its truth where that was told. Call it after [Terminal.Play].
func (g *Game) Learned() (learn.Game, error) {
	record := g.record()
	at, err := g.Policy.Game.At(record)
	if err != nil {
		return learn.Game{}, err
	}
	played := learn.Game{Truth: g.truth, History: []learn.Told{}, Policy: g.Policy.ID + " " + g.Policy.Hash()}
	if g.solved {
		played.Guess = g.truth
	} else if now := at.Standing(at.Key(g.Seed), 0); now.Recommendation != nil {
		played.Guess = now.Recommendation.Text
	}
	for _, a := range record.History {
		told := learn.Told{Query: at.Query(a.Query).Text}
		if a.Answer != play.DontKnow {
			value := a.Answer.Value()
			told.Answer = &value
		}
		played.History = append(played.History, told)
	}
	return played, nil
}
