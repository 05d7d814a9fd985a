package pretrain

import (
	"cmp"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mapo/adversary/search"
	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/difficulty"
	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/judge"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/rng"
	"mapo/train"
	"mapo/train/preset"
)

var measure = flag.Bool("heldout", false, "TestHeldOut measures what "+heldOutRecord+" lacks; birds and Leuven need MAPO_DATA")

const heldOutRecord = "testdata/heldout.csv"

// heldOutRivals are the fixed policies of the comparison, each with both decisions. The six that short searches find best on
// average are judged.
var heldOutRivals = []string{"uniform", "uncertainty", "gain:1", "information:0.03", "sgbs:0.1"}

// heldOutPolicies are those that come with the program.
var heldOutPolicies = []string{"instant:0", "instant:0.7", "adaptive:0", "adaptive:0.5"}

// heldOutAverage is the policy of the largest weight, of which only the average is measured.
const heldOutAverage = "adaptive:0.9"

// heldOutTrained are the tables on which policies are trained, too, each of another kind.
var heldOutTrained = []string{"04 chains", "07 low-rank", "09 trees", "15 graded"}

// heldOutDefault is the policy that is to be robust on every table.
const heldOutDefault = "adaptive:0.5"

// untrained is right most often where nothing is trained.
const untrained = rival.Untrained

const (
	heldOutTables = 20 // of the family, drawn by a key that no training has
	judgedRivals  = 6
	heldOutGames  = 4000 // of an average
)

// heldOut is a problem that no training has seen, with the two levels at which policies are judged there.
type heldOut struct {
	name   string
	p      *game.Problem
	levels []float64
}

// heldOuts draws the problems of the family, and adds three real tables of 20 answers, birds and Leuven with their 100 most
// balanced columns.
func heldOuts(t *testing.T) (list []heldOut) {
	t.Helper()
	c := Default()
	for i := range heldOutTables {
		p, levels, err := problem(&c.Family, rng.New(1).Name("held-out").At(i))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, heldOut{fmt.Sprintf("%02d %s", i+1, p.Name), p, levels[:min(2, len(levels))]})
	}
	for _, path := range []string{"../examples/animals.csv", "cub_pyes.csv.gz", "leuven_animal_pyes.csv.gz"} {
		options := dataset.RowOptions{Options: dataset.Options{T: 20, AskOnce: true}}
		if !strings.HasPrefix(path, "..") {
			path = filepath.Join(os.Getenv("MAPO_DATA"), path)
			options.Select = dataset.Select{Queries: 100, Seed: 1}
		}
		shares, err := table.Read(path, table.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := dataset.Rows(shares, options)
		if err != nil {
			t.Fatal(err)
		}
		p = difficulty.Anchored(p)
		list = append(list, heldOut{dataset.Base(path), p, []float64{8, 16}})
	}
	return list
}

// heldOutRow is a line of the record.
type heldOutRow struct {
	table, policy, what string // what is "smoke" and "draft", worst cases at a level, or "wrong", an average over the rows
	level               float64
	mean, lo, hi        float64
}

// heldOutFile is the record, to which each policy's rows are added once they are known. Its first line names the weights of the
// adaptive policies.
type heldOutFile struct{ rows []heldOutRow }

func readHeldOut(t *testing.T) *heldOutFile {
	t.Helper()
	data, err := os.ReadFile(heldOutRecord)
	if errors.Is(err, fs.ErrNotExist) && *measure {
		return &heldOutFile{}
	}
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(data), "\n")
	same := first == weightsLine()
	if !same && !*measure {
		t.Fatalf("%s is of other weights than those compiled in: measure them with -heldout", heldOutRecord)
	}
	cells, err := csv.NewReader(strings.NewReader(rest)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	f := new(heldOutFile)
	for _, c := range cells[1:] {
		if !same && strings.HasPrefix(c[1], "adaptive") {
			continue
		}
		r := heldOutRow{table: c[0], policy: c[1], what: c[2]}
		for i, x := range []*float64{&r.level, &r.mean, &r.lo, &r.hi} {
			if *x, err = strconv.ParseFloat(c[3+i], 64); err != nil {
				t.Fatal(err)
			}
		}
		f.rows = append(f.rows, r)
	}
	return f
}

// weightsLine names the adaptive policies' weights that are compiled in, by their hash.
func weightsLine() string {
	return "# weights" + rival.Revision(rival.Adaptive(check.Thresholds(2, 2), 0))
}

// of returns the rows of a policy on a table.
func (f *heldOutFile) of(table, policy, what string) (list []heldOutRow) {
	for _, r := range f.rows {
		if r.table == table && r.policy == policy && r.what == what {
			list = append(list, r)
		}
	}
	return list
}

