package dataset

import (
	"fmt"

	"mapo/game"
)

// Thresholds returns the one-dimensional problem of Section 4.1: z_k is 1 on the first
// k of d queries, k = 0 … d. It panics for d < 1.
func Thresholds(d, budget int) *game.Problem {
	if d < 1 {
		panic(fmt.Sprintf("dataset: thresholds over %d queries, want at least 1", d))
	}
	p := &game.Problem{
		Name:  fmt.Sprintf("thresholds-%d", d),
		X:     make([]string, d),
		Names: make([]string, d+1),
		Z:     make([]float32, (d+1)*d),
		T:     budget,
	}
	for i := range p.X {
		p.X[i] = fmt.Sprintf("x%d", i+1)
	}
	for k := range p.Names {
		p.Names[k] = fmt.Sprintf("threshold %d", k)
		for i := range k {
			p.Row(k)[i] = 1
		}
	}
	return p
}

// Arms returns the problem of best-arm identification (App. A): hypothesis k is that the mean of
// query k, an arm, is the largest. The answer to an arm's text is yes for a success. Fewer than 2
// arms, an empty name and a name that occurs twice are errors.
func Arms(names []string, budget int) (*game.Problem, error) {
	n := len(names)
	if n < 2 {
		return nil, fmt.Errorf("%d arms; a game needs at least 2", n)
	}
	p := &game.Problem{Name: fmt.Sprintf("arms-%d", n), X: make([]string, n), Names: names, Z: make([]float32, n*n), T: budget}
	seen := make(map[string]bool, n)
	for k, name := range names {
		switch {
		case name == "":
			return nil, fmt.Errorf("arm %d has an empty name: give it one", k+1)
		case seen[name]:
			return nil, fmt.Errorf("two arms are called %q: rename one", name)
		}
		seen[name] = true
		p.X[k] = "Pull " + name + ": a success?"
		p.Row(k)[k] = 1
	}
	return p, nil
}

// Measured rewrites the texts of arms so that they ask for numbers.
func Measured(p *game.Problem) {
	for k, name := range p.Names {
		p.X[k] = "Pull " + name + ": its reward?"
	}
}
