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
	policy, err := rival.Parse(p, "uniform")
	if err != nil {
		log.Fatal(err)
	}
	probs := make([]float32, 4)
	policy.Probs(probs, game.States{N: make([]float32, 4), S: make([]float32, 4)})
	fmt.Println(policy, probs)
	// Output: uniform [0.25 0.25 0.25 0.25]
}
