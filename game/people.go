package game

import "math/rand/v2"

// People is the prior of another source's answers: the rows of its table, equally likely, each with the hypothesis of the game
// that it stands for. That hypothesis alone is right.
type People struct {
	Source string  // names the table
	Rows   []Drawn // at least one, all of the same weight
}

// PeopleOf begins the name of a [People], WorstTenth ends that of the tenth of its rows that a policy names least often.
const (
	PeopleOf   = "answers:"
	WorstTenth = ", worst tenth"
)

// Name returns "answers:" and the source.
func (p *People) Name() string { return PeopleOf + p.Source }

// Draw writes a row's θ and returns its hypothesis.
func (p *People) Draw(dst []float64, r *rand.Rand) int {
	row := p.Rows[r.IntN(len(p.Rows))]
	copy(dst, row.Theta)
	return row.Hypothesis
}

func (p *People) list(*Problem) []Drawn { return p.Rows }
