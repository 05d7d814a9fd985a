package game_test

import (
	"fmt"

	"mapo/game"
	"mapo/game/exact"
)

// middle asks the query in the middle, always: a policy of one's own.
type middle struct{}

func (middle) Probs(dst []float32, s game.States) {
	const queries = 3
	clear(dst)
	for b := range s.Len(queries) {
		dst[b*queries+queries/2] = 1
	}
}

// A policy is a function of the state: how often each query was answered, and with what sum. Here is one of one's own, and
// its exact loss on an instance.
func ExamplePolicy() {
	p := &game.Problem{
		Name: "thresholds", X: []string{"a", "b", "c"}, Names: []string{"0", "1", "2", "3"}, T: 1,
		Z: []float32{0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1},
	}
	g, err := exact.New(p)
	if err != nil {
		panic(err)
	}
	theta := []float64{0.8, 0.6, -0.8} // the best hypothesis is "2". The answer to b is yes with probability 0.8, and then "2" and "3" tie
	fmt.Printf("%.3f\n", g.Flow(middle{}).Loss(game.BestIdentification, theta))
	// Output: 0.600
}

// The difficulty ρ̃ of an instance grows as its best hypothesis leads by less.
func ExampleRhoTilde() {
	p := &game.Problem{Name: "two", X: []string{"a"}, Names: []string{"no", "yes"}, Z: []float32{0, 1}, T: 1}
	c := game.RhoTilde(p)
	fmt.Println(c.Of([]float64{1}), c.Of([]float64{0.5}), c.Of([]float64{0}))
	// Output: 1 4 +Inf
}
