package policies_test

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/game/play"
	"mapo/internal/check"
	"mapo/rng"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/wire"
)

func TestAt(t *testing.T) {
	once, again := dataset.Thresholds(5, 4), dataset.Thresholds(5, 4)
	once.AskOnce = true
	free, spends, repeats := servetest.Policy(t, "free", once, nil), servetest.Policy(t, "spends", once, servetest.Spending), servetest.Policy(t, "repeats", again, nil)
	all := []int{0, 1, 2, 3, 4}
	for _, c := range []struct {
		why       string
		policy    *policies.Policy
		history   []play.Answered
		mask      []int
		remaining int
		blocked   []int // queries of probability 0; all: no query is drawn
		fault     string
	}{
		{"a new game", free, nil, nil, 4, nil, ""},
		{"asked once", free, []play.Answered{{Query: 2, Answer: play.Yes}}, nil, 3, []int{2}, ""},
		{"may repeat", repeats, []play.Answered{{Query: 2, Answer: play.Yes}, {Query: 2, Answer: play.No}}, nil, 2, nil, ""},
		{"not known is free", free, []play.Answered{{Query: 2, Answer: play.DontKnow}}, nil, 4, []int{2}, ""},
		{"not known spends", spends, []play.Answered{{Query: 2, Answer: play.DontKnow}}, nil, 3, []int{2}, ""},
		{"not known is masked where queries repeat", repeats, []play.Answered{{Query: 2, Answer: play.DontKnow}}, nil, 4, []int{2}, ""},
		{"fewer queries than answers left", free, []play.Answered{{Query: 0, Answer: play.DontKnow}, {Query: 1, Answer: play.DontKnow}}, nil, 3, []int{0, 1}, ""},
		{"nothing is known", free, []play.Answered{{Query: 0, Answer: play.DontKnow}, {Query: 1, Answer: play.DontKnow}, {Query: 2, Answer: play.DontKnow}, {Query: 3, Answer: play.DontKnow}, {Query: 4, Answer: play.DontKnow}}, nil, 0, all, ""},
		{"nothing is known, where queries repeat", repeats, []play.Answered{{Query: 0, Answer: play.DontKnow}, {Query: 1, Answer: play.DontKnow}, {Query: 2, Answer: play.DontKnow}, {Query: 3, Answer: play.DontKnow}, {Query: 4, Answer: play.DontKnow}}, nil, 0, all, ""},
		{"a mask is for now", free, nil, []int{0, 1, 2, 3}, 4, []int{0, 1, 2, 3}, ""},
		{"a mask of all", free, nil, all, 4, all, ""},
		{"full", free, []play.Answered{{Query: 0, Answer: play.Yes}, {Query: 1, Answer: play.Yes}, {Query: 2, Answer: play.No}, {Query: 3, Answer: play.No}}, nil, 0, all, ""},
		{"beyond", free, []play.Answered{{Query: 0, Answer: play.Yes}, {Query: 1, Answer: play.Yes}, {Query: 2, Answer: play.No}, {Query: 3, Answer: play.No}, {Query: 4, Answer: play.No}}, nil, 0, nil, "answer 4 is beyond the budget of 4"},
		{"don't know beyond", free, []play.Answered{{Query: 0, Answer: play.Yes}, {Query: 1, Answer: play.Yes}, {Query: 2, Answer: play.No}, {Query: 3, Answer: play.No}, {Query: 4, Answer: play.DontKnow}}, nil, 0, nil, "answer 4 is beyond"},
		{"twice", free, []play.Answered{{Query: 0, Answer: play.Yes}, {Query: 0, Answer: play.Yes}}, nil, 0, nil, "answered before"},
		{"no such query", free, []play.Answered{{Query: 5, Answer: play.Yes}}, nil, 0, nil, "there are queries 0 to 4"},
		{"below 0", free, []play.Answered{{Query: -1, Answer: play.Yes}}, nil, 0, nil, "there are queries 0 to 4"},
		{"no such mask", free, nil, []int{9}, 0, nil, "the mask names query 9"},
	} {
		in := &wire.NextRequest{Mask: c.mask}
		for _, a := range c.history {
			in.History = append(in.History, wire.HistoryEntry{Query: wire.Ref{Index: a.Query}, Answer: wire.Reply{Answer: a.Answer}})
		}
		next, err := c.policy.Next(in)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: error %v, want %q", c.why, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		probs := next.Probabilities
		if next.Remaining != c.remaining {
			t.Errorf("%s: %d remain, want %d", c.why, next.Remaining, c.remaining)
		}
		if (next.Query == nil) != (len(c.blocked) == 5) || (len(probs) == 0) != (next.Query == nil) {
			t.Errorf("%s: query %v, probabilities %v", c.why, next.Query, probs)
			continue
		}
		var sum float32
		for i, v := range probs {
			sum += v
			if (v == 0) != slices.Contains(c.blocked, i) {
				t.Errorf("%s: query %d has probability %v", c.why, i, v)
			}
		}
		if len(probs) > 0 && math.Abs(float64(sum)-1) > 1e-5 {
			t.Errorf("%s: probabilities sum to %v", c.why, sum)
		}
	}
}

