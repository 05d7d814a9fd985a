package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mapo/game/play"
	"mapo/judge"
	"mapo/rng"
	"mapo/serve/policies"
	"mapo/serve/wire"
)

// ErrQuit is what a reader of answers returns for a player who leaves.
var ErrQuit = errors.New("the player left")

// Game is a game in the terminal.
type Game struct {
	Policy *policies.Policy
	Seed   uint64
	Guess  bool            // whether it guesses before it ends
	Stop   float64         // the probability of the recommendation at which it asks no more; 0: never
	Given  []play.Answered // answers known beforehand, which are not undone
	Out    io.Writer
	// Read gives the player's next reply; io.EOF and ErrQuit end the game. It shows
	// what it read where nothing else does.
	Read  func(context.Context) (string, error)
	Shown bool // whether the player sees what Read reads as it is typed
	// Line reads a line of text, the name of what it was; nil: it is not asked for.
	Line func(context.Context) (string, error)
	Tell bool // whether it asks what it was after every game, and not only after wrong guesses

	asks   asking
	moves  []move
	shown  *int // the question that waits for an answer
	solved bool
	truth  string // what it was, where that was told
}

// move is an answer, or a guess that was wrong.
type move struct {
	play.Answered
	probability float32 // with which the question was drawn
	out         int
	guess       bool
}

const runnersUp = 4 // with the recommendation, the leading five

// Play plays until nothing is left to ask or the player leaves, and ends with the recommendation in either case. A
// cancelled context returns its error.
func (g *Game) Play(ctx context.Context) error {
	g.asks = askingOf(g.Policy)
	g.intro()
	if len(g.Given) > 0 {
		if err := g.sure(); err != nil {
			return err
		}
	}
	for {
		at, err := g.Policy.Game.At(g.record())
		if err != nil {
			return err
		}
		again, err := g.turn(ctx, at)
		switch {
		case errors.Is(err, ErrQuit):
			return g.end(at, at.Key(g.Seed))
		case err == nil && !again:
			if err := g.end(at, at.Key(g.Seed)); err != nil || g.solved || at.Guesses() == 0 && !g.Tell || g.Line == nil {
				return err
			}
			return g.reveal(ctx, at)
		case err != nil:
			return err
		}
	}
}

// record returns the game so far.
func (g *Game) record() play.Record {
	r := play.Record{Stop: g.Stop, History: append([]play.Answered(nil), g.Given...)}
	for _, m := range g.moves {
		if r.Guessed = m.guess; m.guess {
			r.Out = append(r.Out, m.out)
		} else {
			r.History = append(r.History, m.Answered)
		}
	}
	return r
}

// turn guesses or asks once, and reports whether the game goes on.
func (g *Game) turn(ctx context.Context, at *play.Position) (again bool, err error) {
	key := at.Key(g.Seed)
	if guess, ok := at.Guess(key); ok && g.Guess {
		reply, answer, err := g.ask(ctx, fmt.Sprintf("Guess: is it %s?", wire.Plain(guess.Text)), false)
		switch {
		case err != nil:
			return false, err
		case reply == takeBack:
			g.moves = g.moves[:len(g.moves)-1]
		case answer == play.Yes:
			g.solved, g.truth = true, guess.Text
			return false, nil
		default:
			g.moves = append(g.moves, move{out: guess.Index, guess: true})
		}
		return true, nil
	}
	probs, err := at.Probabilities()
	if probs == nil {
		return false, err
	}
	query := play.Draw(probs, key)
	g.shown = &query
	reply, answer, err := g.ask(ctx, fmt.Sprintf("%d/%d  %s", at.Given()+1, at.Given()+at.Remaining(), wire.Plain(at.Query(query).Text)), true)
	if err != nil {
		return false, err
	}
	g.shown = nil
	if reply == takeBack {
		g.moves = g.moves[:len(g.moves)-1]
		return true, nil
	}
	g.moves = append(g.moves, move{Answered: play.Answered{Query: query, Answer: answer}, probability: probs[query]})
	return true, g.sure()
}

