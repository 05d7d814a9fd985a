package spec

import (
	"errors"
	"slices"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/policy/decision"
	"mapo/policy/stopping"
)

// Truths say what the hypotheses of a table are: its rows of shares, or 1 where a share is above ½ (the paper's 𝒵).
const (
	Rows     = "rows"
	Majority = "majority"
)

// What a game over the rows of a table may be told.
const mostWrong = 0.5

// Off is the rule of stopping by which games have all their answers.
const Off = "off"

// isTable reports whether the problem's data are a table of shares.
func (p *problem) isTable() bool { return p.Table != "" || p.TwentyQ != nil }

// IsTable reports whether the problem's data are a table of shares.
func (s *Spec) IsTable() bool { return s.kind.key == "table" || s.kind.key == "twentyq" }

// truth reads what the hypotheses are to be, and what only rows can be told. Where neither the spec nor the command says, Truth
// stays empty until the table is read.
func (l *loader) truth(over Override) error {
	raw, table := &l.raw, l.raw.Problem != nil && l.raw.Problem.isTable()
	l.spec.Truth, l.spec.Weights = raw.Truth, raw.Weights
	if over.Weights != "" {
		l.spec.Weights = over.Weights
	}
	switch {
	case l.spec.Weights != "" && (raw.Problem == nil || raw.Problem.Table == ""):
		return l.src.at("weights", "weights name a column of a table, and this problem has no table: remove them")
	case raw.Truth != "" && raw.Truth != Rows && raw.Truth != Majority:
		return l.src.at("truth", "%s", Unknown("truth", raw.Truth, []string{Rows, Majority}))
	case raw.Truth == Rows && !table:
		return l.src.at("truth", "truth: rows is for a table of shares; this problem has none")
	case !table:
		l.spec.Truth = Majority
	case raw.Truth == "":
		l.spec.Truth = over.Truth
	}
	switch known := decision.Names(); {
	case raw.Decision == "" && !l.has("decision"):
	case !slices.Contains(known, raw.Decision):
		return l.src.at("decision", "%s", Unknown("decision", raw.Decision, known))
	case raw.Decision != decision.LeastSquares:
		l.spec.Decision = raw.Decision
	}
	if w := raw.WrongAnswers; w != nil && !(*w >= 0 && *w < mostWrong) {
		return l.src.at("wrong-answers", "wrong-answers is %g; the share of wrong answers must be from 0 to below %g", *w, mostWrong)
	}
	if w := raw.Other; w != nil && !(*w >= 0 && *w < 1) {
		return l.src.at("other", "other is %g; the probability that it is none of the table's objects must be from 0 to below 1", *w)
	}
	return l.stop()
}

// truthOf returns what the hypotheses of a table are where neither the spec nor the command says: its rows where a share is
// neither 0 nor 1 or is unknown, else majorities, which are the same.
func truthOf(t *table.Table) string {
	for row := range t.Objects {
		for col, yes := range t.Row(row) {
			if yes != 0 && yes != 1 || t.IsUnknown(row, col) {
				return Rows
			}
		}
	}
	return Majority
}

// Trains reports why nothing can be trained or judged in the worst case, at its line: other:, a hypothesis
// that no game is drawn from.
func (s *Spec) Trains() error {
	if p := s.Problem; p.Drawn() < p.Hypotheses() {
		return s.src.at("other", "other: %g is for playing and serving; remove it to train or judge a worst case", s.rules.Other)
	}
	return nil
}

// stop reads stop: off or stop: {confidence: 0.95}.
func (l *loader) stop() error {
	if l.raw.Stopping == nil {
		return nil
	}
	if text, _, ok := scalarText(l.raw.Stopping); ok && (text == "off" || text == "false") {
		l.spec.Stopping = Off
		return nil
	}
	list, ok := entries(l.raw.Stopping)
	if !ok || len(list) != 1 || list[0].Key.GetToken().Value != stopping.Confidence {
		return l.src.at("stop", "stop is %s; write stop: off or stop: {confidence: 0.95}", show(l.raw.Stopping))
	}
	text, _, _ := scalarText(list[0].Value)
	at, err := stopping.ParseConfidence(text)
	if err != nil {
		return l.src.at("stop", "stop: %v", err)
	}
	l.spec.Stopping = stopping.Name(stopping.Confidence, at)
	return nil
}

