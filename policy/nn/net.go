package nn

import "mapo/game"

// Net is a policy network π^ψ before its softmax.
type Net interface {
	// Arch says what the network is, e.g. "mlp 75-256-256-256-256-25": two networks with the same Arch
	// have parameters of the same meaning. Content keys and policy files name it.
	Arch() string
	// Params is ψ, flat. The network owns it; an optimiser moves it in place, not during Forward or Backward.
	Params() []float32
	// NewTape has room for what Backward needs of up to b states.
	NewTape(b int) Tape
	// Forward writes the logits of s to logits, [B,|X|], and keeps the activations on tape. Logits of masked
	// queries mean nothing: callers apply s.Mask. Rows do not depend on each other, bit for bit. May be called
	// concurrently with distinct tapes.
	Forward(logits []float32, tape Tape, s game.States)
	// Backward adds to grad, as long as Params, the gradient of Σ logits·dlogits, dlogits [B,|X|], at the
	// states of tape's last Forward. It uses the tape up: a second Backward needs a Forward before it. May
	// be called concurrently with distinct tapes and gradients.
	Backward(grad []float32, tape Tape, dlogits []float32)
}

// Tape is one step's kept activations. Only the network that made it knows what is in it.
type Tape interface {
	// Cap is the number of states there is room for.
	Cap() int
}
