package nn

import (
	"fmt"

	"mapo/game"
)

// Transfer returns a network for p with the weights of net as they are. It is an error where weights of net's architecture belong to one
// problem, and where a network of p reads other features. Costs as making the network.
func Transfer(net Net, p *game.Problem) (Net, error) {
	switch net.(type) {
	case *Structured, *Gated:
	default:
		return nil, fmt.Errorf("the weights of a %q belong to one problem; those of structured and gated policies go over to others", net.Arch())
	}
	on, err := empty(net.Arch(), p, len(net.Params()))
	if err != nil {
		return nil, err
	}
	copy(on.Params(), net.Params())
	return on, nil
}
