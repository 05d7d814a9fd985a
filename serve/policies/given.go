package policies

import (
	"cmp"
	"fmt"
	"strconv"

	"mapo/data/dataset"
	"mapo/game/play"
	"mapo/serve/wire"
)

// ReadGiven reads answers that are known before a game of p: a CSV file with the columns query and answer. A query is its
// text, compared after NFC, or its index; an answer is a name such as "probably not", or its number. Where answers are numbers it is a number, or don't know. The error names the
// file and the line. Of a pool it is a file of labels, with the columns item, class and, perhaps, propensity. Refused are a query that p does not have, an answer that does not exist, a query answered twice where p asks
// once, half an answer where it does not, more answers than the budget.
//
// The file may be an export of sessions, too. Then the answers are those of one, whose id may be left out where there is no other.
func ReadGiven(path, session string, p *Policy) ([]play.Answered, error) {
	g := given{policy: p, line: map[int]int{}}
	turns, err := dataset.SessionTurns(path, session)
	switch {
	case err != nil:
		return nil, err
	case turns != nil:
		return g.turns(path, turns)
	case p.form.Labelled(p.ID) == nil:
		return g.labels(path)
	}
	if err := dataset.EachRecord(path, []string{"query", "answer"}, g.add); err != nil {
		return nil, err
	}
	return g.answers, nil
}

// given collects the answers of a file.
type given struct {
	policy  *Policy
	answers []play.Answered
	used    int         // answers of the budget
	line    map[int]int // of the first answer to each query
}

// turns takes the answers of a session in.
func (g *given) turns(path string, turns []dataset.Turn) ([]play.Answered, error) {
	for _, t := range turns {
		if t.Guessed != nil {
			continue
		}
		if err := g.add(t.Line, []string{t.Text, cmp.Or(t.Answer, dataset.DontKnow)}); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, t.Line, err)
		}
	}
	return g.answers, nil
}

// labels takes a file of labels in.
func (g *given) labels(path string) ([]play.Answered, error) {
	list, err := dataset.ReadItemLabels(path)
	if err != nil {
		return nil, err
	}
	for k, label := range list.List {
		if err := g.add(label.Line, []string{label.Item, label.Class}); err != nil {
			return nil, list.Fault(k, "%v", err)
		}
	}
	return g.answers, nil
}

// add takes one line in.
func (g *given) add(line int, cells []string) error {
	query, err := g.policy.queryOf(cells[0])
	if err != nil {
		return err
	}
	answer, known := g.policy.AnswerOf(cells[1])
	problem := g.policy.problem
	first, again := g.line[query]
	switch {
	case !known:
		return fmt.Errorf("the answer is %q; it must be %s", cells[1], wire.AnswersAre(g.policy.problem))
	case again && g.policy.Game.Once():
		one, _ := g.policy.noun()
		return fmt.Errorf("%q was answered on line %d; no %s is asked twice, so remove one of the lines", g.policy.Questions()[query], first, one)
	}
	if err := play.Fits(problem, answer); err != nil {
		return fmt.Errorf("the answer %q %w", cells[1], err)
	}
	if answer != play.DontKnow || g.policy.Spends() {
		g.used++
	}
	if g.used > problem.T {
		return fmt.Errorf("the file has more answers than the budget of %d: remove some, or raise budget: in the spec", problem.T)
	}
	g.line[query] = line
	g.answers = append(g.answers, play.Answered{Query: query, Answer: answer})
	return nil
}

// queryOf returns the query with that text or, where no query reads like that, with that index.
func (p *Policy) queryOf(text string) (int, error) {
	query, err := p.Query(text)
	if err == nil {
		return query, nil
	}
	index, no := strconv.Atoi(text)
	if no != nil {
		return 0, err
	}
	return p.referred(wire.Ref{Index: index})
}
