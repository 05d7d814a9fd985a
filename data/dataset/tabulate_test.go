package dataset

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mapo/rng"
)

func tabulate(t *testing.T, text string, o TabulateOptions) *Tabulation {
	t.Helper()
	got, err := Tabulate(write(t, "a.csv", text), o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// tabulated tabulates the answers that each gives to every query about every object.
func tabulated(t *testing.T, objects, queries int, each func() []string) *Tabulation {
	t.Helper()
	var b strings.Builder
	b.WriteString("object,query,answer\n")
	for object := range objects {
		for query := range queries {
			for _, answer := range each() {
				fmt.Fprintf(&b, "o%d,q%d,%s\n", object, query, answer)
			}
		}
	}
	return tabulate(t, b.String(), TabulateOptions{})
}

func TestTabulate(t *testing.T) {
	const text = `Answer,object,note,query
yes,dog,,Is it big?
YES,dog,x,Is it big?
no,dog,,Is it big?
no,cat,,Is it big?
unknown,cat,,Is it big?
yes,cat,,"Does it purr, at night?"
`
	got := tabulate(t, text, TabulateOptions{Smooth: 2, Thin: 2})
	// Is it big?: 2 yes and 2 no, m = 3/6. Does it purr?: 1 yes, m = 2/3.
	want := []float64{(2 + 2*.5) / 5, 2. / 3, (0 + 2*.5) / 3, (1 + 2*2./3) / 3}
	for i, p := range got.P() {
		if math.Abs(p-want[i]) > .5000001e-6 {
			t.Errorf("cell %d has P(yes) %v, want %v", i, p, want[i])
		}
	}
	if s := fmt.Sprint(got.Objects, got.Queries, got.Rows, got.Yes, got.No, got.Unknown); s != "[dog cat] [Is it big? Does it purr, at night?] 6 3 2 1" {
		t.Error(s)
	}
	thin, empty, byObject, byQuery := got.ThinCells()
	if s := fmt.Sprint(thin, empty, byObject, byQuery); s != "3 1 [1 2] [1 2]" {
		t.Errorf("thin cells %s", s)
	}
	plain := tabulate(t, text, TabulateOptions{})
	if s := fmt.Sprintf("%.4f", plain.P()); s != "[0.6667 0.5000 0.0000 1.0000]" {
		t.Errorf("without smoothing %s", s)
	}
	// What is written is what the table is.
	var b bytes.Buffer
	if err := got.Table().Write(&b); err != nil {
		t.Fatal(err)
	}
	table, err := ParseTable(&b, "t.csv")
	if err != nil || !slices.Equal(table.Queries, got.Queries) || !slices.Equal(table.Objects, got.Objects) {
		t.Fatalf("%v, %v", table, err)
	}
	if !slices.Equal(table.P, got.P()) {
		t.Errorf("%v is written as %v", got.P(), table.P)
	}
}

// A half answer has half the weight of a whole one, on the same side, whether it is written in words or as a number.
func TestTabulateHalfAnswers(t *testing.T) {
	const text = `object,query,answer
dog,Is it big?,yes
dog,Is it big?,Probably
dog,Is it big?,-0.5
cat,Is it big?,probably not
cat,Is it big?,-1
cat,Is it big?,don't know
dog,Is it old?,0.5
cat,Is it old?,1
`
	got := tabulate(t, text, TabulateOptions{Smooth: 1, Thin: 2})
	// Is it big?: 1½ yes and 2 no, m = 2.5/5.5. Is it old?: 1½ yes, m = 2.5/3.5.
	big, old := 2.5/5.5, 2.5/3.5
	for i, want := range []float64{(1.5 + big) / 3, (0.5 + old) / 1.5, big / 2.5, (1 + old) / 2} {
		if p := got.P()[i]; math.Abs(p-want) > .5000001e-6 {
			t.Errorf("cell %d has P(yes) %v, want %v", i, p, want)
		}
	}
	if s := fmt.Sprint(got.Rows, got.Yes, got.No, got.Half, got.Unknown); s != "8 2 1 4 1" {
		t.Error(s)
	}
	// 2, ½, 1½ and 1 answers are known.
	if thin, empty, byObject, _ := got.ThinCells(); fmt.Sprint(thin, empty, byObject) != "3 0 [1 2]" {
		t.Errorf("%d thin cells, %d empty, %v by object", thin, empty, byObject)
	}
	plain := tabulate(t, text, TabulateOptions{})
	if s := fmt.Sprintf("%.4f", plain.P()); s != "[0.7500 1.0000 0.0000 1.0000]" {
		t.Errorf("without smoothing %s", s)
	}
	var b strings.Builder
	if err := got.Report(&b); err != nil || !strings.Contains(b.String(), "2 yes, 1 no, 4 probably or probably not (each counts 1/2), 1 unknown") {
		t.Errorf("%v, %s", err, b.String())
	}
}

// An annotator's half answer is compared by its side, and counts half in the majority of others.
func TestAnnotatorsHalfAnswers(t *testing.T) {
	text := "object,query,answer,annotator\nb,q,no,c\n"
	for _, a := range []string{"probably,a", "probably,b", "no,c", "probably not,d"} {
		text += "a,q," + a + "\n"
	}
	// Of the others a and b meet ½ yes to 1½ no; c meets 1 yes to ½ no; d meets 1 to 1, which is no majority.
	for _, a := range tabulate(t, text, TabulateOptions{}).Annotators {
		want := map[string][2]int{"a": {1, 0}, "b": {1, 0}, "c": {1, 0}, "d": {0, 0}}[a.Name]
		if a.Compared != want[0] || a.Agreed != want[1] {
			t.Errorf("%s is compared %d times and agrees %d times, want %v", a.Name, a.Compared, a.Agreed, want)
		}
	}
}

// Where all answers are half ones, a query's answers depend on the object as often as where all are whole.
func TestHeterogeneityOfHalfAnswers(t *testing.T) {
	whole, half := "object,query,answer\n", "object,query,answer\n"
	for object, n := range map[string][2]int{"a": {5, 1}, "b": {3, 3}, "c": {0, 6}, "d": {4, 2}} {
		whole += strings.Repeat(object+",q,yes\n", n[0]) + strings.Repeat(object+",q,no\n", n[1])
		half += strings.Repeat(object+",q,probably\n", n[0]) + strings.Repeat(object+",q,probably not\n", n[1])
	}
	if a, b := tabulate(t, whole, TabulateOptions{}).heterogeneity(0), tabulate(t, half, TabulateOptions{}).heterogeneity(0); math.Abs(a-b) > 1e-12 || a < unmoved {
		t.Errorf("whole answers have z = %v, half ones %v", a, b)
	}
}

// Where answers, whole and half ones, do not depend on the object, z is 0 on average and above the mark for about 5 % of
// queries: of 400 queries within 5 standard errors. Half answers that count as whole ones make it 0.5.
func TestHeterogeneityOfMixedAnswers(t *testing.T) {
	r := rng.New(6).Rand()
	const objects, queries = 40, 400
	tab := tabulated(t, objects, queries, func() (list []string) {
		for range 16 + r.IntN(10) {
			list = append(list, []string{"yes", "no", "probably", "probably not"}[2*r.IntN(2)+r.IntN(2)])
		}
		return list
	})
	var mean, above float64
	for j := range queries {
		z := tab.heterogeneity(j)
		mean += z / queries
		if z > unmoved {
			above += 1. / queries
		}
	}
	if math.Abs(mean) > 5/math.Sqrt(queries) || above < 0.01 || above > 0.12 {
		t.Errorf("z is %.3f on average and above the mark for %.3f of the queries, want 0 and 0.05", mean, above)
	}
}

// A cell closer to ½ than the table's decimals is on one side of it nowhere: the report
// is about the table that is written.
func TestTabulateIsOneTable(t *testing.T) {
	got := &Tabulation{Name: "a.csv", Objects: []string{"a", "b", "c"}, Queries: []string{"near", "far"}, cells: []cell{
		{isYes: 1_000_001, isNo: 1_000_000}, {isYes: 1},
		{isYes: 1_000_000, isNo: 1_000_000}, {isYes: 1},
		{isYes: 1_000_000, isNo: 1_000_000}, {isNo: 1},
	}}
	if idle := got.Idle(); fmt.Sprint(idle.Constant) != "[near]" {
		t.Errorf("%+v", idle)
	}
	var b bytes.Buffer
	if err := got.Table().Write(&b); err != nil {
		t.Fatal(err)
	}
	table, err := ParseTable(&b, "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []*Table{got.Table(), table} {
		if p, _, _, err := Majorities(table, Options{T: 1}); err != nil || p.Hypotheses() != 2 {
			t.Errorf("%s: %+v, %v", table.Name, p, err)
		}
	}
}

func TestTabulateFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `a.csv:1: the file is empty: the first line names the columns, object,query,answer[,annotator]`},
		{"object,query,Answer,note,answer\n", `a.csv:1: columns 3 and 5 are both called answer: rename one or remove it`},
		{"object,query,reply\n", `a.csv:1: no column is called answer: the first line names the columns, object,query,answer[,annotator]`},
		{"object,ask,answer\n", `a.csv:1: no column is called query: the first line names the columns, object,query,answer[,annotator]`},
		{"object,question,answer\na,b,yes\n", `a.csv:2: all answers are about one object, "a": a game needs at least 2 that differ`},
		{"version https://git-lfs.github.com/spec/v1\n", `a.csv:1: the file is a Git LFS pointer, not the file itself: run git lfs pull`},
		{"object,query,answer\n", `a.csv:1: the file has a header and no answers: write one a line, object,query,answer`},
		{"object,query,answer\na,b,yes\n", `a.csv:2: all answers are about one object, "a": a game needs at least 2 that differ`},
		{"object,query,answer\na,b,maybe\n", `a.csv:2: the answer is "maybe"; it must be yes, no, probably, probably not or unknown, or y, n, true, false, 1, 0, -1, 0.5 or -0.5`},
		{"object,query,answer\na,b,\n", `a.csv:2: the answer is ""; it must be yes, no`},
		{"object,query,answer\na,b,yes,x\n", `a.csv:2: the row has 4 cells, the header 3: quote names that have a comma`},
		{"object,query,answer\n,b,yes\n", `a.csv:2: the object or the query has no name: write one`},
		{"object,query,answer,annotator\na,b,yes,x\nc,b,no,\n", `a.csv:3: the annotator has no name: write one, or leave the column out`},
		{"object,query,answer\na,\"b,yes\n", `a.csv:2: a quote is not closed or stands inside a cell`},
	} {
		if _, err := Tabulate(write(t, "a.csv", c.text), TabulateOptions{}); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// A file that grows between the two readings is read as it was; one that is another by
// then is an error, whatever is in it.
func TestTabulateChangedFile(t *testing.T) {
	const head = "object,query,answer,annotator\n"
	const text = head + "a,q,yes,x\na,q,yes,y\nb,q,no,x\nb,q,no,y\n"
	want := fmt.Sprint(tabulate(t, text, TabulateOptions{}).Annotators)
	for _, c := range []struct{ text, want string }{
		{text, ""},
		{text + "c,r,no,z\n", ""},
		{text + "a,q", ""},
		{"", `a.csv: the file changed while it was read: run it again`},
		{head, `a.csv: the file changed while it was read: run it again`},
		{strings.TrimSuffix(text, "b,q,no,y\n"), `a.csv: the file changed while it was read: run it again`},
		{strings.Replace(text, "b,", "c,", 1), `a.csv:4: the file changed while it was read: run it again`},
		{strings.Replace(text, "q,no", "r,no", 1), `a.csv:4: the file changed while it was read: run it again`},
		{strings.Replace(text, "yes", "no", 1), `a.csv:2: the file changed while it was read: run it again`},
		{strings.Replace(text, "q,no", "q,yes", 1), `a.csv:4: the file changed while it was read: run it again`},
		{strings.Replace(text, "annotator", "note", 1), `a.csv:2: the file changed while it was read: run it again`},
	} {
		path := write(t, "a.csv", text)
		got, n, err := counted(path, TabulateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		switch err := got.compare(n); {
		case c.want == "" && (err != nil || fmt.Sprint(got.Annotators) != want):
			t.Errorf("%q: %v, %v", c.text, got.Annotators, err)
		case c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)):
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// What a shell pipes in is read where once is enough.
func TestTabulatePipe(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"object,query,answer\na,b,yes\nc,b,no\n", ""},
		{"object,query,answer,annotator\na,b,yes,x\nc,b,no,x\n", `:1: answers with annotators are read twice, and this is not a regular file: write it to a file first, or leave the column out`},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		path := fmt.Sprintf("/dev/fd/%d", r.Fd())
		if _, err := os.Stat(path); err != nil {
			t.Skip(err)
		}
		if _, err := w.WriteString(c.text); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		got, err := Tabulate(path, TabulateOptions{})
		if c.want == "" && (err != nil || got.Rows != 2) || c.want != "" && (err == nil || err.Error() != path+c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// crowd makes answers of good annotators, who err one time in ten, and of some
// whose answers are worth nothing: κ of a coin's 900 answers stays below .2 at its
// upper end but for 4 standard deviations.
func crowd(seed uint64, objects, queries, each, worthless int) string {
	r := rng.New(seed).Rand()
	truth := make([]bool, objects*queries)
	for i := range truth {
		truth[i] = r.Float64() < .35
	}
	var b strings.Builder
	b.WriteString("object,query,answer,annotator\n")
	say := func(object, query int, yes bool, who string) {
		answer := map[bool]string{true: "yes", false: "no"}[yes]
		if r.Float64() < .05 {
			answer = "unknown"
		}
		fmt.Fprintf(&b, "o%d,q%d,%s,%s\n", object, query, answer, who)
	}
	for i := range truth {
		for k := range each {
			say(i/queries, i%queries, truth[i] != (r.Float64() < .1), fmt.Sprintf("good%d", (i+7*k)%20))
		}
	}
	for range worthless {
		i := r.IntN(len(truth))
		say(i/queries, i%queries, r.Float64() < .5, "coin")
		i = r.IntN(len(truth))
		say(i/queries, i%queries, !truth[i], "contrary")
		i = r.IntN(len(truth))
		say(i/queries, i%queries, false, "nay")
	}
	say(0, 0, !truth[0], "newcomer") // one answer proves nothing
	return b.String()
}

func TestAnnotators(t *testing.T) {
	for seed := range uint64(5) {
		got := tabulate(t, crowd(seed, 30, 20, 8, 900), TabulateOptions{Smooth: 1, Thin: 3})
		var bad []string
		for _, a := range got.Annotators {
			if a.Doubtful() {
				bad = append(bad, a.Name)
			}
			if a.Lo > a.Kappa || a.Kappa > a.Hi || a.Agreed > a.Compared || a.Compared > a.Answers {
				t.Errorf("%+v", a)
			}
		}
		slices.Sort(bad)
		if fmt.Sprint(bad) != "[coin contrary nay]" {
			t.Errorf("seed %d doubts %v: %+v", seed, bad, got.Annotators)
		}
	}
}

// κ by hand: 50 answers, 20 yes by both, 15 no by both, 5 and 10 otherwise:
// agreement .7, chance .5·.6 + .5·.4 = .5, κ = .4.
func TestKappa(t *testing.T) {
	a := Annotator{Compared: 50, Agreed: 35, yes: 25, most: 30}
	a.kappa()
	if math.Abs(a.Kappa-.4) > 1e-12 || a.Lo >= .4 || a.Hi <= .4 || a.Lo < .1 || a.Hi > .65 {
		t.Errorf("%+v", a)
	}
	same := Annotator{Compared: 50, Agreed: 50}
	if same.kappa(); same.Doubtful() || same.Kappa != 0 {
		t.Errorf("all no among all no: %+v", same)
	}
}

func TestIdle(t *testing.T) {
	r := rng.New(5).Rand()
	var b strings.Builder
	b.WriteString("object,query,answer\n")
	say := func(object int, query string, share float64) {
		fmt.Fprintf(&b, "o%d,%s,%s\n", object, query, map[bool]string{true: "yes", false: "no"}[r.Float64() < share])
	}
	for object := range 30 {
		high := .9
		if object%2 == 0 {
			high = .1
		}
		for range 20 {
			say(object, "good", high)
			say(object, "again", high)
			say(object, "never", .02)
			say(object, "coin", .5)
		}
	}
	idle := tabulate(t, b.String(), TabulateOptions{Smooth: 1, Thin: 3}).Idle()
	// The coin's χ² stays below its bound 19 times of 20; this seed is one of them.
	if s := fmt.Sprint(idle); s != "{[never] [again (as good)] [coin]}" {
		t.Error(s)
	}
}

// A coin's answers are taken for ones that depend on the object about as often as
// the test says, 5 %: more than 60 of 400 would be nine standard deviations.
func TestHeterogeneityLevel(t *testing.T) {
	r := rng.New(4).Rand()
	const objects, queries = 40, 400
	tab := tabulated(t, objects, queries, func() (list []string) {
		for range 3 + r.IntN(10) {
			list = append(list, map[bool]string{true: "yes", false: "no"}[r.Float64() < .3])
		}
		return list
	})
	above := 0
	for j := range queries {
		if tab.heterogeneity(j) > unmoved {
			above++
		}
	}
	if above > 60 {
		t.Errorf("%d of %d", above, queries)
	}
}

func TestTabulationReport(t *testing.T) {
	var b strings.Builder
	if err := tabulate(t, crowd(1, 30, 20, 8, 900), TabulateOptions{Smooth: 1, Thin: 8}).Report(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"7501 answers about 30 objects to 20 queries: ", "P(yes) = (yes + 1·m)/(yes + no + 1), m the query's share",
		" of 600 cells are thin, with fewer than 8 answers of yes or no; ", "  objects with most: o",
		"24 annotators, of whom 3 disagree with everybody: κ with the majority of the others below 0.2 at the upper end of its 95 % interval, 10 or more answers compared",
		"\n  contrary: 900 answers, agrees in ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report does not say %q:\n%s", want, b.String())
		}
	}
}

// What a tabulation keeps does not grow with the rows.
func TestTabulateIsFlat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	block := []byte(strings.SplitN(crowd(1, 20, 15, 20, 300), "\n", 2)[1])
	if _, err = f.WriteString("object,query,answer,annotator\n"); err == nil {
		for range 40 { // 280,000 rows, 6 MB
			_, err = f.Write(block)
		}
	}
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	got, err := Tabulate(path, TabulateOptions{Smooth: 1})
	if err != nil || got.Rows < 250_000 {
		t.Fatal(got.Rows, err)
	}
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("%d rows keep %d bytes", got.Rows, grown)
	}
	runtime.KeepAlive(got)
}

func FuzzTabulate(f *testing.F) {
	for _, seed := range []string{"object,query,answer\na,b,yes\nc,b,no\n", "query,object,annotator,answer\na,b,x,unknown\na,c,y,yes\n", "object,query,answer\n\"a\",b,yes\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Tabulate(write(t, "a.csv", text), TabulateOptions{Smooth: 1, Thin: 1})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("not one line: %q", err)
			}
			return
		}
		for _, p := range got.P() {
			if !(p >= 0 && p <= 1) {
				t.Errorf("P(yes) = %v", p)
			}
		}
		if err := got.Report(&strings.Builder{}); err != nil {
			t.Error(err)
		}
	})
}

// TestTabulateNormalises: a name in Unicode's NFC and in NFD is one name.
func TestTabulateNormalises(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers.csv")
	text := "object,query,answer\ncaf\u00e9,cr\u00e9me?,yes\ncafe\u0301,cre\u0301me?,yes\ntea,cr\u00e9me?,no\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := Tabulate(file, TabulateOptions{})
	if err != nil || len(got.Objects) != 2 || len(got.Queries) != 1 || got.Yes != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}
