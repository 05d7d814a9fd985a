package dataset

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mapo/game"
)

// A made-up release: seven rows, two of which are no people, four questions.
var release = map[string]string{
	"rightProb.people7.question4.txt": "10000005\t.9\t.9\t.9\t.9\n" +
		"151\t.8\t.1\t.05\t0\n" +
		"152\t.1\t.6\t.2\t.3\n" +
		"10000007\t.5\t.5\t.5\t.5\n" +
		"153\t.1\t.1\t.4\t.3\n" +
		"154\t.7\t.1\t0\t0\n" +
		"155\t0.12345\t.45\t.3\t.2\n",
	// In another order, with CRLF: what counts is the number in front.
	"wrongProb.people7.question4.txt": "151\t.1\t.8\t.85\t0\r\n" +
		"10000005\t.01\t.01\t.01\t.01\r\n" +
		"152\t.8\t.2\t.2\t.6\r\n" +
		"153\t.7\t.5\t.1\t.3\r\n" +
		"154\t.2\t.6\t1\t1\r\n" +
		"10000007\t.4\t.4\t.4\t.4\r\n" +
		"155\t.87655\t.05\t.2\t.1\r\n",
	"action2qid.question4.txt": "0\t1\n1\t12\n2\t7\n3\t9\n",
	"qid2name.txt":             "1\t是歌手吗\n12\t是女的吗\n7\tIs it real?\n9\tIs it real?\n12\tanother\n",
	"pid2name.txt":             "151\t阿牛\n152\t陈慧娴\n153\t同名\n154\t同名\n",
}

