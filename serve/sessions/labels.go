package sessions

import (
	"bytes"
	"context"
	"net/http"

	"mapo/serve/wire"
)

// Labels returns the labels of a session that count, as CSV.
func (s *Sessions) Labels(ctx context.Context, id string) ([]byte, error) {
	g, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	var list []wire.Label
	for i := range g.turns {
		if t := &g.turns[i]; t.Counts() && t.Class != "" {
			list = append(list, wire.Label{Item: t.Text, Class: t.Class, Propensity: t.Probability})
		}
	}
	if len(list) == 0 && g.policy.Labels() == nil {
		return nil, wire.Refuse(http.StatusConflict, "the policy %q asks queries, and not the classes of items: get the session's answers at /export", g.Policy)
	}
	var out bytes.Buffer
	err = wire.WriteLabels(&out, list, true)
	return out.Bytes(), err
}
