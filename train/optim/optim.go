package optim

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"slices"

	"mapo/policy/nn"
)

// Optimizer is an optimiser's rule and memory. Its exported fields are what a checkpoint holds (encoding/gob). It is not
// safe for concurrent use.
type Optimizer interface {
	// Step moves params against grad, both as long as the parameters of the network that it was made for.
	Step(params, grad []float32, rate float64)
	// Fits reports whether its memory is sound and for net's parameters.
	Fits(net nn.Net) bool
}

// kinds are the optimisers by name.
var kinds = []struct {
	name  string
	empty func() Optimizer // without memory, for a checkpoint's
	fresh func(net nn.Net) Optimizer
}{
	{"soap", func() Optimizer { return new(Soap) }, func(net nn.Net) Optimizer { return NewSoap(net) }},
	{"adam", func() Optimizer { return new(Adam) }, func(net nn.Net) Optimizer { return NewAdam(len(net.Params())) }},
}

// Names returns what [New] knows.
func Names() (list []string) {
	for _, k := range kinds {
		list = append(list, k.name)
	}
	return list
}

// New returns the optimiser of this name, which moves net's parameters. It panics if there is none.
func New(name string, net nn.Net) Optimizer { return kinds[find(name)].fresh(net) }

// Load returns the optimiser of this name with the memory that data, an encoding/gob of one, holds. It fails where that is
// not one of this kind for net's parameters.
func Load(name string, net nn.Net, data []byte) (Optimizer, error) {
	o := kinds[find(name)].empty()
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(o); err != nil {
		return nil, fmt.Errorf("optim: read the checkpoint: %w", err)
	}
	if !o.Fits(net) {
		return nil, fmt.Errorf("optim: the checkpoint is not of %s for this network", name)
	}
	return o, nil
}

func find(name string) int {
	i := slices.Index(Names(), name)
	if i < 0 {
		panic(fmt.Sprintf("optim: there is no optimiser %q", name))
	}
	return i
}
