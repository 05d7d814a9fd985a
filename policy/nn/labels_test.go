package nn

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// TestLabelsInContract: a contract keeps a pool of two classes and of more, and has the second format.
func TestLabelsInContract(t *testing.T) {
	for _, classes := range []int{2, 4} {
		p := check.Pool(9, 3, classes, 5, classes > 2, rng.New(3).Rand())
		c := &Contract{Problem: p, Loss: game.SimpleRegret.String(), Levels: []Level{}}
		if c.format() != FormatRows {
			t.Errorf("the format is %s", c.format())
		}
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		back := new(Contract)
		if err := json.Unmarshal(data, back); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(back)
		q := back.Problem
		if err != nil || string(again) != string(data) || !slices.Equal(q.Z, p.Z) || !slices.Equal(q.Expects(), p.Expects()) || !slices.Equal(q.Seek.(*game.Labels).Items, p.Seek.(*game.Labels).Items) {
			t.Errorf("%s comes back as %s, error %v", data, again, err)
		}
	}
}

// TestBadLabelsInContract: labels that do not fit a problem are refused, and none makes the reader fail otherwise.
func TestBadLabelsInContract(t *testing.T) {
	const sound = `"labels":{"classes":["a","b","c"],"items":["x","y","z"],"cells":[0,2,3],"first":[0,2,4],"of":[0,1,1,2],"weights":[2,1],"pool":3}`
	document := func(labels string) []byte {
		return []byte(`{"loss":"simple-regret","levels":[],"problem":{"name":"p","queries":["1","2","3","4"],"hypotheses":["m","n"],"z":["1010","0101"],"budget":2,"ask_once":false,` + labels + `}}`)
	}
	if err := json.Unmarshal(document(sound), new(Contract)); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][3]string{
		{`"weights":[2,1]`, `"weights":[2]`, "2 cells with 1 weights"},
		{`"weights":[2,1]`, `"weights":[2,0]`, "items behind it"},
		{`"weights":[2,1]`, `"weights":[-2,1]`, "items behind it"},
		{`"cells":[0,2,3]`, `"cells":[]`, "0 cells"},
		{`"cells":[0,2,3]`, `"cells":[0,3,3]`, "no query or no item"},
		{`"cells":[0,2,3]`, `"cells":[0,2147483647,3]`, "no query or no item"},
		{`"first":[0,2,4]`, `"first":[0,2]`, "2 cells with 2 weights"},
		{`"first":[0,2,4]`, `"first":[0,9,4]`, "no query or no item"},
		{`"first":[0,2,4],"of":[0,1,1,2],`, ``, "2 cells with 2 weights and 4 queries"},
		{`"of":[0,1,1,2]`, `"of":[0,1,1,3]`, "query 3 is about class 3; there are classes 0 to 2"},
		{`"of":[0,1,1,2]`, `"of":[0,1]`, "do not fit"},
		{`"items":["x","y","z"]`, `"items":["x","y"]`, "do not fit"},
		{`"items":["x","y","z"]`, `"items":["x","y","\u0000"]`, "NUL"},
		{`"classes":["a","b","c"]`, `"classes":["a","b","b"]`, `called "b"`},
		{`"pool":3`, `"pool":0`, "more than 0"},
	} {
		err := json.Unmarshal(document(strings.Replace(sound, change[0], change[1], 1)), new(Contract))
		if err == nil || !strings.Contains(err.Error(), change[2]) {
			t.Errorf("%s: error %v, want %q", change[1], err, change[2])
		}
	}
}
