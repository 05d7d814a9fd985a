package dataset

import (
	"slices"
	"strings"
	"testing"
)

func TestItemLabels(t *testing.T) {
	got, err := parseItemLabels(strings.NewReader("propensity,note,Item,class\n0.5,,x,cat\n1e-3,\"a, b\",\"y, z\",1.0\n"), "l.csv")
	if err != nil {
		t.Fatal(err)
	}
	if want := []ItemLabel{{"x", "cat", 0.5, 2}, {"y, z", "1", 0.001, 3}}; !got.Logged || !slices.Equal(got.List, want) {
		t.Errorf("%+v", got)
	}
	got, err = parseItemLabels(strings.NewReader("item\tclass\nx\tcat\n"), "l.tsv")
	if err != nil || got.Logged || len(got.List) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"":                                   "l.csv:1: the file is empty",
		"item,kind\nx,cat\n":                 "l.csv:1: no column is called class",
		"item,class,item\n":                  "l.csv:1: columns 1 and 3 are both called item",
		"item,class\nx\n":                    "l.csv:2: the row has 1 cells and the header 2",
		"item,class\nx,\n":                   "l.csv:2: the item or its class is empty",
		"item,class\nx,cat\n\nx,dog\n":       `l.csv:4: item "x" has a label on line 2 too`,
		"item,class,propensity\nx,cat,0\n":   `l.csv:2: the propensity is "0"; it is the probability`,
		"item,class,propensity\nx,cat,1.5\n": `l.csv:2: the propensity is "1.5"`,
		"item,class,propensity\nx,cat,\n":    `l.csv:2: the propensity is ""`,
	} {
		if _, err := parseItemLabels(strings.NewReader(text), "l.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzItemLabels(f *testing.F) {
	f.Add("item,class,propensity\nx,cat,0.5\n", false)
	f.Fuzz(func(t *testing.T, text string, tabs bool) {
		name := "l.csv"
		if tabs {
			name = "l.tsv"
		}
		got, err := parseItemLabels(strings.NewReader(text), name)
		if err != nil {
			return
		}
		for _, label := range got.List {
			if label.Item == "" || label.Class == "" || got.Logged && !(label.Propensity > 0 && label.Propensity <= 1) {
				t.Fatalf("%+v", label)
			}
		}
	})
}
