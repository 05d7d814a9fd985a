package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mapo/rng"
)

// ErrQuit is what a reader of answers returns for a player who leaves.
var ErrQuit = errors.New("the player left")

// Terminal is a game in the terminal.
type Terminal struct {
	Policy *Policy
	Seed   uint64
	Out    io.Writer
	// Read gives the player's next reply; io.EOF and ErrQuit end the game. It shows
	// what it read where nothing else does.
	Read func(context.Context) (string, error)

	history []Answered
}

const runnersUp = 5

// Play plays until the budget is used up or the player leaves, and ends with the
// recommendation in either case. A cancelled context returns its error.
func (g *Terminal) Play(ctx context.Context) error {
	g.intro()
	for {
		at, err := g.Policy.At(g.history, nil)
		if err != nil {
			return err
		}
		probs := at.Probabilities()
		if probs == nil {
			return g.end(at, at.Key(g.Seed))
		}
		query := Draw(probs, at.Key(g.Seed))
		reply, err := g.ask(ctx, at, query)
		switch {
		case errors.Is(err, ErrQuit):
			return g.end(at, at.Key(g.Seed))
		case err != nil:
			return err
		case reply == undo:
			g.history = g.history[:len(g.history)-1]
		default:
			g.history = append(g.history, Answered{query, answers[reply]})
			g.sure()
		}
	}
}

// Replies, by the letter that begins them.
const (
	undo = "undo"
	quit = "quit"
	help = "Answer y (yes), n (no), ? (don't know), u (undo the last answer) or q (quit)."
)

var answers = map[string]int8{"yes": Yes, "no": No, "don't know": DontKnow}

func parseReply(text string) string {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "y", "yes":
		return "yes"
	case "n", "no":
		return "no"
	case "?", "don't know", "dont know":
		return "don't know"
	case "u", undo:
		return undo
	case "q", quit:
		return quit
	}
	return ""
}

func (g *Terminal) intro() {
	p := g.Policy.Problem()
	once := "a question may come again"
	if p.AskOnce {
		once = "no question comes twice"
	}
	g.say("%s: think of one of %d, and answer %d of %d questions; %s.\n", plain(p.Name), p.Hypotheses(), p.T, p.Queries(), once)
	g.say("Policy %s, hash %.12s, seed %d.\n", plain(g.Policy.ID), g.Policy.Hash(), g.Seed)
	if promise := g.Policy.Promise(); len(promise) > 0 {
		g.say("Its contract says:\n  %s\n", strings.Join(promise, "\n  "))
	} else {
		g.say("Its contract states no accuracy.\n")
	}
	cost := "nothing"
	if g.Policy.spends() {
		cost = "one of the answers"
	}
	g.say("%s\nTo say \"don't know\" costs %s; the question does not come again.\n\n", help, cost)
}

// ask shows the question until there is a reply to it: a key of answers, or undo
// where there is something to undo, or [ErrQuit].
func (g *Terminal) ask(ctx context.Context, at *Position, query int) (string, error) {
	total := at.given + at.remaining
	for {
		g.say("%d/%d  %s ", at.given+1, total, plain(at.Text(query).Text))
		text, err := g.Read(ctx)
		if errors.Is(err, io.EOF) {
			g.say("\n")
			return "", ErrQuit
		}
		if err != nil {
			return "", err
		}
		reply := parseReply(text)
		g.say("%s\n", reply)
		switch {
		case reply == quit:
			return "", ErrQuit
		case reply == "":
			g.say("%s\n", help)
		case reply == undo && len(g.history) == 0:
			g.say("There is nothing to undo.\n")
		default:
			return reply, nil
		}
	}
}

// sure says how sure the game is after an answer: the margin, never a
// probability.
func (g *Terminal) sure() {
	at, err := g.Policy.At(g.history, nil)
	if err != nil || at.Over() {
		return // the end says it, or the next turn the error
	}
	switch now := at.Standing(at.Key(g.Seed), 0); {
	case now.Recommendation == nil:
		g.say("      all %d tie\n", now.Tied)
	case now.Tied > 1:
		g.say("      %d share the lead\n", now.Tied)
	default:
		g.say("      %s leads by %.2f\n", plain(now.Recommendation.Text), now.Margin)
	}
}

// end says what is recommended, what came close, how sure it is, and what the
// policy would have asked next.
func (g *Terminal) end(at *Position, key rng.Key) error {
	now := at.Standing(key, runnersUp)
	said := "answers"
	if at.Answers() == 1 {
		said = "answer"
	}
	if now.Recommendation == nil {
		g.say("\nAfter %d %s all %d tie, so nothing is recommended.\n", at.Answers(), said, now.Tied)
	} else {
		g.say("\nAfter %d %s: %s.\n", at.Answers(), said, plain(now.Recommendation.Text))
		g.lead(now)
	}
	if promise := g.Policy.Promise(); len(promise) > 0 && at.Answers() == at.problem.T {
		g.say("The contract: %s.\n", promise[len(promise)-1])
	} else if len(promise) > 0 {
		g.say("The contract speaks of full games of %d answers only.\n", at.problem.T)
	}
	if probs := at.Beyond(); probs != nil {
		_, err := fmt.Fprintf(g.Out, "The next question would most likely have been: %s\n", plain(at.Text(Likeliest(probs)).Text))
		return err
	}
	_, err := fmt.Fprintln(g.Out, "There was no question left.")
	return err
}

// lead says how far the recommendation leads, and what came close.
func (g *Terminal) lead(now Standing) {
	if now.Tied > 1 {
		g.say("It was drawn from %d that share the lead.\n", now.Tied)
	} else {
		g.say("It leads by %.2f.\n", now.Margin)
	}
	var rest []string
	for _, r := range now.RunnersUp {
		behind := "equal"
		if r.Margin > 0 {
			behind = fmt.Sprintf("%.2f behind", r.Margin)
		}
		rest = append(rest, fmt.Sprintf("%s (%s)", plain(r.Text.Text), behind))
	}
	g.say("Runners-up: %s.\n", strings.Join(rest, ", "))
}

func (g *Terminal) say(format string, args ...any) { fmt.Fprintf(g.Out, format, args...) }

// plain is text from a table without what a terminal would obey.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if Showable(r) {
			return r
		}
		return '\uFFFD'
	}, text)
}

// Lines reads replies from r, one a line. What it has begun to read after a
// cancelled call is lost.
func Lines(r io.Reader) func(context.Context) (string, error) {
	lines := bufio.NewReader(io.LimitReader(r, 1<<20))
	type read struct {
		text string
		err  error
	}
	return func(ctx context.Context) (string, error) {
		got := make(chan read, 1)
		go func() {
			text, err := lines.ReadString('\n')
			if text != "" && errors.Is(err, io.EOF) {
				err = nil
			}
			got <- read{text, err}
		}()
		select {
		case one := <-got:
			return one.text, one.err
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}
