package nn

import (
	"fmt"
	"strconv"
	"strings"

	"mapo/game"
)

// tensor is one named block of a network's parameters; blocks follow each other in Params.
type tensor struct {
	name  string
	shape []int
}

// tensored is a Net that a policy file can hold.
type tensored interface {
	Net
	tensors() []tensor
}

// architectures maps the first word of an Arch to what makes an empty network of it. max bounds the
// number of parameters: what the file at hand has room for.
var architectures = map[string]func(sizes string, p *game.Problem, max int) (tensored, error){
	"mlp":        emptyMLP,
	"structured": emptyStructured,
	"gated":      emptyGated,
}

// empty makes the network that arch names, for p, with parameters of 0.
func empty(arch string, p *game.Problem, max int) (tensored, error) {
	kind, sizes, _ := strings.Cut(arch, " ")
	if kind == "adaptive" {
		return nil, fmt.Errorf("the network %q is no longer part of mapo; use the policy instant:0.7, or train again", arch)
	}
	build, ok := architectures[kind]
	if !ok {
		return nil, fmt.Errorf("unknown architecture %q", arch)
	}
	net, err := build(sizes, p, max)
	if err != nil {
		return nil, fmt.Errorf("architecture %q: %w", arch, err)
	}
	if net.Arch() != arch {
		return nil, fmt.Errorf("architecture %q is not spelt %q", arch, net.Arch())
	}
	return net, nil
}

func emptyMLP(text string, p *game.Problem, max int) (tensored, error) {
	var sizes []int
	total := 0
	for i, s := range strings.Split(text, "-") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 1<<20 {
			return nil, fmt.Errorf("layer size %q is not a number from 1 to %d", s, 1<<20)
		}
		if i > 0 {
			total += (sizes[i-1] + 1) * n // at most 2⁴⁰ above max: no overflow
		}
		if total > max {
			return nil, fmt.Errorf("it has more than the %d parameters there are", max)
		}
		sizes = append(sizes, n)
	}
	d := p.Queries()
	if len(sizes) < 2 || sizes[0] != 3*d || sizes[len(sizes)-1] != d {
		return nil, fmt.Errorf("a problem of %d queries needs sizes from %d to %d", d, 3*d, d)
	}
	if total != max {
		return nil, fmt.Errorf("it has %d parameters, the file %d: it is cut short or added to", total, max)
	}
	return newMLP(sizes), nil
}

// tensors names each layer's weights [in, out] and biases [out], as x·W + b uses them.
func (m *MLP) tensors() []tensor {
	var ts []tensor
	for i, l := range m.layers {
		name := "layers." + strconv.Itoa(i)
		ts = append(ts, tensor{name + ".weight", []int{l.in, l.out}}, tensor{name + ".bias", []int{l.out}})
	}
	return ts
}
