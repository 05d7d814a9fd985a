// Package nn holds the policy networks: what turns states into logits, with derivatives written by
// hand.
//
// A network keeps what its backward pass needs in a Tape, one a step of a game:
//
//	net := nn.NewMLP(problem, []int{256, 256, 256, 256}, key)   // App. B
//	tape := net.NewTape(240)
//	net.Forward(logits, tape, states)          // as often as there are steps, each with its own tape
//	net.Backward(grad, tape, dlogits)          // grad += ∂/∂ψ
//	adam.Step(net.Params(), grad, 1e-4)
//
// Policy makes a network into a game.Policy. WriteFile and ReadFile keep one, with all that is
// needed to play it, in a single .safetensors file.
//
//   - In: states, and weights or a policy file.
//   - Out: logits and their derivatives in the weights; policy files.
//   - It never: samples, trains or reads a spec.
package nn
