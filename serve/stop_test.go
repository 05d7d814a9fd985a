package serve

import (
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/policy/nn"
)

// TestOpenStopping: a policy file's games end as its contract says, unless the caller says otherwise, and its promise is of
// these games. Majorities end at no probability, and a rule that is not known is refused.
func TestOpenStopping(t *testing.T) {
	p := rowsOf(t, 4, fourRows()...).Problem()
	stops := func(c *nn.Contract) { c.Stop = "confidence:0.9" }
	early, full := write(t, t.TempDir(), "early", p, stops), write(t, t.TempDir(), "full", p, nil)
	never, often := 0., 0.8
	for _, c := range []struct {
		path, games string
		stop        *float64
		want        float64
	}{
		{early, "of games that end once sure to 90\u00a0%", nil, 0.9}, {full, "of full games", nil, 0},
		{early, "of games that end once sure to 90\u00a0%", &never, 0}, {full, "of full games", &often, 0.8},
	} {
		open := Open
		if c.stop != nil {
			open = func(path string) (*Policy, error) { return OpenStopping(path, *c.stop) }
		}
		got, err := open(c.path)
		if err != nil {
			t.Fatal(err)
		}
		if got.Stop() != c.want || got.traits().Stop != c.want || !strings.Contains(got.Promise()[0], c.games) {
			t.Errorf("%s stops at %v and promises %q, want %v and %q", c.path, got.Stop(), got.Promise()[0], c.want, c.games)
		}
	}
	majority := write(t, t.TempDir(), "majority", dataset.Thresholds(5, 4), nil)
	if _, err := OpenStopping(majority, 0.9); err == nil || !strings.HasSuffix(err.Error(), "majority.safetensors: stop is 0.9; only games over the rows of a table have a probability to stop at, and these hypotheses are majorities") {
		t.Errorf("majorities at 0.9: %v", err)
	}
	if got, err := OpenStopping(majority, 0); err != nil || got.Stop() != 0 {
		t.Errorf("majorities at 0: %v", err)
	}
	later := write(t, t.TempDir(), "later", p, func(c *nn.Contract) { c.Stop = "patience:3" })
	if _, err := Open(later); err == nil || !strings.Contains(err.Error(), `unknown rule of stopping "patience"; known are confidence: was it written by a later version?`) {
		t.Errorf("a rule that is not known: %v", err)
	}
}
