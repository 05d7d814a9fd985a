package rival_test

import (
	"fmt"
	"log"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/policy/rival"
)

// Get a rival by its name, and its probabilities before the first answer.
func ExampleParse() {
	p := dataset.Thresholds(4, 4)
	policy, err := rival.Parse(p, game.BestIdentification, "uniform")
	if err != nil {
		log.Fatal(err)
	}
	probs := make([]float32, 4)
	policy.Probs(probs, game.States{N: make([]float32, 4), S: make([]float32, 4)})
	fmt.Println(policy, probs)
	// Output: uniform [0.25 0.25 0.25 0.25]
}

// Put the network that needs no training to work on a table.
func ExampleParse_instant() {
	p := &game.Problem{
		X: []string{"Does it fly?", "Does it swim?", "Is it alive?"}, Names: []string{"parrot", "penguin", "goose"}, T: 2, AskOnce: true,
		Seek: &game.Shares{Yes: []float64{0.9, 0.1, 1, 0.1, 0.9, 1, 0.8, 0.8, 1}, Weight: []float64{0.4, 0.3, 0.3}},
	}
	policy, err := rival.Parse(p.Grade(), game.BestIdentification, "instant:0.7")
	if err != nil {
		log.Fatal(err)
	}
	probs := make([]float32, 3)
	policy.Probs(probs, game.States{N: make([]float32, 3), S: make([]float32, 3)})
	fmt.Printf("%v %.2f\n", policy, probs)
	// Output: instant:0.7 [0.28 0.72 0.00]
}
