package train

// Role is what a policy is in a run of a ladder of levels.
type Role struct {
	PiHat   bool // π̂; else a π_k or Bayes-LAL
	Follows bool // begins with another π_k's weights
	Alone   bool // of the run's only level
	Bayes   bool // Bayes-LAL
}

// Of returns what of c the training of a policy in this role depends on, the rest 0. So it is the same
// training when only what others take changes.
func (c *Config) Of(role Role) Config {
	out := c.Clone()
	if role.PiHat {
		out.Pi = 0
	} else {
		out.PiHat = 0
	}
	out.algorithm().of(&out, role)
	out.network().of(role)
	return out
}

func (o *Oracle) of(c *Config, role Role) {
	if role.Follows && !role.PiHat {
		c.Pi = o.Follow
	}
	o.Follow = 0
	if !role.PiHat {
		o.Hedge = 0
	}
	if !role.PiHat && !role.Alone || role.Bayes {
		o.Thorough = 0
	}
	if role.Bayes {
		o.Magnet, o.Soften = 0, 1
		c.Optimizer = "adam" // by Soap it is the weaker rival (docs/decisions/0012)
	}
}

func (a *Paper) of(_ *Config, role Role) {
	if role.PiHat {
		a.Regret, a.Tilde = 0, 0
	}
}

func (s *Structured) of(role Role) {
	if role.Bayes && s.Start == "unasked" {
		s.Start = "uniform" // this rival does not begin for worst cases
	}
}

func (*MLP) of(Role) {}

func (g *Gated) of(role Role) {
	if role.Bayes {
		g.Start = "uniform" // this rival does not begin for worst cases
	}
}
