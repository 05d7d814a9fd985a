package policies

import (
	"fmt"
	"net/http"

	"mapo/game/play"
	"mapo/rng"
	"mapo/serve/wire"
)

const (
	MostReasons = 3
	MostNear    = 3
)

// SaidOf returns what standing at says. ended adds the reasons.
func SaidOf(at *play.Position, now play.Standing, key rng.Key, ended bool) wire.Said {
	s := wire.Said{
		Recommendation: now.Recommendation, Confidence: now.Confidence, Tied: now.Tied, RunnersUp: now.RunnersUp,
		Misfit: at.Misfits(key), Contradiction: at.Contradiction(MostNear),
	}
	if now.Recommendation != nil {
		s.Agreed = at.Agreed(now.Recommendation.Index)
	}
	if ended && now.Recommendation != nil {
		s.Pro, s.Contra = at.Reasons(now.Recommendation.Index, MostReasons)
	}
	return s
}

// reasons returns the answers that spoke most for hypothesis k, and against it.
func reasons(at *play.Position, k int) (pro, contra []play.Reason, err error) {
	if n := at.Problem.Hypotheses(); k < 0 || k >= n {
		return nil, nil, wire.Refuse(http.StatusUnprocessableEntity, "about is %d; there are hypotheses 0 to %d", k, n-1)
	}
	pro, contra = at.Reasons(k, MostReasons)
	return pro, contra, nil
}

// StopAt returns the probability at which a game of p ends, as a request asks for it.
func (p *Policy) StopAt(stop *float64, margin float64) (float64, error) {
	switch {
	case p.Game.Rows != nil && margin > 0:
		return 0, wire.Refuse(http.StatusUnprocessableEntity, "stop_margin is for policies without a posterior; %s has one, so send stop, such as 0.95", p.ID)
	case stop == nil:
		return p.stop, nil
	case *stop != 0 && p.Game.Rows == nil:
		return 0, wire.Refuse(http.StatusUnprocessableEntity, "stop needs a posterior and %s has none; send stop_margin", p.ID)
	}
	if err := CheckStop(*stop); err != nil {
		return 0, wire.Refuse(http.StatusUnprocessableEntity, "%v", err)
	}
	return *stop, nil
}

// CheckStop returns an error unless a game can end at that probability: 0 for never, or between ½ and 1.
func CheckStop(stop float64) error {
	if stop != 0 && !(stop > 0.5 && stop < 1) {
		return fmt.Errorf("stop is %g; the probability at which a game ends must be between 0.5 and 1, or 0 for never", stop)
	}
	return nil
}
