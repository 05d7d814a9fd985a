package serve

import (
	"bytes"
	"context"
	"net/http"
)

// Labels returns the labels of a session that count, as CSV.
func (s *Sessions) Labels(ctx context.Context, id string) ([]byte, error) {
	g, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	var list []Label
	for i := range g.turns {
		if t := &g.turns[i]; t.counts() && t.Class != "" {
			list = append(list, Label{t.Text, t.Class, t.Probability})
		}
	}
	if len(list) == 0 && g.policy.labels() == nil {
		return nil, fault(http.StatusConflict, "the policy %q asks queries, and not the classes of items: get the session's answers at /export", g.Policy)
	}
	var out bytes.Buffer
	err = WriteLabels(&out, list, true)
	return out.Bytes(), err
}
