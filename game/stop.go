package game

// Stopper ends games before their last answer: a game asks nothing more from the first state in which it stops. Like a
// [Policy] it is a pure function of the states, row by row. A policy whose games may end early is a Stopper itself; see
// [StopperOf].
type Stopper interface {
	// Stop writes to dst, [B], whether games end in each state. It may be called concurrently.
	Stop(dst []bool, s States)
}

// StopperOf returns the rule by which policy's games end early; nil: they have all their answers.
func StopperOf(policy Policy) Stopper {
	own, _ := policy.(Stopper)
	return own
}

// Stopping returns policy with a rule by which its games end early; it decides as before. A nil rule leaves policy as it is.
func Stopping(policy Policy, by Stopper) Policy {
	if by == nil {
		return policy
	}
	if decider, ok := policy.(Decider); ok {
		return stoppingDecider{deciding{policy, decider}, by}
	}
	return stopping{policy, by}
}

type stopping struct {
	Policy
	Stopper
}

type stoppingDecider struct {
	deciding
	Stopper
}
