package mapo

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mapo/game"
	"mapo/game/play"
)

// Game is a game under way; [Policy.Play] begins one. It is not safe for concurrent use.
//
// Next, Question and Answer are a game of questions. With guesses it is, as in the terminal:
//
//	for {
//		for g.Next() {
//			g.Answer(ask(g.Question()))
//		}
//		name, ok := g.Guess()
//		if !ok {
//			break
//		}
//		g.Guessed(ask("Is it " + name + "?"))
//	}
type Game struct {
	policy *Policy
	seed   uint64
	record play.Record
	before []int     // the number of answers before each wrong guess
	open   play.Text // the question or the guess that waits for its reply
	waits  wait
	found  bool // the guess was right
	err    error
}

// wait is what a game waits for.
type wait int

const (
	nothing wait = iota
	question
	guess
)

// Play begins a game. Policies ask at random; the seed says which game it is. A game ends when the recommendation is right with
// the probability that the spec says. Without a word there one without training ends at 0.95, and another has all its answers.
func (p *Policy) Play(seed uint64) *Game {
	return &Game{policy: p, seed: seed, record: play.Record{Stop: p.stop}}
}

// at returns the game's position, nil where it has none.
func (g *Game) at() *play.Position {
	if g.policy == nil || g.policy.game == nil {
		g.err = cmp.Or(g.err, errPolicy)
		return nil
	}
	at, err := g.policy.game.At(g.record)
	g.err = cmp.Or(g.err, err)
	return at
}

// problem returns what is played.
func (g *Game) problem() *game.Problem {
	if g.policy == nil {
		return &game.Problem{}
	}
	return g.policy.Problem()
}

// Next reports whether there is another question, and then has it ready. After a wrong guess there may be one again.
func (g *Game) Next() bool {
	at := g.at()
	if g.err != nil || g.found || at.Over() {
		return false
	}
	probs, err := at.Probabilities()
	if g.err = err; err != nil {
		return false
	}
	g.open, g.waits = at.Query(play.Draw(probs, at.Key(g.seed))), question
	return true
}

// Question returns the question to be answered, after Next.
func (g *Game) Question() string { return g.open.Text }

// Answer gives the answer to the question: yes or no. Without a question it ends the game with an error, as it does where the
// policy's answers are numbers or classes.
func (g *Game) Answer(yes bool) { g.yesNo(yes, play.Yes, play.No) }

// Probably gives half an answer to the question: probably, or probably not. It ends the game with an error where [Game.Answer]
// does, and where a question may come again: answer yes, no or don't know there.
func (g *Game) Probably(yes bool) { g.yesNo(yes, play.Probably, play.ProbablyNot) }

// DontKnow leaves the question without an answer, of any kind. It does not come again in this game, and costs nothing, unless
// the spec says dont-know: spends.
func (g *Game) DontKnow() { g.answer(play.DontKnow) }

func (g *Game) yesNo(is bool, yes, no play.Answer) {
	answer := no
	if is {
		answer = yes
	}
	if by := answered(g.problem()); by != byAnswer {
		g.err = cmp.Or(g.err, fmt.Errorf("mapo: yes or no, where answers are %s: call %s", g.problem().Answer().Noun(), by))
		return
	}
	g.answer(answer)
}

// The methods by which games are answered.
const (
	byAnswer = "Answer"
	byLabel  = "Label"
	byNumber = "Number"
)

// answered returns the method by which games of p are.
func answered(p *game.Problem) string {
	switch p.Answer().(type) {
	case game.Answers:
		return byNumber
	case game.Classes:
		return byLabel
	default:
		return byAnswer
	}
}

// Label gives the class of the item that is asked about, by its name, where models are selected on a pool of items. Without a
// question it ends the game with an error, as it does where there is no such class.
func (g *Game) Label(class string) {
	if answered(g.problem()) != byLabel {
		g.err = cmp.Or(g.err, errors.New("mapo: a class, where answers are none: call Answer or Number"))
		return
	}
	classes := g.problem().Answer().Names()
	c := slices.Index(classes, class)
	if c < 0 {
		g.err = cmp.Or(g.err, fmt.Errorf("mapo: the class is %q; there are %q", class, classes))
		return
	}
	g.answer(play.Class(c))
}

// Number gives the answer to the question where answers are numbers ([game.Answers]), in their units. Without a question it
// ends the game with an error, as it does where the policy's answers are yes and no.
func (g *Game) Number(y float64) {
	if answered(g.problem()) != byNumber {
		g.err = cmp.Or(g.err, errors.New("mapo: a number, where answers are yes and no: call Answer"))
		return
	}
	g.answer(play.Number(y))
}

// answer gives an answer of any kind.
func (g *Game) answer(answer play.Answer) {
	if g.waits != question {
		g.err = cmp.Or(g.err, errors.New("mapo: an answer without a question: call Next before Answer"))
		return
	}
	if err := play.Fits(g.problem(), answer); err != nil {
		g.err = cmp.Or(g.err, fmt.Errorf("mapo: the answer %w", err))
		return
	}
	g.waits = nothing
	g.record.History = append(g.record.History, play.Answered{Query: g.open.Index, Answer: answer})
	g.record.Guessed = false
}

// Guess returns the hypothesis that is guessed now, to be replied to by [Game.Guessed]. There is one once Next reports that no
// question is left, up to three in a game; not where all hypotheses tie, and not of arms, vectors and pools, where no player
// knows which is best.
func (g *Game) Guess() (name string, ok bool) {
	at := g.at()
	if g.err != nil || g.found {
		return "", false
	}
	text, ok := at.Guess(at.Key(g.seed))
	if !ok {
		return "", false
	}
	g.open, g.waits = text, guess
	return text.Text, true
}

// Guessed says whether the guess is right. If so, the game ends. If not, the hypothesis is ruled out, which uses an answer, and
// Next may have more questions. Without a guess it ends the game with an error.
func (g *Game) Guessed(right bool) {
	if g.waits != guess {
		g.err = cmp.Or(g.err, errors.New("mapo: a reply without a guess: call Guess before Guessed"))
		return
	}
	if g.waits = nothing; right {
		g.found = true
		return
	}
	g.before = append(g.before, len(g.record.History))
	g.record.Out, g.record.Guessed = append(g.record.Out, g.open.Index), true
}

// Undo takes the last reply back, an answer or that to a guess, and reports whether there was one. Next and Guess then return what
// they returned before it. An error stays.
func (g *Game) Undo() bool {
	answers, guesses := len(g.record.History), len(g.record.Out)
	switch {
	case g.err != nil:
		return false
	case g.found:
		g.found = false
	case guesses > 0 && g.before[guesses-1] == answers:
		g.record.Out, g.before = g.record.Out[:guesses-1], g.before[:guesses-1]
	case answers > 0:
		g.record.History = g.record.History[:answers-1]
	default:
		return false
	}
	g.waits = nothing
	guesses = len(g.before)
	g.record.Guessed = guesses > 0 && g.before[guesses-1] == len(g.record.History)
	return true
}

// Best returns the recommendation, and the probability that it is right where the table's rows give one, else 0. The name is
// empty while all hypotheses tie.
func (g *Game) Best() (name string, confidence float64) {
	at := g.at()
	if at == nil {
		return "", 0
	}
	s := at.Standing(at.Key(g.seed), 0)
	if s.Recommendation == nil {
		return "", 0
	}
	if s.Confidence != nil {
		confidence = *s.Confidence
	}
	return s.Recommendation.Text, confidence
}

// Err returns the first error of the game, as a Scanner's does.
func (g *Game) Err() error { return g.err }
