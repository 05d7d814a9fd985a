package rival

import (
	"mapo/game"
	"mapo/policy/nn"
)

// gates are the weights a, b and c of each feature of an [nn.Gated] network that was trained for worst cases on one table of animals.
var gates = [3][3]float32{
	{-5.58, -3.17, 13.63},
	{1.09, -1.18, 7.11},
	{5.54, 10.74, 4.19},
}

// GatedNet returns a gated network for a training to begin from: as good on average as it is robust on most tables.
func GatedNet(p *game.Problem) *nn.Gated {
	net := nn.NewGated(p)
	for feature, w := range gates {
		net.SetGate(feature, w[0], w[1], w[2])
	}
	return net
}

// InstantStart sets the gates of net, [nn.Instant], to those of [GatedNet], and returns it: where a pretraining begins.
func InstantStart(net *nn.Instant) *nn.Instant {
	for feature, w := range gates {
		net.SetGate(feature, w[0], w[1], w[2])
	}
	return net
}
