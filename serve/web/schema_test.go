package web

import (
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// fingerprint returns what the store keeps of a policy's game with its sessions.
func fingerprint(t *testing.T, p *policies.Policy) string {
	t.Helper()
	s, _ := servetest.Keeping(t, servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) }), sessions.Options{}, func(string) (*policies.Policy, error) { return p, nil }, p.ID)
	servetest.Begin(t, s, wire.NewSession{Policy: p.ID})
	list, err := s.List(t.Context(), "", 1)
	must(t, err)
	return list[0].Play
}

// TestOlderFingerprints: a policy keeps the fingerprint that older programs gave it.
func TestOlderFingerprints(t *testing.T) {
	table, err := opener(dataset.RowOptions{}, policies.Rules{Stop: 0.95})("testdata/second.csv")
	must(t, err)
	for _, c := range []struct {
		policy *policies.Policy
		want   string
	}{{servetest.Policy(t, "thresholds", dataset.Thresholds(6, 5), nil), "603b4f8a8cfa0aeb9ba5ead8eeb6df01"}, {table, "91d02ce673d3f9bcaf6612408dd49fa7"}} {
		if got := fingerprint(t, c.policy); got != c.want {
			t.Errorf("the fingerprint of %s is %s, want %s: sessions that were begun cannot go on", c.policy.ID, got, c.want)
		}
	}
	if got := fingerprint(t, table); len(got) < 32 || !strings.HasPrefix(table.Hash(), got) {
		t.Errorf("without training, the fingerprint is %s and the hash %s", got, table.Hash())
	}
}
