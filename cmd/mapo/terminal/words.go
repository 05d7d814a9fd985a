package terminal

import (
	"fmt"
	"strings"

	"mapo/game/play"
	"mapo/serve/wire"
)

// leading returns the leading five with their probabilities.
func leading(now play.Standing) string {
	list := []string{wire.Plain(now.Recommendation.Text) + " " + Percent(*now.Confidence)}
	for _, r := range now.RunnersUp {
		list = append(list, wire.Plain(r.Text.Text)+" "+Percent(*r.Confidence))
	}
	return strings.Join(list, ", ")
}

// Percent writes a probability as people read it; none is rounded to certain.
func Percent(p float64) string {
	switch v := 100 * p; {
	case p < 1 && v >= 99.5:
		return fmt.Sprintf("%.4g %%", min(v, 99.99))
	case p > 0 && v < 0.5:
		return "<1 %"
	default:
		return fmt.Sprintf("%.0f %%", v)
	}
}
