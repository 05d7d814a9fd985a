package optim

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/rng"
)

// On a quadratic that is a thousand times as steep in some directions, not the coordinates', as in others, Soap is near
// the bottom long before Adam: .13 and 38 after 300 steps.
func TestSoapTurns(t *testing.T) {
	net := nn.NewStructured(check.Thresholds(5, 4), 6, rng.New(1))
	n := len(net.Params())
	layer := layerOf(net, 1)
	r := rng.New(2).Rand()
	a := make([]float64, layer.in*layer.out)
	for i := range a {
		a[i] = r.NormFloat64()
	}
	// The loss is ½|D·(P−P*)|², the rows of D random directions of lengths 1 … 1000^½.
	d := make([][]float64, layer.in)
	for i := range d {
		d[i] = make([]float64, layer.in)
		for j := range d[i] {
			d[i][j] = r.NormFloat64() * math.Pow(1000, float64(i)/float64(layer.in-1)/2) / math.Sqrt(float64(layer.in))
		}
	}
	descend := func(step func(params, grad []float32)) float64 {
		params, grad := make([]float32, n), make([]float32, n)
		var loss float64
		for range 300 {
			clear(grad)
			loss = 0
			w, g := layer.weights(params), layer.weights(grad)
			for c := range layer.out {
				for i := range d {
					var v float64
					for j := range d[i] {
						v += d[i][j] * (float64(w[j*layer.out+c]) - a[j*layer.out+c])
					}
					loss += v * v / 2
					for j := range d[i] {
						g[j*layer.out+c] += float32(v * d[i][j])
					}
				}
			}
			step(params, grad)
		}
		return loss
	}
	adam, soap := NewAdam(n), NewSoap(net)
	plain := descend(func(p, g []float32) { adam.Step(p, g, .02) })
	turned := descend(func(p, g []float32) { soap.Step(p, g, .02) })
	if !(turned < plain/100) {
		t.Errorf("after 300 steps Soap is at %v, Adam at %v", turned, plain)
	}
}

// layer is where a layer's weights, [in, out], are among a network's parameters.
type layer struct{ w, in, out int }

func (l layer) weights(v []float32) []float32 { return v[l.w : l.w+l.in*l.out] }

// layerOf returns a network's i-th layer.
func layerOf(net nn.Net, i int) layer {
	at := 0
	for _, w := range nn.Weights(net) {
		if len(w.Shape) == 2 {
			if i == 0 {
				return layer{at, w.Shape[0], w.Shape[1]}
			}
			i--
		}
		at += len(w.Data)
	}
	panic("no such layer")
}

// The first step is the gradient's polar factor: all singular values are the rate.
func TestSoapFirstStep(t *testing.T) {
	net := nn.NewStructured(check.Thresholds(5, 4), 6, rng.New(1))
	params, grad := make([]float32, len(net.Params())), make([]float32, len(net.Params()))
	r := rng.New(3).Rand()
	for i := range grad {
		grad[i] = float32(r.NormFloat64())
	}
	NewSoap(net).Step(params, grad, .1/soapReach)
	l := layerOf(net, 1)
	for a := range l.out {
		for b := range l.out {
			var dot float64
			for i := range l.in + 1 {
				dot += float64(params[l.w+i*l.out+a] * params[l.w+i*l.out+b])
			}
			want := 0.0
			if a == b {
				want = .01
			}
			if math.Abs(dot-want) > 1e-5 { // a step is float32, and ε takes of the smallest singular value
				t.Fatalf("columns %d and %d of the step have product %v, want %v", a, b, dot, want)
			}
		}
	}
}

// The bases are renewed at the first step and every tenth after it, from the running means as they are then: there they
// make them diagonal. In between they stay, though the means move.
func TestSoapRenewsItsBases(t *testing.T) {
	net := nn.NewStructured(check.Thresholds(5, 4), 6, rng.New(1))
	s := NewSoap(net)
	n := len(net.Params())
	params, grad := make([]float32, n), make([]float32, n)
	r := rng.New(4).Rand()
	var kept []SoapLayer
	for step := range 41 {
		for i := range grad {
			grad[i] = float32(r.NormFloat64() * math.Pow(float64(1+i%7), float64(1-step/10%2*2))) // other directions every tenth step
		}
		s.Step(params, grad, .01)
		for i, l := range s.Layers {
			off := max(offDiagonal(l.U, l.Rows, l.In), offDiagonal(l.W, l.Columns, l.Out))
			fresh := off < 1e-9
			if want := step%10 == 0; fresh != want {
				t.Errorf("after step %d the bases of layer %d leave %.2g off the diagonal: renewed %v, want %v", step+1, i, off, fresh, want)
			}
			if step%10 != 0 && !(slices.Equal(l.U, kept[i].U) && slices.Equal(l.W, kept[i].W)) {
				t.Errorf("step %d moves the bases of layer %d", step+1, i)
			}
		}
		kept = kept[:0]
		for _, l := range s.Layers {
			kept = append(kept, SoapLayer{U: slices.Clone(l.U), W: slices.Clone(l.W)})
		}
	}
}

// offDiagonal is the largest entry off the diagonal of Uᵀ·S·U, as a share of the largest on it.
func offDiagonal(u, s []float64, n int) float64 {
	var half, turned mat.Dense
	basis := mat.NewDense(n, n, u)
	half.Mul(basis.T(), mat.NewDense(n, n, s))
	turned.Mul(&half, basis)
	var off, on float64
	for i := range n {
		for j := range n {
			if v := math.Abs(turned.At(i, j)); i == j {
				on = max(on, v)
			} else {
				off = max(off, v)
			}
		}
	}
	return off / on
}

func TestSoapFits(t *testing.T) {
	p := check.Thresholds(5, 4)
	structured, mlp := nn.NewStructured(p, 6, rng.New(1)), nn.NewMLP(p, []int{7}, rng.New(1))
	for _, net := range []nn.Net{structured, mlp} {
		n := 0
		for _, l := range NewSoap(net).Layers {
			n += l.In * l.Out
		}
		if n != len(net.Params()) || !NewSoap(net).Fits(net) {
			t.Errorf("%s has %d parameters, its Soap's layers %d", net.Arch(), len(net.Params()), n)
		}
	}
	cut := NewSoap(mlp)
	cut.Layers[0].U = nil
	var none *Soap
	if none.Fits(mlp) || cut.Fits(mlp) || NewSoap(structured).Fits(mlp) {
		t.Error("a Soap that is nil, damaged or another network's fits")
	}
}
