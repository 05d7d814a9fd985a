package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/rng"
)

func TestThresholds(t *testing.T) {
	p := Thresholds(3, 5)
	if got, want := fmt.Sprint(p.Name, p.X, p.Z), "thresholds-3[x1 x2 x3] [0 0 0 1 0 0 1 1 0 1 1 1]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := p.Check(); err != nil || p.T != 5 || p.Names[0] != "threshold 0" || p.Names[3] != "threshold 3" {
		t.Error(err, p.T, p.Names)
	}
}

func parse(t *testing.T, text string) *Table {
	t.Helper()
	table, err := ParseTable(strings.NewReader(text), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestProblemMergesAndDrops(t *testing.T) {
	table := parse(t, `object,const,a,b,again,half
ant,1,0.4,1,0.2,0.5
bee,1,0.6,1,0.9,0
cow,.9,0.4,0,0.1,0.25
dog,.8,0.1,0.7,0,0.5
elk,.8,0.1,0.7,0,0.5
fly,.8,0.1,0.7,0,0.5
`)
	p, prior, warnings, err := Majorities(table, Options{Name: "farm", T: 2, AskOnce: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(p.X, p.Z), "[a b] [0 1 1 1 0 0]"; got != want {
		t.Errorf("%s, want %s: P(yes) = 1/2 is a no", got, want)
	}
	if want := []string{"ant / dog / elk / and 1 more", "bee", "cow"}; !slices.Equal(p.Names, want) {
		t.Errorf("names %q, want %q", p.Names, want)
	}
	if p.Name != "farm" || p.T != 2 || !p.AskOnce {
		t.Errorf("%+v", p)
	}
	for row, want := range []string{"[-0.2 1]", "[0.2 1]", "[-0.2 -1]", "[-0.8 0.4]"} {
		if got := fmt.Sprintf("[%.2g %.2g]", prior[row][0], prior[row][1]); got != want {
			t.Errorf("prior %d is %s, want %s", row, got, want)
		}
	}
	want := []string{
		`t.csv: dropped 2 queries on which all objects agree (the first: "const")`,
		`t.csv: dropped 1 query that repeats another ("again" repeats "a")`,
		`t.csv: merged 3 objects into others with the same answers (the first: "dog" is like "ant")`,
	}
	if len(prior) != 6 || !reflect.DeepEqual(warnings, want) {
		t.Errorf("%d rows of the prior, warnings\n%s", len(prior), strings.Join(warnings, "\n"))
	}
}

// TestKnownIsBounded: policies know the rows of a table unless those would swell their files.
func TestKnownIsBounded(t *testing.T) {
	const queries = 64
	for rows, want := range map[int]int{game.MostKnown / queries: game.MostKnown, game.MostKnown/queries + 1: 0} {
		made := &Table{Name: "t.csv", P: make([]float64, rows*queries), Lines: make([]int, rows)}
		for i := range queries {
			made.Queries = append(made.Queries, fmt.Sprint("q", i))
		}
		for row := range rows {
			made.Objects = append(made.Objects, fmt.Sprint("o", row))
			made.P[row*queries+row%queries] = 1
		}
		p, prior, warnings, err := Majorities(made, Options{T: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(prior) != rows || len(p.Known) != want {
			t.Errorf("%d rows of the prior and %d numbers known of a table of %d × %d, want %d", len(prior), len(p.Known), rows, queries, want)
		}
		if said := strings.Contains(fmt.Sprint(warnings), "too many for policies to know each"); said != (want == 0) {
			t.Errorf("%d rows: %q", rows, warnings)
		}
	}
}

func TestSelectBalanced(t *testing.T) {
	// Shares of yes: a 1/4, b 2/4, c 2/4, d 3/4.
	table := parse(t, "object,a,b,c,d\np,1,1,1,1\nq,0,1,0,1\nr,0,0,1,1\ns,0,0,0,0\n")
	for _, c := range []struct {
		queries int
		want    string
		warns   int
	}{
		{1, "[b]", 1}, {2, "[b c]", 0}, {3, "[a b c]", 0}, {4, "[a b c d]", 0}, {0, "[a b c d]", 0},
	} {
		p, prior, warnings, err := Majorities(table, Options{T: 1, Select: Select{Queries: c.queries}})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(p.X); got != c.want || len(warnings) != c.warns || len(prior) != 4 || len(prior[0]) != len(p.X) {
			t.Errorf("select %d: %s, want %s; warnings %q", c.queries, got, c.want, warnings)
		}
		if c.queries == 1 && (p.Names[0] != "p / q" || warnings[0] != `t.csv: after select: merged 2 objects into others with the same answers (the first: "q" is like "p")`) {
			t.Errorf("select 1: %q, %q", p.Names, warnings)
		}
	}
}

func TestProblemFaults(t *testing.T) {
	same := parse(t, "object,a,b\nx,1,0\ny,0.9,0.1\n")
	_, _, _, err := Majorities(same, Options{T: 1})
	if want := `t.csv:2: all 2 objects have the same majority, P(yes) > 1/2 or not, in every query; truth: rows in a spec reads the shares themselves, or add a query that tells some of them apart`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	good := parse(t, "object,a,b\nx,1,0\ny,0,1\n")
	for want, s := range map[string]Select{
		`t.csv:1: select: unknown design "rho"; known are balanced and rho-star`:                                              {Queries: 1, Design: "rho"},
		`t.csv:1: select: -1 queries; it must be at least 1`:                                                                  {Queries: -1},
		`t.csv:1: select asks for 3 queries and the table has 2 that tell objects apart, of 2: lower it, or leave select out`: {Queries: 3},
	} {
		if _, _, _, err := Majorities(good, Options{T: 1, Select: s}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestDrawnIsWithoutReplacement(t *testing.T) {
	weight := []float64{0, .5, 0, .25, .25}
	first := map[int]int{}
	for seed := range 400 {
		got := drawn(weight, 4, rng.New(uint64(seed)))
		sorted := slices.Clone(got)
		slices.Sort(sorted)
		if !slices.Equal(sorted, []int{1, 3, 4}) {
			t.Fatalf("seed %d draws %v", seed, got)
		}
		first[got[0]]++
	}
	// Binomial(400, ½): outside 200 ± 62 once in 10⁹ seeds' worth of luck.
	if first[1] < 138 || first[1] > 262 {
		t.Errorf("weight ½ comes first %d times in 400", first[1])
	}
}

func TestSelectByDesignFillsByBalance(t *testing.T) {
	// All sixteen patterns over four queries, and e, which is a but for one object.
	var text strings.Builder
	text.WriteString("object,a,b,c,d,e\n")
	for k := range 16 {
		e := k & 1
		if k == 0 {
			e = 1
		}
		fmt.Fprintf(&text, "o%d,%d,%d,%d,%d,%d\n", k, k&1, k>>1&1, k>>2&1, k>>3&1, e)
	}
	table := parse(t, text.String())
	for n := 1; n < 5; n++ {
		p, _, _, err := Majorities(table, Options{T: 1, Select: Select{Queries: n, Design: "rho-star", Seed: 3}})
		if err != nil {
			t.Fatal(err)
		}
		if p.Queries() != n {
			t.Errorf("select %d leaves %v", n, p.X)
		}
	}
}

func TestReadInstances(t *testing.T) {
	p := Thresholds(3, 5)
	for why, text := range map[string]string{
		"numbers": "1,-1,0\n.5,.25,1e-3\n",
		"names":   "\ufeffx1,x2, x3\r\n1,-1,0\r\n.5,.25,1e-3",
	} {
		got, err := parseInstances(strings.NewReader(text), "i.csv", p)
		if err != nil || !reflect.DeepEqual(got, [][]float64{{1, -1, 0}, {.5, .25, 1e-3}}) {
			t.Errorf("%s: %v, %v", why, got, err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"", `i.csv:1: the file has no instances: write one a line, 3 numbers each`},
		{"x1,x2,x3\n", `i.csv:1: the file has no instances: write one a line, 3 numbers each`},
		{"x1,y,x3\n1,1,1\n", `i.csv:1: column 2 is "y", want "x2": a first row that is not all numbers must name the problem's 3 queries in order`},
		{"x1,x2,x3,x4\n1,1,1\n", `i.csv:1: column 4 is "x4", want nothing: a first row that is not all numbers must name the problem's 3 queries in order`},
		{"x1,x2\n1,1,1\n", `i.csv:1: the row names 2 queries, the problem has 3`},
		{"1,1\n", `i.csv:1: the row has 2 cells, the problem 3 queries: write one number in [-1, 1] for each`},
		{"1,1,1\n1,1,1.01\n", `i.csv:2: column 3 ("x3") is 1.01, outside [-1, 1]: write the mean answer from -1 to 1`},
		{"1,NaN,1\n", `i.csv:1: column 2 ("x2") is "NaN", not a number: write the mean answer from -1 to 1`},
		{"1,1,1\n1,one,1\n", `i.csv:2: column 2 ("x2") is "one", not a number: write the mean answer from -1 to 1`},
	} {
		_, err := parseInstances(strings.NewReader(c.text), "i.csv", p)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// TestInstancesInUnits: with Gaussian answers means are in the user's units, of arms as of vectors.
func TestInstancesInUnits(t *testing.T) {
	p, err := Arms([]string{"a", "b"}, 5)
	if err != nil {
		t.Fatal(err)
	}
	p.Reply = game.Answers{Sigma: 1, Bound: 50}
	got, err := parseInstances(strings.NewReader("25,-50\n"), "i.csv", p)
	if err != nil || !reflect.DeepEqual(got, [][]float64{{.5, -1}}) {
		t.Errorf("means of 25 and -50 within 50: %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"1,51\n": `i.csv:1: column 2 ("Pull b: a success?") is 51, outside [-50, 50]: write the mean answer from -50 to 50`,
		"1\n":    `i.csv:1: the row has 1 cells, the problem 2 queries: write one number in [-50, 50] for each`,
	} {
		if _, err := parseInstances(strings.NewReader(text), "i.csv", p); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

func FuzzParseInstances(f *testing.F) {
	for _, seed := range []string{"1,-1,0\n", "x1,x2,x3\n0,0,0\n", "nan,0,0\n", "1e999,0,0", ",,\n", "0x1p-2,0,0\n"} {
		f.Add(seed)
	}
	p := Thresholds(3, 5)
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := parseInstances(strings.NewReader(text), "i.csv", p)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "i.csv:") || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is not one line with its place: %q", err)
			}
			return
		}
		for _, row := range rows {
			for _, v := range row {
				if len(row) != 3 || !(v >= -1 && v <= 1) {
					t.Errorf("%v was read as an instance", row)
				}
			}
		}
	})
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	here, data, cache := filepath.Join(root, "spec"), filepath.Join(root, "data"), filepath.Join(root, "cache")
	t.Setenv("MAPO_DATA", data)
	t.Setenv("XDG_CACHE_HOME", cache)
	_, err := Find("sub/birds.csv", here)
	want := fmt.Sprintf(`cannot find "sub/birds.csv"; looked for %s/sub/birds.csv, %s/birds.csv ($MAPO_DATA), %s/mapo/birds.csv (cache)`, here, data, cache)
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	// Each place is preferred to the ones after it.
	for _, path := range []string{filepath.Join(cache, "mapo", "birds.csv"), filepath.Join(data, "birds.csv"), filepath.Join(here, "sub", "birds.csv")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(small), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := Find("sub/birds.csv", here); err != nil || got != path {
			t.Errorf("found %s, %v, want %s", got, err, path)
		}
	}
	t.Setenv("MAPO_DATA", "")
	if _, err := Find("fish.csv", here); err == nil || !strings.Contains(err.Error(), "$MAPO_DATA (not set)") {
		t.Error(err)
	}
}

func TestBase(t *testing.T) {
	for path, want := range map[string]string{"a/birds.csv.gz": "birds", "x.yaml": "x", ".csv": ".csv", "b.csv": "b", "plain": "plain"} {
		if got := Base(path); got != want {
			t.Errorf("Base(%q) = %q, want %q", path, got, want)
		}
	}
}
