package policies_test

import (
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/policy/nn"
	"mapo/serve/policies"
	"mapo/serve/servetest"
)

// TestOpenStopping: a policy file's games end as its contract says, unless the caller says otherwise, and its promise is of
// these games. Majorities end at no probability, and a rule that is not known is refused.
func TestOpenStopping(t *testing.T) {
	p := servetest.RowsOf(t, 4, servetest.FourRows()...).Problem()
	stops := func(c *nn.Contract) { c.Stopping = "confidence:0.9" }
	early, full := servetest.Write(t, t.TempDir(), "early", p, stops), servetest.Write(t, t.TempDir(), "full", p, nil)
	never, often := 0., 0.8
	for _, c := range []struct {
		path, games string
		stop        *float64
		want        float64
	}{
		{early, "of games that end once sure to 90\u00a0%", nil, 0.9}, {full, "of full games", nil, 0},
		{early, "of games that end once sure to 90\u00a0%", &never, 0}, {full, "of full games", &often, 0.8},
	} {
		open := policies.Open
		if c.stop != nil {
			open = func(path string) (*policies.Policy, error) { return policies.OpenStopping(path, *c.stop) }
		}
		got, err := open(c.path)
		if err != nil {
			t.Fatal(err)
		}
		if got.Stop() != c.want || got.Summary().Traits.Stop != c.want || !strings.Contains(got.Promise()[0], c.games) {
			t.Errorf("%s stops at %v and promises %q, want %v and %q", c.path, got.Stop(), got.Promise()[0], c.want, c.games)
		}
	}
	majority := servetest.Write(t, t.TempDir(), "majority", dataset.Thresholds(5, 4), nil)
	if _, err := policies.OpenStopping(majority, 0.9); err == nil || !strings.HasSuffix(err.Error(), "majority.safetensors: stop is 0.9; only games over the rows of a table have a probability to stop at, and these hypotheses are majorities") {
		t.Errorf("majorities at 0.9: %v", err)
	}
	if got, err := policies.OpenStopping(majority, 0); err != nil || got.Stop() != 0 {
		t.Errorf("majorities at 0: %v", err)
	}
	later := servetest.Write(t, t.TempDir(), "later", p, func(c *nn.Contract) { c.Stopping = "patience:3" })
	if _, err := policies.Open(later); err == nil || !strings.Contains(err.Error(), `unknown rule of stopping "patience"; known are confidence: was it written by a later version?`) {
		t.Errorf("a rule that is not known: %v", err)
	}
}
