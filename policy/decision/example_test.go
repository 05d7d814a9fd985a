package decision_test

import (
	"fmt"
	"log"

	"mapo/game"
	"mapo/policy/decision"
)

// Two rules recommend after one answer: a sure row explains a yes best, an undecided one is nearly as near.
func ExampleNew() {
	p := &game.Problem{
		X: []string{"Does it fly?", "Does it swim?"}, Names: []string{"parrot", "penguin", "goose"}, T: 2, AskOnce: true,
		Seek: &game.Shares{Yes: []float64{0.9, 0.1, 0.1, 0.9, 0.8, 0.8}, Weight: []float64{0.2, 0.2, 0.6}},
	}
	p.Grade()
	swims := game.States{N: []float32{0, 1}, S: []float32{0, 1}}
	for _, name := range []string{decision.LeastSquares, decision.Posterior} {
		rule, err := decision.New(p, game.BestIdentification, name)
		if err != nil {
			log.Fatal(err)
		}
		probs := make([]float32, 3)
		rule.Decide(probs, swims)
		fmt.Println(name, probs)
	}
	// Output:
	// least-squares [0 1 0]
	// posterior [0 0 1]
}