// madeUp returns the part of the record on tables of the family, whose names begin with a number.
func (f *heldOutFile) madeUp() *heldOutFile {
	return &heldOutFile{slices.DeleteFunc(slices.Clone(f.rows), func(r heldOutRow) bool { return r.table[0] > '9' })}
}

func (f *heldOutFile) add(t *testing.T, rows ...heldOutRow) {
	t.Helper()
	f.rows = append(f.rows, rows...)
	var b strings.Builder
	fmt.Fprintln(&b, weightsLine())
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"table", "policy", "what", "level", "mean", "lo", "hi"})
	for _, r := range f.rows {
		num := func(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
		_ = w.Write([]string{r.table, r.policy, r.what, num(r.level), num(r.mean), num(r.lo), num(r.hi)})
	}
	w.Flush()
	if err := os.WriteFile(heldOutRecord, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// worst measures the worst cases of a policy on a problem at an effort, unless the record has them.
func (f *heldOutFile) worst(t *testing.T, h heldOut, name, what string, effort search.Effort) {
	t.Helper()
	if len(f.of(h.name, name, what)) > 0 {
		return
	}
	policy, err := rival.Parse(h.p, game.BestIdentification, name)
	if err != nil {
		t.Fatal(err)
	}
	f.add(t, h.worst(t, name, policy, what, effort)...)
}

// worst measures the worst cases of a policy of that name.
func (h heldOut) worst(t *testing.T, name string, policy game.Policy, what string, effort search.Effort) (rows []heldOutRow) {
	t.Helper()
	began := time.Now()
	hunt := search.Search{
		P: h.p, C: difficulty.Of(h.p), Loss: game.BestIdentification, Policy: policy, Levels: h.levels, Effort: effort,
		Key: rng.New(1).Name("held-out judge").Name(h.name),
	}
	found, err := hunt.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range found {
		rows = append(rows, heldOutRow{h.name, name, what, h.levels[i], w.Mean, w.Lo, w.Hi})
	}
	t.Logf("%s, %s, %s: %.3f, %.3f in %v", h.name, name, what, rows[0].mean, rows[len(rows)-1].mean, time.Since(began).Round(time.Second))
	return rows
}

// trainedThere names policies that were trained on the table, each for one level, by the settings of desk, with the average over the
// rows at trainedWeight.
const trainedThere = "trained there"

const trainedWeight = 0.3

// trained measures the worst cases of two such policies, one for each level, unless the record has them.
func (f *heldOutFile) trained(t *testing.T, h heldOut, effort search.Effort) {
	t.Helper()
	if len(f.of(h.name, trainedThere, "draft")) > 0 {
		return
	}
	c, err := preset.For("desk", h.p, game.BestIdentification, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows []heldOutRow
	for _, level := range h.levels {
		run, err := train.New(train.Task{
			P: h.p, C: difficulty.Of(h.p), Loss: game.BestIdentification, R: []float64{level}, Config: c,
			Weight: trainedWeight, Average: game.DrawShares(h.p, 0), Key: rng.New(1).Name("held-out training").Name(h.name),
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range train.Descend(t.Context(), run) {
			if err != nil {
				t.Fatal(err)
			}
		}
		at := h
		at.levels = []float64{level}
		rows = append(rows, at.worst(t, trainedThere, nn.Policy(h.p, run.Policy()), "draft", effort)...)
	}
	f.add(t, rows...)
}

// wrong measures how often a policy is not right on average over the rows, unless the record has it.
func (f *heldOutFile) wrong(t *testing.T, h heldOut, name string) {
	t.Helper()
	if len(f.of(h.name, name, "wrong")) > 0 {
		return
	}
	policy, err := rival.Parse(h.p, game.BestIdentification, name)
	if err != nil {
		t.Fatal(err)
	}
	play := sim.Play{P: h.p, Policy: policy}
	average, err := play.Average(t.Context(), game.DrawShares(h.p, 0), heldOutGames, rng.New(1).Name("held-out average").Name(h.name), game.BestIdentification)
	if err != nil {
		t.Fatal(err)
	}
	f.add(t, heldOutRow{h.name, name, "wrong", 0, average[0].Mean, average[0].Lo, average[0].Hi})
}

// otherDecision is a rival's name with the decision that is not its own.
func otherDecision(name string) string {
	if strings.HasPrefix(name, "information") {
		return name + "+least-squares"
	}
	return name + "+posterior"
}

// strongest are the rivals that short searches find best on average over all pairs of table and level.
func (f *heldOutFile) strongest() []string {
	sum := map[string]float64{}
	for _, r := range f.rows {
		if r.what == "smoke" {
			sum[r.policy] += r.mean
		}
	}
	var names []string
	for _, name := range heldOutRivals {
		names = append(names, name, otherDecision(name))
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(sum[a], sum[b]) })
	return names[:judgedRivals]
}

// TestHeldOut compares the policies that come with the program with fixed ones, on tables that no training has seen, and
// docs/adaptive.md with the record. With -heldout it first measures what the record lacks. All of it takes some 100 CPU minutes;
// interrupted, the same command resumes.
func TestHeldOut(t *testing.T) {
	if *measure {
		measureHeldOut(t)
	}
	page, err := os.ReadFile("../docs/adaptive.md")
	if err != nil {
		t.Fatal(err)
	}
	f := readHeldOut(t)
	lines := []string{fmt.Sprintf("| `%s` | %v |", heldOutDefault, f.toTrained())}
	for _, set := range []struct {
		name   string
		record *heldOutFile
		beyond float64 // the share of pairs that may be more than 0.1 above the best rival
	}{
		{"made-up tables", f.madeUp(), 0.10},
		{"all tables", f, 0.11}, // 4 of 38 pairs, three of them on real tables larger than any of the training
	} {
		best, list := set.record.summary(f.strongest())
		lines = append(lines, fmt.Sprintf("%d pairs", list[0].pairs), fmt.Sprintf("`%s` is the best of them", best))
		for _, a := range list {
			lines = append(lines, fmt.Sprintf("| `%s` | %.1f %% | %v | %v | %.0f %% | %v |", a.policy, 100*a.right, a.rival, a.best, 100*a.beyond, a.instant))
		}
		for _, name := range []string{untrained, heldOutAverage} {
			lines = append(lines, fmt.Sprintf("| `%s` | %.1f %% |", name, 100*set.record.right(name)))
		}
		at := func(name string) against {
			return list[slices.IndexFunc(list, func(a against) bool { return a.policy == name })]
		}
		robust := at(heldOutDefault)
		if robust.best.mean > 0.04 || robust.beyond > set.beyond || robust.short > 0.08 {
			t.Errorf("%s: %s is not robust on every table: %+v", set.name, heldOutDefault, robust)
		}
		if robust.instant.mean+robust.instant.within >= 0 || robust.right < at("instant:0.7").right-0.01 {
			t.Errorf("%s: %s is not better than instant:0.7: %+v", set.name, heldOutDefault, robust)
		}
	}
	for _, line := range lines {
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/adaptive.md lacks: %s", line)
		}
	}
	if d := f.toTrained(); d.mean > 0.06 {
		t.Errorf("%s is %v above policies that were trained on the tables", heldOutDefault, d)
	}
}

// TestLarger compares the default policy with instant:0.7 on made-up tables larger than any of the training, by short searches.
func TestLarger(t *testing.T) {
	if os.Getenv("MAPO_LONG") == "" {
		t.Skip("set MAPO_LONG=1: a minute")
	}
	const tables, other = 10, "instant:0.7"
	family := Default().Family
	family.Hypotheses, family.Queries, family.Budget = []int{80, 130}, []int{80, 130}, []int{12, 30}
	var toOther []float64
	for i := range tables {
		p, levels, err := problem(&family, rng.New(1).Name("held-out large").At(i))
		if err != nil {
			t.Fatal(err)
		}
		h := heldOut{fmt.Sprintf("%d %s", i+1, p.Name), p, levels[:min(2, len(levels))]}
		effort, err := judge.Effort("smoke", p)
		if err != nil {
			t.Fatal(err)
		}
		worst := make([]map[string]float64, len(h.levels))
		for _, name := range []string{heldOutDefault, other, "uncertainty", "gain:1", "uniform"} {
			policy, err := rival.Parse(p, game.BestIdentification, name)
			if err != nil {
				t.Fatal(err)
			}
			for k, r := range h.worst(t, name, policy, "smoke", effort) {
				if worst[k] == nil {
					worst[k] = map[string]float64{}
				}
				worst[k][name] = r.mean
			}
		}
		for _, w := range worst {
			if b := bestOf(w, []string{"uncertainty", "gain:1", "uniform"}); b >= easyPair && b <= hardPair {
				toOther = append(toOther, w[heldOutDefault]-w[other])
			}
		}
	}
	d := spreadOf(toOther)
	t.Logf("%d pairs, %s to %s: %v", len(toOther), heldOutDefault, other, d)
	if d.mean+d.within >= 0 {
		t.Errorf("%s is %v to %s on larger tables", heldOutDefault, d, other)
	}
}

func measureHeldOut(t *testing.T) {
	t.Helper()
	list, f := heldOuts(t), readHeldOut(t)
	for _, h := range list {
		effort, err := judge.Effort("smoke", h.p)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range heldOutRivals {
			f.worst(t, h, name, "smoke", effort)
			f.worst(t, h, otherDecision(name), "smoke", effort)
		}
	}
	for _, h := range list {
		effort, err := judge.Effort("desk", h.p)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Concat(heldOutPolicies, f.strongest()) {
			f.worst(t, h, name, "draft", effort.Draft())
		}
		for _, name := range append(slices.Clone(heldOutPolicies), heldOutAverage, untrained) {
			f.wrong(t, h, name)
		}
		if slices.Contains(heldOutTrained, h.name) {
			f.trained(t, h, effort.Draft())
		}
	}
}

// against is how a policy's worst cases differ from others', over the pairs that tell policies apart.
type against struct {
	policy       string
	pairs        int
	rival, best  spread  // its difference to the one best rival, and to the best of each pair
	instant      spread  // and to instant:0.7
	beyond       float64 // the share of pairs in which it is more than 0.1 above the best
	right, short float64 // the share right, a mean over the tables, and by how much information gain is right more often
}

// spread is a mean with the half-width of its 95 % interval, over pairs.
type spread struct{ mean, within float64 }

// String is as docs/adaptive.md has it.
func (s spread) String() string { return fmt.Sprintf("%+.3f ± %.3f", s.mean, s.within) }

func spreadOf(list []float64) (s spread) {
	n := float64(len(list))
	for _, x := range list {
		s.mean += x / n
	}
	var square float64
	for _, x := range list {
		square += (x - s.mean) * (x - s.mean)
	}
	return spread{s.mean, 1.96 * math.Sqrt(square/(n-1)/n)}
}

// told returns the worst cases of every policy at each pair of table and level that counts, in the order of the record. All were
// measured there, and the best of the rivals is from easyPair to hardPair.
func (f *heldOutFile) told(rivals []string) (pairs []map[string]float64) {
	type place struct {
		table string
		level float64
	}
	var places []place
	worst := map[place]map[string]float64{}
	for _, r := range f.rows {
		if at := (place{r.table, r.level}); r.what == "draft" {
			if worst[at] == nil {
				places, worst[at] = append(places, at), map[string]float64{}
			}
			worst[at][r.policy] = r.mean
		}
	}
	measured := slices.Concat(rivals, heldOutPolicies)
	for _, at := range places {
		w := worst[at]
		lacks := func(name string) bool { _, has := w[name]; return !has }
		if b := bestOf(w, rivals); !slices.ContainsFunc(measured, lacks) && b >= easyPair && b <= hardPair {
			pairs = append(pairs, w)
		}
	}
	return pairs
}

// bestOf is the lowest worst case of the policies named, of those that were measured.
func bestOf(worst map[string]float64, names []string) float64 {
	best := math.Inf(1)
	for _, name := range names {
		if w, has := worst[name]; has {
			best = min(best, w)
		}
	}
	return best
}

// summary compares every policy of the program with the rivals.
func (f *heldOutFile) summary(rivals []string) (rival string, list []against) {
	pairs := f.told(rivals)
	least := math.Inf(1)
	for _, name := range rivals {
		var sum float64
		for _, w := range pairs {
			sum += w[name]
		}
		if sum < least {
			rival, least = name, sum
		}
	}
	for _, name := range heldOutPolicies {
		a := against{policy: name, pairs: len(pairs)}
		var toRival, toBest, toInstant []float64
		for _, w := range pairs {
			best := bestOf(w, rivals)
			toRival, toBest, toInstant = append(toRival, w[name]-w[rival]), append(toBest, w[name]-best), append(toInstant, w[name]-w["instant:0.7"])
			if w[name]-best > 0.1 {
				a.beyond += 1 / float64(len(pairs))
			}
		}
		a.rival, a.best, a.instant = spreadOf(toRival), spreadOf(toBest), spreadOf(toInstant)
		a.right = f.right(name)
		a.short = f.right(untrained) - a.right
		list = append(list, a)
	}
	return rival, list
}

// toTrained is the mean difference of the default policy's worst cases to those of policies that were trained on the table.
func (f *heldOutFile) toTrained() spread {
	var all []float64
	for _, name := range heldOutTrained {
		own, trained := f.of(name, heldOutDefault, "draft"), f.of(name, trainedThere, "draft")
		for k := range own {
			all = append(all, own[k].mean-trained[k].mean)
		}
	}
	return spreadOf(all)
}

// right is the mean of a policy's shares right over the tables.
func (f *heldOutFile) right(name string) (share float64) {
	n := 0.
	for _, r := range f.rows {
		if r.policy == name && r.what == "wrong" {
			share, n = share+1-r.mean, n+1
		}
	}
	return share / n
}
