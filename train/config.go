package train

import "slices"

// Config holds what a training can be told, by the paper's letters (App. D). One algorithm is given, [Oracle] or [Paper], and
// one kind of policy, [Structured], [MLP] or [Gated]; the others are nil. Its yaml keys may all be set under `train:` in a spec.
// Package preset makes whole configurations, and Check keeps to the ranges of its other tags.
type Config struct {
	Oracle     *Oracle     `yaml:"oracle,omitempty"`     // a growing set of worst instances, the default
	Paper      *Paper      `yaml:"paper,omitempty"`      // Algorithm 2 with particles
	Structured *Structured `yaml:"structured,omitempty"` // a policy whose weights are shared over queries, the default but where the next is
	MLP        *MLP        `yaml:"mlp,omitempty"`        // the policy of App. B
	Gated      *Gated      `yaml:"gated,omitempty"`      // a policy of nine weights that serve on every table, the default for identification on rows

	// Adaptive and From say nothing: they are nil and "fresh", as content keys and specs of runs by earlier versions have them.
	Adaptive *struct{} `yaml:"-"`
	From     string    `yaml:"from"` // fresh

	Estimator string `yaml:"estimator" known:"loo paper"` // "loo" (reading 18) or "paper" (Eq. 9–11 as printed)
	Critic    bool   `yaml:"critic"`                      // with loo: subtracts a control variate from each game's loss (sim.ControlVariate)

	N int `yaml:"N" least:"1"` // particles (Eq. 6), or the most instances the oracle's set holds
	M int `yaml:"M" least:"1"` // instances drawn an iteration, the I_m of Eq. 9–11
	L int `yaml:"L" least:"1"` // rollouts of each; at least 2 where the estimator is loo

	LambdaBinary  float64 `yaml:"lambda_binary"`   // what best identification's loss is multiplied by
	LambdaPolFine float64 `yaml:"lambda_pol_fine"` // the policy's entropy, fine-tuning and the oracle's phases

	Optimizer string  `yaml:"optimizer" known:"soap adam"` // of ψ: "soap" (optim.Soap) or "adam" (the paper's, and Bayes-LAL's beside the oracle), at the same rates
	RatePsi   float64 `yaml:"rate_psi"`                    // learning rate of ψ
	Decay     float64 `yaml:"decay"`                       // the share of RatePsi a phase ends with, falling linearly

	Pi    int `yaml:"pi"`     // N_it of π_k; of the paper's algorithm its fine-tuning, best identification only
	PiHat int `yaml:"pi_hat"` // N_it of fine-tuning π̂
}

// Oracle is what the default algorithm, the double oracle, can be told.
type Oracle struct {
	Magnet      float64 `yaml:"magnet"`                   // where games are sampled: the weight of the policy's divergence from its running mean (MagnetGrad); 0: none
	Refresh     int     `yaml:"refresh" least:"1"`        // iterations between two searches
	Add         int     `yaml:"add" least:"1"`            // instances a search adds over all levels, with below of each; at most N/3 in all, at least 2 a level
	Below       bool    `yaml:"below"`                    // regret at one level: every search keeps to all levels below too, not every second to one of them
	Thorough    int     `yaml:"thorough" most:"1000"`     // searches of a training that are as the judge's at desk scale and add twice as many; in a run those of π̂, or of its only policy
	Brief       bool    `yaml:"-"`                        // thorough searches have a seventh of the trials, no longer climbs, and cover no level that is not asked for
	Soften      float64 `yaml:"soften"`                   // where searches are made: what the logits of the policy handed out are multiplied by, in (0, 1]; 1: as trained
	Temperature float64 `yaml:"temperature" least:"1e-6"` // τ of softmax(mean loss/τ), in deviations of a game's loss
	Hedge       int     `yaml:"hedge"`                    // iterations of π̂'s training in which a lead in mean loss adds once more to an instance's logit, at four times the τ; 0: never
	Follow      int     `yaml:"follow"`                   // N_it of π_k that start from another's weights; 0: all start afresh
}

// Paper is what Algorithm 2 can be told.
type Paper struct {
	LambdaPol     float64 `yaml:"lambda_pol_reg"` // the policy's entropy, regret training
	LambdaGen     float64 `yaml:"lambda_gen_reg"` // the entropy of softmax(w)
	LambdaBarrier float64 `yaml:"lambda_barrier"` // the barrier
	RateTheta     float64 `yaml:"rate_theta"`     // learning rate of θ̃
	RateW         float64 `yaml:"rate_w"`         // of w
	Dense         bool    `yaml:"dense"`          // Adam on all of Θ̃ (the paper's) or on the particles drawn (reading 1)
	Init          int     `yaml:"init"`           // N_it of Init, before every phase that reinitialises
	Regret        int     `yaml:"regret"`         // N_it of regret training
	Tilde         int     `yaml:"tilde"`          // N_it of fine-tuning π̃_k
}

// Structured is what a structured policy can be told.
type Structured struct {
	Units int    `yaml:"units" least:"1" most:"8192"`          // width of its layers
	Start string `yaml:"start" known:"rivals unasked uniform"` // near "rivals" (nn.Structured.LeanToRivals), "unasked" (LeanToUnasked; Bayes-LAL's is uniform then) or "uniform"
}

// MLP is what an MLP can be told.
type MLP struct {
	Hidden []int `yaml:"hidden" least:"1" most:"8192"` // widths of its inner layers
}

// Gated is what a gated policy can be told.
type Gated struct {
	Start string `yaml:"start" known:"instant uniform"` // at the weights of "instant" (rival.Instant of weight 0; of a pool by the gain) or "uniform"
}

// Clone returns a copy that shares nothing with c that a caller may change.
func (c *Config) Clone() Config {
	out := *c
	out.Oracle, out.Paper, out.Structured = copied(c.Oracle), copied(c.Paper), copied(c.Structured)
	out.MLP, out.Gated = copied(c.MLP), copied(c.Gated)
	if c.MLP != nil {
		out.MLP.Hidden = slices.Clone(c.MLP.Hidden)
	}
	return out
}

// copied returns a copy of a block; nil of none.
func copied[T any](block *T) *T {
	if block == nil {
		return nil
	}
	out := *block
	return &out
}

// Counts returns the yaml keys of how long a training is: the iterations of its phases and between
// its searches, and its thorough searches. The others say how it is done.
func Counts() []string {
	return []string{"pi", "pi_hat", "oracle.follow", "oracle.refresh", "oracle.thorough", "paper.init", "paper.regret", "paper.tilde"}
}

// Follows reports whether all π_k but one start from that one's weights.
func (c *Config) Follows() bool { return c.Oracle != nil && c.Oracle.Follow > 0 }

// critic reports whether the critic is in use.
func (c *Config) critic() bool { return c.Critic && c.leaveOneOut() }

// leaveOneOut reports whether baselines are those of reading 18.
func (c *Config) leaveOneOut() bool { return c.Estimator == "loo" }
