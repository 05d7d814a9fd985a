package sessions

import (
	"bytes"
	"context"

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
	if err := g.policy.Form().Labelled(g.Policy); len(list) == 0 && err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = wire.WriteLabels(&out, list, true)
	return out.Bytes(), err
}
