package search_test

import (
	"context"
	"fmt"
	"log"

	"mapo/adversary/search"
	"mapo/data/dataset"
	"mapo/game"
	"mapo/policy/rival"
	"mapo/rng"
)

// Search for the worst instances of a fixed policy at two levels of difficulty.
func ExampleSearch_Run() {
	p := dataset.Thresholds(5, 5)
	effort, err := search.Efforts("smoke")
	if err != nil {
		log.Fatal(err)
	}
	s := search.Search{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Policy: rival.Uniform(p), Levels: []float64{8, 32}, Effort: effort, Key: rng.New(1)}
	found, err := s.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range found {
		fmt.Printf("r = %g: difficulty at most the level %t, a loss in its interval %t\n", w.Level, w.Rho <= w.Level*(1+1e-9), w.Lo <= w.Mean && w.Mean <= w.Hi)
	}
	fmt.Println("harder levels lose more:", found[1].Mean > found[0].Mean)
	// Output:
	// r = 8: difficulty at most the level true, a loss in its interval true
	// r = 32: difficulty at most the level true, a loss in its interval true
	// harder levels lose more: true
}
