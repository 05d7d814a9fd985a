package record

import (
	"encoding/json"
	"math"
)

// Step is what one iteration of a training shows of itself: appendix D's diagnostics. Its Worst is
// E_{softmax(w)} of the loss over the feasible particles drawn, a running mean; of the
// double oracle that of the set's running means. What the training does not have is NaN: the
// double oracle's instances are feasible and do not move, Bayes-LAL has no adversary.
//
// As JSON it is a line of a training's record, without Iters, which is the same in every line. A number
// that is not finite is null.
type Step struct {
	Phase           string  // its name, such as train.PhasePi
	Iter, Iters     int     // done and to do, over all phases
	Work            int64   // environment steps played so far
	Worst           float64 // training's own estimate of its max, in the loss's own units; a gap for π̂
	Feasible        float64 // share of the particles drawn with 𝒞(θ) ≤ r_K
	Barrier         float64 // mean ℒ_barrier/λ_barrier of those drawn
	PolicyEntropy   float64 // mean entropy of π(s) over log |X|
	ParticleEntropy float64 // entropy of softmax(w) over log N
	GradPsi         float64 // norms of the estimates of Eq. 11, 10 and 9
	GradTheta       float64
	GradW           float64
}

// form is a Step as JSON has it: its keys, in order, and where their values are.
type form struct {
	Phase           *string `json:"phase"`
	Iter            *int    `json:"iteration"`
	Work            *int64  `json:"work"`
	Worst           reading `json:"worst"`
	Feasible        reading `json:"feasible"`
	Barrier         reading `json:"barrier"`
	PolicyEntropy   reading `json:"policy_entropy"`
	ParticleEntropy reading `json:"particle_entropy"`
	GradPsi         reading `json:"grad_psi"`
	GradTheta       reading `json:"grad_theta"`
	GradW           reading `json:"grad_w"`
}

// form returns s's.
func (s *Step) form() form {
	return form{
		&s.Phase, &s.Iter, &s.Work, reading{&s.Worst}, reading{&s.Feasible}, reading{&s.Barrier},
		reading{&s.PolicyEntropy}, reading{&s.ParticleEntropy}, reading{&s.GradPsi}, reading{&s.GradTheta}, reading{&s.GradW},
	}
}

// MarshalJSON implements [json.Marshaler].
func (s Step) MarshalJSON() ([]byte, error) { return json.Marshal(s.form()) }

// UnmarshalJSON implements [json.Unmarshaler]: it changes the fields that data has keys of.
func (s *Step) UnmarshalJSON(data []byte) error {
	f := s.form()
	return json.Unmarshal(data, &f)
}

// reading points to a number that JSON may have as null.
type reading struct{ *float64 }

// MarshalJSON implements [json.Marshaler].
func (r reading) MarshalJSON() ([]byte, error) {
	if v := *r.float64; !math.IsNaN(v) && !math.IsInf(v, 0) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. Null is NaN.
func (r reading) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*r.float64 = math.NaN()
		return nil
	}
	return json.Unmarshal(data, r.float64)
}
