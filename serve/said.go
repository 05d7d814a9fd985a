package serve

import (
	"fmt"
	"net/http"

	"mapo/game/play"
	"mapo/rng"
)

// Said is what the answers so far say of the hypotheses, in every reply.
type Said struct {
	Recommendation *play.Text    `json:"recommendation" doc:"the hypothesis that fits the answers best, of several the one that the seed draws; null while all hypotheses tie and answers are left, and in a stale session"`
	Confidence     *float64      `json:"confidence" doc:"the probability that the recommendation is right if answers follow the table; null where nothing is recommended or there is no posterior" minimum:"0" maximum:"1"`
	Tied           int           `json:"tied" minimum:"0" doc:"how many hypotheses share the lead, the recommendation among them; 1: it leads alone; 0 in a stale session"`
	Agreed         *int          `json:"agreed,omitempty" doc:"of a pool: how many of the labels so far the recommended model predicts" minimum:"0"`
	RunnersUp      []play.Ranked `json:"runners_up" nullable:"false" doc:"the next best hypotheses, the best first; empty where nothing is recommended"`
	Misfit         bool          `json:"misfit,omitempty" doc:"the answers do not fit the recommendation: fewer than one in a hundred games of its own would fit it so badly"`
	Pro            []play.Reason `json:"pro,omitempty" nullable:"false" doc:"at the end, and where about is given: the answers that spoke most for that hypothesis"`
	Contra         []play.Reason `json:"contra,omitempty" nullable:"false" doc:"the same: the answers that spoke most against it"`
	Contradiction  []play.Near   `json:"contradiction,omitempty" nullable:"false" doc:"no row gives these answers, which were to be exact: the closest rows, with the queries on which they differ; the game goes on as if some answers were wrong"`
}

const (
	mostReasons = 3
	mostNear    = 3
)

// said returns what standing at says. ended adds the reasons.
func said(at *play.Position, now play.Standing, key rng.Key, ended bool) Said {
	s := Said{
		Recommendation: now.Recommendation, Confidence: now.Confidence, Tied: now.Tied, RunnersUp: now.RunnersUp,
		Misfit: at.Misfits(key), Contradiction: at.Contradiction(mostNear),
	}
	if now.Recommendation != nil {
		s.Agreed = at.Agreed(now.Recommendation.Index)
	}
	if ended && now.Recommendation != nil {
		s.Pro, s.Contra = at.Reasons(now.Recommendation.Index, mostReasons)
	}
	return s
}

// about replaces the reasons by those of hypothesis k; nil: they stay.
func (s *Said) about(at *play.Position, k *int) error {
	if k == nil {
		return nil
	}
	if n := at.Problem.Hypotheses(); *k < 0 || *k >= n {
		return fault(http.StatusUnprocessableEntity, "about is %d; there are hypotheses 0 to %d", *k, n-1)
	}
	s.Pro, s.Contra = at.Reasons(*k, mostReasons)
	return nil
}

// stopAt returns the probability at which a game of p ends, as a request asks for it.
func (p *Policy) stopAt(stop *float64, margin float64) (float64, error) {
	switch {
	case p.game.Rows != nil && margin > 0:
		return 0, fault(http.StatusUnprocessableEntity, "stop_margin is for policies without a posterior; %s has one, so send stop, such as 0.95", p.ID)
	case stop == nil:
		return p.stop, nil
	case *stop != 0 && p.game.Rows == nil:
		return 0, fault(http.StatusUnprocessableEntity, "stop needs a posterior and %s has none; send stop_margin", p.ID)
	}
	if err := CheckStop(*stop); err != nil {
		return 0, fault(http.StatusUnprocessableEntity, "%v", err)
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

// GuessRequest says whether the guess of a step is right.
type GuessRequest struct {
	Step  int   `json:"step" minimum:"1" maximum:"1000000000" doc:"the step of the guess, as the session told it"`
	Right bool  `json:"right" doc:"whether it is what is guessed"`
	Mask  []int `json:"mask,omitempty" doc:"indices of queries not to be asked next"`
}
