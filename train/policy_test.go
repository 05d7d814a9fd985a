package train

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/policy/nn"
)

// What a training hands out has soften times the logits of what it trains, once it has trained, where searches look for
// instances and nowhere else; the training itself goes on as it would.
func TestSoften(t *testing.T) {
	const soften = .7
	logits := func(net nn.Net, p *game.Problem) []float32 {
		s := game.States{N: []float32{1, 0, 2, 0}, S: []float32{1, 0, -2, 0}}
		out := make([]float32, p.Queries())
		net.Forward(out, net.NewTape(1), s)
		return out
	}
	given, average := sampled(t, "oracle"), sampled(t, "oracle")
	given.Finite = [][]float64{{.9, .5, -.5, -.9}, {.9, .9, .5, -.5}}
	average.Prior = game.Noiseless(average.P)
	plain := sampled(t, "oracle")
	mlp(&plain.Config, 32)
	for _, c := range []struct {
		name string
		task Task
		by   float64
	}{
		{"Θ searched", sampled(t, "oracle"), soften},
		{"by an MLP", plain, soften},
		{"particles", sampled(t, "paper"), 1},
		{"Θ given", given, 1},
		{"a prior", average, 1},
	} {
		plain, err := New(c.task, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.task.Config = c.task.Config.Clone()
		if o := c.task.Config.Oracle; o != nil {
			o.Soften = soften
		}
		soft, err := New(c.task, nil)
		if err != nil {
			t.Fatal(err)
		}
		if soft.Policy() != soft.Net() {
			t.Errorf("%s: an untrained policy is not handed out as it is", c.name)
		}
		finish(t, plain)
		finish(t, soft)
		if !slices.Equal(plain.Net().Params(), soft.Net().Params()) {
			t.Errorf("%s: what is handed out changes what is trained", c.name)
		}
		want := logits(plain.Net(), c.task.P)
		for i, v := range logits(soft.Policy(), c.task.P) {
			// Each of a logit's some dozens of products rounds to 2⁻²⁴ of what it makes.
			if w := c.by * float64(want[i]); math.Abs(float64(v)-w) > 1e-5*(1+math.Abs(w)) {
				t.Errorf("%s: logit %d is %v, want %v", c.name, i, v, w)
			}
		}
	}
}