// ParseStop reads the probability at which a game ends early, as --stop gives it: off, which is 0, or a number between ½ and 1.
func ParseStop(text string) (float64, error) {
	if text == Off {
		return 0, nil
	}
	return stopping.ParseConfidence(text)
}

// SetStop replaces the rule of stopping by what --stop says: a confidence, or off.
func (s *Spec) SetStop(text string) error {
	at, err := ParseStop(text)
	if err != nil {
		return err
	}
	if s.Stopping = Off; at > 0 {
		s.Stopping = stopping.Name(stopping.Confidence, at)
		_, err = stopping.New(s.Problem, s.Stopping)
	}
	return err
}

// Stops returns the rule by which games end early that are trained and judged, by its name in package stopping; "" where the
// spec has none. The error is that of a rule for games whose hypotheses are not rows, at its line.
func (s *Spec) Stops() (rule string, err error) {
	if s.Stopping == "" || s.Stopping == Off {
		return "", nil
	}
	if _, err := stopping.New(s.Problem, s.Stopping); err != nil {
		return "", s.src.at("stop", "stop: %v; remove it, or set truth: rows", err)
	}
	return s.Stopping, nil
}

// shares makes the game over the rows of a table.
func (l *loader) shares(t *table.Table, o dataset.Options) error {
	rows := dataset.RowOptions{Options: o, Wrong: l.raw.WrongAnswers}
	if l.raw.Other != nil {
		rows.Other = *l.raw.Other
	}
	t, err := dataset.Selected(t, o.Select)
	if err != nil {
		return err
	}
	rows.Select = dataset.Select{}
	l.spec.Table, l.spec.rules = t, rows
	p, warnings, err := dataset.Rows(t, rows)
	if err != nil {
		return err
	}
	l.spec.Problem, l.spec.rowPrior = p, "table"
	l.spec.Warnings = append(l.spec.Warnings, warnings...)
	return nil
}

// answers adds another source's people to the priors.
func (l *loader) answers() error {
	if l.raw.Evaluate.Answers == "" && !l.has("evaluate.answers") {
		return nil
	}
	path, err := l.find("evaluate.answers", l.raw.Evaluate.Answers)
	if err != nil {
		return err
	}
	people, warnings, err := l.spec.Answers(path)
	if err != nil {
		return l.src.at("evaluate.answers", "%v", err)
	}
	l.spec.answers, l.spec.Priors, l.spec.Warnings = path, append(l.spec.Priors, people), append(l.spec.Warnings, warnings...)
	return nil
}

// Answers reads another source's table of the objects and queries that this spec's has, and returns its people as a prior. The
// warnings list what the two tables do not share.
func (s *Spec) Answers(path string) (*game.People, []string, error) {
	if s.Truth != Rows {
		return nil, nil, errors.New("another source's answers are judged on the rows of a table; say truth: rows in the spec")
	}
	other, err := dataset.ReadTable(path, "")
	if err != nil {
		return nil, nil, err
	}
	a, err := dataset.AnswersOf(s.Problem, s.Table, other)
	if err != nil {
		return nil, nil, err
	}
	source := dataset.Base(path)
	return &game.People{Source: source, Rows: a.Drawn}, append(other.Warnings, a.Unshared(source)...), nil
}

// Play makes the spec's game over the rows of another table, such as [Spec.Table] with other shares, more objects or more
// questions. Nothing is selected from it.
func (s *Spec) Play(t *table.Table) (*game.Problem, error) {
	p, _, err := dataset.Rows(t, s.rules)
	if err != nil {
		return nil, err
	}
	s.limit(p)
	return p, p.Check()
}
