package adversary_test

import (
	"context"
	"fmt"
	"log"

	"mapo/adversary"
	"mapo/data/dataset"
	"mapo/game"
	"mapo/rng"
	"mapo/train"
	"mapo/train/preset"
)

// box is an adversary of one's own: instances that are uniform over the box |θ_i| ≤ 1 − ε. It learns nothing.
type box struct{}

func (box) Enter(adversary.Phase, []byte) error                                     { return nil }
func (box) Prepare(context.Context, game.Policy, int) (int64, error)                { return 0, nil }
func (box) Observe(*adversary.Batch, *adversary.Games) (seen adversary.Diagnostics) { return seen }
func (box) Snapshot() ([]byte, error)                                               { return nil, nil }

func (box) Draw(b *adversary.Batch, key rng.Key) {
	r := key.Rand()
	for i := range b.Theta {
		b.Theta[i] = (2*r.Float64() - 1) * (1 - game.Edge)
	}
}

// Train against an adversary of one's own.
func ExampleAdversary() {
	p := dataset.Thresholds(5, 5)
	config, err := preset.For("smoke", p, game.SimpleRegret, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	run, err := train.New(train.Task{P: p, C: game.RhoTilde(p), Loss: game.SimpleRegret, Adversary: box{}, Config: config, Key: rng.New(1)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, err := range train.Descend(context.Background(), run) {
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(run.Policy().Arch())
	// Output: structured even 24-16-16
}