func (g *Game) intro() {
	g.say("%s\n", g.asks.task)
	cost := "nothing"
	if g.Policy.Spends() {
		cost = "one of the answers"
	}
	g.say("%s\nTo say \"don't know\" costs %s; the %s does not come again.\n", g.asks.help, cost, g.asks.noun)
	switch promise := g.Policy.Promise(); {
	case len(promise) > 0:
		g.say("Its contract says:\n  %s\n", strings.Join(promise, "\n  "))
	case g.Policy.Game.Rows != nil, g.Policy.Untrained && g.asks.items:
		g.say("It was not trained on this problem, and its worst case is not measured.\n")
	default:
		g.say("Its contract states no accuracy.\n")
	}
	if g.Stop > 0 {
		g.say("It stops asking once it is sure to %.4g %%.\n", 100*g.Stop)
	}
	g.say("\n")
	for _, a := range g.Given {
		g.say("Known  %s %s\n", wire.Plain(g.Policy.Questions()[a.Query]), wire.Plain(g.Policy.Says(a.Answer)))
	}
}

// Of hypotheses that a game lists before it begins.
const (
	mostNamed  = 12
	widthNamed = 160 // characters in all
)

// some returns the first of names, and how many more there are.
func some(names []string) string {
	var b strings.Builder
	for i, name := range names {
		name = wire.Plain(name)
		if i > 0 && (i == mostNamed || b.Len()+len(name) > widthNamed) {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	return b.String()
}

// ask shows the question until there is a reply to it: an answer, or undo where there is something to undo, or
// [ErrQuit]. A guess takes a yes or a no.
func (g *Game) ask(ctx context.Context, question string, query bool) (string, play.Answer, error) {
	for {
		g.say("%s ", question)
		text, err := g.Read(ctx)
		if errors.Is(err, io.EOF) {
			g.say("\n")
			return "", play.DontKnow, ErrQuit
		}
		if err != nil {
			return "", play.DontKnow, err
		}
		reply, answer, isAnswer := g.asks.parse(strings.TrimSpace(text), command(text))
		if !g.Shown {
			g.say("%s\n", wire.Plain(reply))
		} else if isAnswer && g.asks.items && reply != strings.TrimSpace(text) {
			g.say("      %s\n", wire.Plain(reply)) // what the beginning of a name, or a number, stands for
		}
		switch {
		case reply == quit:
			return "", answer, ErrQuit
		case reply == takeBack && len(g.moves) == 0:
			g.say("There is nothing to undo.\n")
		case reply == takeBack:
			return reply, answer, nil
		case !query && answer != play.Yes && answer != play.No:
			g.say("Answer y (yes), n (no), u (undo the last answer) or q (quit).\n")
		case !isAnswer || play.Fits(g.Policy.Problem(), answer) != nil:
			g.say("%s\n", g.asks.help)
		default:
			return reply, answer, nil
		}
	}
}

// sure says what an answer has made of the hypotheses.
func (g *Game) sure() error {
	at, err := g.Policy.Game.At(g.record())
	if err != nil || at.Spent() {
		return err // the end says the rest
	}
	key := at.Key(g.Seed)
	now := at.Standing(key, runnersUp)
	switch {
	case now.Recommendation == nil:
		g.say("      all %d tie\n", now.Tied)
	case now.Confidence != nil:
		g.say("      %s\n", leading(now))
	case now.Tied > 1:
		g.say("      %d share the lead\n", now.Tied)
	case now.Margin == 0 && g.asks.items: // the decision does not go by the number of labels alone
		g.say("      %s leads\n", wire.Plain(now.Recommendation.Text))
	default:
		g.say("      %s leads by %s\n", wire.Plain(now.Recommendation.Text), g.asks.gap(now.Margin))
	}
	g.means(at, now, "      ")
	g.doubt(at, key, "      ")
	return nil
}

// doubt says where the answers do not fit, each line after indent.
func (g *Game) doubt(at *play.Position, key rng.Key, indent string) {
	if near := at.Contradiction(policies.MostNear); near != nil {
		g.say("%sNo row gives these answers. The closest:\n", indent)
		for _, n := range near {
			var differs []string
			for _, q := range n.Differs {
				differs = append(differs, wire.Plain(q.Text))
			}
			g.say("%s  %s, but for: %s\n", indent, wire.Plain(n.Text.Text), strings.Join(differs, "; "))
		}
	} else if at.Misfits(key) {
		g.say("%sThe answers do not fit: fewer than one in a hundred games of the likeliest would fit it so badly.\n", indent)
	}
}

// recall says what the contract promises of the game, which ended as the contract's games do, or of which games it speaks.
func (g *Game) recall(at *play.Position) {
	promise := g.Policy.Recalled()
	switch ends := at.Answers() == at.Problem.T || at.Sure(); {
	case len(promise) == 0:
	case g.Policy.Game.Explore > 0:
		g.say("The contract speaks of games without exploration only.\n")
	case ends && g.Stop == g.Policy.OwnStop():
		g.say("Its contract says:\n  %s\n", strings.Join(promise, "\n  "))
	case g.Policy.OwnStop() > 0:
		g.say("The contract speaks of %s only.\n", judge.GamesOf(g.Policy.Contract.Stopping))
	default:
		g.say("The contract speaks of full games of %d answers only.\n", at.Problem.T)
	}
}

// end says what is recommended, how sure it is, what came close and why, and what the policy would have asked next.
func (g *Game) end(at *play.Position, key rng.Key) error {
	now := at.Standing(key, runnersUp)
	words := at.Problem.Goal().Words()
	said := words.Answers
	if at.Answers() == 1 {
		said = words.Answer
	}
	switch {
	case g.solved:
		g.say("\nFound after %d %s: %s.\n", at.Answers(), said, wire.Plain(now.Recommendation.Text))
	case now.Recommendation == nil:
		g.say("\nAfter %d %s all %d tie, so nothing is recommended.\n", at.Answers(), said, now.Tied)
	case at.Guesses() > 0 && at.Spent():
		guesses := "guesses"
		if at.Guesses() == 1 {
			guesses = "guess"
		}
		g.say("\nAfter %d %s and %d wrong %s no answer is left. The likeliest now: %s.\n", at.Answers(), said, at.Guesses(), guesses, wire.Plain(now.Recommendation.Text))
	default:
		g.say("\nAfter %d %s: %s.\n", at.Answers(), said, wire.Plain(now.Recommendation.Text))
	}
	if now.Recommendation != nil {
		g.lead(at, now)
		g.means(at, now, "")
		if at.Spent() { // else it was said after the last answer
			g.doubt(at, key, "")
		}
		g.reasons(at, now.Recommendation.Index)
	}
	g.recall(at)
	if err := g.next(at); err != nil {
		return err
	}
	_, err := fmt.Fprintf(g.Out, "Policy %s, hash %.12s, seed %d.\n", wire.Plain(g.Policy.ID), g.Policy.Hash(), g.Seed)
	return err
}

// next says what would have been asked next: the question that was left open, else the likeliest.
func (g *Game) next(at *play.Position) error {
	if g.solved || g.asks.items { // of many items each would have been as likely
		return nil
	}
	if g.shown != nil {
		g.say("The next question would have been: %s\n", wire.Plain(at.Query(*g.shown).Text))
		return nil
	}
	probs, err := at.Beyond()
	switch {
	case err != nil:
		return err
	case probs != nil:
		g.say("The next question would most likely have been: %s\n", wire.Plain(at.Query(play.Likeliest(probs)).Text))
	default:
		g.say("There was no question left.\n")
	}
	return nil
}

// lead says how far the recommendation leads, and what came close.
func (g *Game) lead(at *play.Position, now play.Standing) {
	if now.Confidence != nil {
		g.say("If answers follow the table: %s.\n", leading(now))
		return
	}
	if now.Tied > 1 {
		g.say("It was drawn from %d that share the lead.\n", now.Tied)
	} else if now.Margin > 0 || !g.asks.items {
		g.say("It leads by %s.\n", g.asks.gap(now.Margin))
	}
	if right := at.Agreed(now.Recommendation.Index); right != nil {
		g.say("It predicts %d of the %d labels.\n", *right, at.Answers())
	}
	var rest []string
	for _, r := range now.RunnersUp {
		behind := "equal"
		if r.Margin > 0 {
			behind = g.asks.gap(r.Margin) + " behind"
		}
		if r.Agreed != nil {
			behind += fmt.Sprintf(", %d of %d labels", *r.Agreed, at.Answers())
		}
		rest = append(rest, fmt.Sprintf("%s (%s)", wire.Plain(r.Text.Text), behind))
	}
	g.say("Runners-up: %s.\n", strings.Join(rest, ", "))
}

// reasons says which answers spoke most for hypothesis k, and which against it.
func (g *Game) reasons(at *play.Position, k int) {
	pro, contra := at.Reasons(k, policies.MostReasons)
	for _, side := range []struct {
		name string
		list []play.Reason
	}{{"for", pro}, {"against", contra}} {
		for _, r := range side.list {
			g.say("Spoke %s it: %s %s\n", side.name, wire.Plain(r.Query.Text), meant(r.Answer))
		}
	}
}

// meant returns the mean of answers in words.
func meant(mean float64) string {
	if a := play.Number(mean); a.IsYesNo() {
		return wire.InWords(a)
	}
	return fmt.Sprintf("%+.2g", mean)
}

func (g *Game) say(format string, args ...any) { fmt.Fprintf(g.Out, format, args...) }
