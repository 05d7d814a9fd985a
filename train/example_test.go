package train_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/record"
	"mapo/rng"
	"mapo/train"
	"mapo/train/preset"
)

// Train a policy for one level. Progress, checkpoints and early stops are the loop's body.
func ExampleDescend() {
	p := dataset.Thresholds(5, 5)
	config, err := preset.For("smoke", p, game.BestIdentification, 1, nil)
	if err != nil {
		log.Fatal(err)
	}
	run, err := train.New(train.Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{16}, Config: config, Key: rng.New(1)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	var last record.Step
	for step, err := range train.Descend(context.Background(), run) {
		if err != nil {
			log.Fatal(err)
		}
		last = step
	}
	fmt.Println(last.Iter, "of", last.Iters, "iterations; the worst case is a probability:", last.Worst > 0 && last.Worst < 1 && !math.IsNaN(last.GradPsi))
	// Output: 120 of 120 iterations; the worst case is a probability: true
}
