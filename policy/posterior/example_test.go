package posterior_test

import (
	"fmt"

	"mapo/game"
	"mapo/policy/posterior"
)

// The Bayes posterior over the rows of a table, after one answer.
func ExampleRows_Believe() {
	p := &game.Problem{
		X: []string{"Does it fly?", "Does it swim?"}, Names: []string{"parrot", "penguin"}, T: 2, AskOnce: true,
		Seek: &game.Shares{Yes: []float64{0.9, 0.1, 0.1, 0.9}, Weight: []float64{0.5, 0.5}},
	}
	p.Grade() // the rows' shares make the hypotheses
	var b posterior.Belief
	posterior.NewRows(p).Believe(&b, []float32{0, 1}, []float32{0, 1}, nil) // it swims
	fmt.Printf("%.2f\n", b.Weight)
	// Output: [0.17 0.83]
}