// folder leaves the release, changed, in a folder.
func folder(t *testing.T, change func(files map[string]string)) string {
	t.Helper()
	files := map[string]string{}
	for name, text := range release {
		files[name] = text
	}
	if change != nil {
		change(files)
	}
	dir := filepath.Join(t.TempDir(), "twentyq")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadTwentyQ(t *testing.T) {
	dir := folder(t, nil)
	table, warnings, err := ReadTwentyQ(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(table.Queries), "[是歌手吗 是女的吗 Is it real? (question 2) Is it real? (question 3)]"; got != want {
		t.Errorf("questions %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(table.Objects), "[阿牛 陈慧娴 同名 (person 153) 同名 (person 154) person 155]"; got != want {
		t.Errorf("people %s, want %s", got, want)
	}
	want := []float64{
		.8 / .9, .1 / .9, .05 / .9, .5,
		.1 / .9, .6 / .8, .5, .3 / .9,
		.1 / .8, .1 / .6, .4 / .5, .5,
		.7 / .9, .1 / .7, 0, 0,
		.12345, .45 / .5, .6, .2 / .3,
	}
	if got, want := fmt.Sprintf("%.9f", table.P), fmt.Sprintf("%.9f", want); got != want {
		t.Errorf("P(yes) %s, want %s", got, want)
	}
	file := filepath.Join(dir, "rightProb.people7.question4.txt")
	for i, want := range []string{
		file + ": dropped 2 rows that do not stand for people: 10000005 (just clicking at random), 10000007 (yourself)",
		file + ": 1 cells have neither yes nor no; their P(yes) is taken as 1/2",
	} {
		if len(warnings) != 2 || warnings[i] != want {
			t.Errorf("warnings %q, want %q", warnings, want)
		}
	}
	// By majority 151 and 154 answer alike: merged, but each in the prior.
	p, prior, _, err := Majorities(table, Options{T: 2})
	if err != nil || p.Hypotheses() != 4 || len(prior) != 5 || p.Names[0] != "阿牛 / 同名 (person 154)" || p.Check() != nil {
		t.Errorf("%v, %d rows of the prior, %v", p.Names, len(prior), err)
	}
	// Without the files of names, numbers.
	table, _, err = ReadTwentyQ(folder(t, func(f map[string]string) {
		delete(f, "pid2name.txt")
		delete(f, "qid2name.txt")
		delete(f, "action2qid.question4.txt")
	}), false)
	if err != nil || table.Objects[0] != "person 151" || table.Queries[3] != "question 3" {
		t.Errorf("%v, %v", table, err)
	}
}

// TestTwentyQRows: where the rows are the hypotheses, a cell with neither yes nor no is unknown, and the smoothed mean of
// its column stands in for it; all other cells are those of majorities, bit by bit.
func TestTwentyQRows(t *testing.T) {
	dir := folder(t, nil)
	half, _, err := ReadTwentyQ(dir, false)
	if err != nil || half.Unknown != nil || half.P[3] != 0.5 {
		t.Fatalf("by majority: %v, unknown %v", err, half.Unknown)
	}
	got, warnings, err := ReadTwentyQ(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	for at, p := range got.P {
		want, open := half.P[at], at == 3
		if open { // 151's last: the column's others are 1/3, 1/2, 0 and 2/3
			want = (.3/.9 + .5 + 0 + .2/.3 + 1) / (4 + 2)
		}
		if got.IsUnknown(at/4, at%4) != open || open && math.Abs(p-want) > 1e-12 || !open && p != want {
			t.Errorf("cell %d is %v (unknown: %v), want %v", at, p, got.IsUnknown(at/4, at%4), want)
		}
	}
	if want := filepath.Join(dir, "rightProb.people7.question4.txt") + ": 1 cells have neither yes nor no; they are unknown"; len(warnings) != 2 || warnings[1] != want {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
	p, _, err := Rows(got, RowOptions{Options: Options{T: 2}})
	if err != nil || p.Hypotheses() != 5 || !p.Seek.(*game.Shares).Unknown[3] || p.Check() != nil {
		t.Errorf("%v, %v", p, err)
	}
	_, _, err = ReadTwentyQ(folder(t, func(f map[string]string) {
		f["rightProb.people7.question4.txt"] = strings.Replace(f["rightProb.people7.question4.txt"], "154\t.7\t.1\t0\t0", "154\t0\t0\t0\t0", 1)
		f["wrongProb.people7.question4.txt"] = strings.Replace(f["wrongProb.people7.question4.txt"], "154\t.2\t.6\t1\t1", "154\t0\t0\t0\t0", 1)
	}), true)
	if want := `rightProb.people7.question4.txt:6: person "154" has neither yes nor no to any question; a row needs a known cell: remove it from both files`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestReadTwentyQFaults(t *testing.T) {
	const right, wrong = "rightProb.people7.question4.txt", "wrongProb.people7.question4.txt"
	swap := func(file, from, to string) func(map[string]string) {
		return func(f map[string]string) { f[file] = strings.Replace(f[file], from, to, 1) }
	}
	for _, c := range []struct {
		change func(map[string]string)
		want   string
	}{
		{swap(wrong, "151\t.1", "151\t.3"), `wrongProb.people7.question4.txt:1: column 2: person "151" has right 0.8 and wrong 0.3, together above 1: these are not probabilities of yes and no`},
		{swap(wrong, "153\t.7\t.5\t.1\t.3\r\n", ""), `rightProb.people7.question4.txt:5: person "153" is not in wrongProb.people7.question4.txt: the two files are not of one release`},
		{swap(right, "153\t.1\t.1\t.4\t.3\n", ""), `wrongProb.people7.question4.txt:4: person "153" is not in rightProb.people7.question4.txt: the two files are not of one release`},
		{swap(right, "\t.05\t0\n", "\t.05\n"), `rightProb.people7.question4.txt:2: the row has 3 probabilities behind the person's number, want 4: is the line cut short?`},
		{swap(right, "\t.9\n", "\t1.9\n"), `rightProb.people7.question4.txt:1: column 5 is "1.9": want a probability from 0 to 1`},
		{swap(right, "\t.9\n", "\tNaN\n"), `rightProb.people7.question4.txt:1: column 5 is "NaN": want a probability from 0 to 1`},
		{swap(right, "152", "151"), `rightProb.people7.question4.txt:3: person "151" stands on line 2 too: remove one`},
		{func(f map[string]string) { f[wrong] = "151\t.1\n" }, `wrongProb.people7.question4.txt:1: 1 questions, and rightProb.people7.question4.txt has 4: the two files are not of one release`},
		{func(f map[string]string) { f[right] = "" }, `rightProb.people7.question4.txt:1: the file has no people: each line is`},
		{func(f map[string]string) { delete(f, wrong) }, `holds no wrongProb.people*.question*.txt: mapo data fetch twentyq gets the release`},
		{func(f map[string]string) { f["wrongProb.people8.question4.txt"] = "" }, `holds wrongProb.people7.question4.txt and wrongProb.people8.question4.txt: keep one`},
		{func(f map[string]string) { f["action2qid.question5.txt"] = "" }, `holds action2qid.question4.txt and action2qid.question5.txt: keep one`},
		{func(f map[string]string) { f["pid2name.txt"] = "151\n" }, `pid2name.txt:1: the line has 1 columns, want 2 between a tab`},
		{func(f map[string]string) { f["qid2name.txt"] = "1\t\xff\xfe\n" }, `qid2name.txt:1: byte 3 (0xff) is not UTF-8 text: save the file as UTF-8`},
		{func(f map[string]string) {
			f[right], f[wrong] = "10000005\t.9\n151\t.1\n", "10000005\t.1\n151\t.1\n"
		}, `rightProb.people7.question4.txt:1: the release has 1 people: a game needs at least 2 that differ`},
	} {
		if _, _, err := ReadTwentyQ(folder(t, c.change), true); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

func FuzzReadTwentyQ(f *testing.F) {
	f.Add("1\t.5\t.5\n2\t0\t1\n", "1\t.5\t0\n2\t0\t0\n", "1\ta\n", true)
	f.Add("1\t.5\n2\t1e-9\n", "2\t.5\n1\t.1\n", "\t\n", false)
	f.Fuzz(func(t *testing.T, right, wrong, names string, rows bool) {
		table, _, err := ReadTwentyQ(folder(t, func(f map[string]string) {
			clear(f)
			f["rightProb.people2.question2.txt"], f["wrongProb.people2.question2.txt"], f["pid2name.txt"] = right, wrong, names
		}), rows)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("not one line: %q", err)
			}
			return
		}
		for _, p := range table.P {
			if !(p >= 0 && p <= 1) {
				t.Errorf("P(yes) = %v", p)
			}
		}
	})
}