// TestDraw: a query is drawn as often as its probability says, and the same key
// draws the same.
func TestDraw(t *testing.T) {
	probs := []float32{0, .5, 0, .2, .3, 0}
	for i, want := range probs {
		n := 0
		check.Mean(t, float64(want), 0, 1, .02, func(dst []float64) {
			for j := range dst {
				n++
				k := rng.New(uint64(i)).At(n)
				got := play.Draw(probs, k)
				if play.Draw(probs, k) != got {
					t.Fatalf("key %v draws %d and something else", k, got)
				}
				dst[j] = 0
				if got == i {
					dst[j] = 1
				}
			}
		})
	}
	short := []float32{.4, .4, 0} // rounding may leave the sum below 1
	for i := range 1000 {
		if got := play.Draw(short, rng.New(9).At(i)); got > 1 {
			t.Fatalf("drew %d, which has probability 0", got)
		}
	}
}

// TestRank: by margin, the first drawn from those that share the lead.
func TestRank(t *testing.T) {
	p := servetest.Policy(t, "p", dataset.Thresholds(3, 4), nil)
	firsts, top := map[int]int{}, 3
	for seed := range uint64(200) {
		now, err := p.Next(&wire.NextRequest{History: []wire.HistoryEntry{{Query: wire.Ref{Index: 1}, Answer: wire.Reply{Answer: play.Yes}}}, Seed: &seed, Top: &top})
		must(t, err)
		firsts[now.Recommendation.Index]++
		if next := now.RunnersUp; len(next) != 3 || next[0].Margin != 0 || next[1].Margin != 1 || next[2].Margin != 1 || next[0].Confidence != nil {
			t.Fatalf("runners-up %v", next)
		}
		if now.Tied != 2 || now.Confidence != nil {
			t.Fatalf("standing %+v", now.Said)
		}
	}
	if len(firsts) != 2 {
		t.Errorf("firsts %v, want two hypotheses about equally often", firsts)
	}
}

// TestNamed checks that NAME=PATH gives a policy its id, also after its file was read again, and that a
// file of that very name is a file.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	one := servetest.Write(t, dir, "mapo", dataset.Thresholds(3, 4), nil)
	two := servetest.Write(t, t.TempDir(), "mapo", dataset.Thresholds(4, 4), nil)
	odd := servetest.Write(t, dir, "a=b", dataset.Thresholds(5, 4), nil)
	t.Chdir(dir)
	set, err := policies.NewSet([]string{"animals=" + one, "birds=" + two, "a=b.safetensors", odd[:len(odd)-len("a=b.safetensors")] + "./mapo.safetensors"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ids := func() (ids []string) {
		for _, p := range set.All() {
			ids = append(ids, p.ID)
		}
		return ids
	}
	want := []string{"animals", "birds", "a=b", "mapo"}
	if got := ids(); !slices.Equal(got, want) {
		t.Errorf("the policies are %q, want %q", got, want)
	}
	servetest.Write(t, dir, "mapo", dataset.Thresholds(6, 4), nil)
	if changed, err := set.Reload(); err != nil || !slices.Equal(changed, []string{"animals", "mapo"}) || !slices.Equal(ids(), want) {
		t.Errorf("after a change of mapo.safetensors: changed %q, policies %q, %v", changed, ids(), err)
	}
	for _, name := range []string{"", ".a", "a b", "a\n", strings.Repeat("a", policies.MostID+1)} {
		if _, err := policies.OpenAll([]string{name + "=" + one}, policies.Open); err == nil || !strings.Contains(err.Error(), "must have 1 to 100 letters") {
			t.Errorf("the name %q: %v", name, err)
		}
	}
}

func TestOpenFaults(t *testing.T) {
	dir := t.TempDir()
	one := servetest.Write(t, dir, "one", dataset.Thresholds(3, 4), nil)
	other := servetest.Write(t, t.TempDir(), "one", dataset.Thresholds(3, 4), nil)
	for why, c := range map[string]struct {
		paths []string
		fault string
	}{
		"no file":       {[]string{filepath.Join(dir, "none.safetensors")}, "no such file"},
		"another kind":  {[]string{"policy.go"}, "want a policy file"},
		"one base name": {[]string{one, other}, "would both be the policy"},
		"given twice":   {[]string{one, one}, "would both be the policy"},
		"none":          {nil, "no policy file"},
	} {
		if _, err := policies.OpenAll(c.paths, policies.Open); err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: error %v, want %q", why, err, c.fault)
		}
	}
}

func TestQueryByText(t *testing.T) {
	p := dataset.Thresholds(3, 4)
	p.X = []string{"same", "same", "other"}
	o := servetest.Policy(t, "p", p, nil)
	if i, err := o.Query("other"); err != nil || i != 2 {
		t.Errorf("other is %d, %v", i, err)
	}
	for _, text := range []string{"same", "Other", ""} {
		if _, err := o.Query(text); err == nil {
			t.Errorf("%q is a query", text)
		}
	}
}
