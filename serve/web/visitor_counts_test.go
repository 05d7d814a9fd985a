package web

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/rng"
	"mapo/serve/database"
)

// besideDB opens a server's database beside it.
func besideDB(t testing.TB, where string) *sql.DB {
	t.Helper()
	driver, dsn := "sqlite", "file:"+where+"?mode=ro&_pragma=busy_timeout(10000)"
	if database.IsPostgres(where) {
		driver, dsn = "pgx", where+"&default_query_exec_mode=exec" // also behind a pooler
	}
	db, err := sql.Open(driver, dsn)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// count is the number that a query returns.
func count(t testing.TB, db *sql.DB, query string) (n int) {
	t.Helper()
	must(t, db.QueryRowContext(t.Context(), query).Scan(&n))
	return n
}

// spot names an object and a question by their texts; no question stands for the games of the object.
type spot struct{ object, question string }

// halves are answers in units of half an answer.
type halves struct{ yes, no int64 }

// ledger is the counts of games, as a client adds them up.
type ledger map[spot]halves

// add counts a game: question → answer.
func (c ledger) add(object string, answers map[string]float64) {
	c.plus(spot{object, ""}, halves{2, 0})
	for question, y := range answers {
		switch y {
		case 1:
			c.plus(spot{object, question}, halves{2, 0})
		case 0.5:
			c.plus(spot{object, question}, halves{1, 0})
		case -0.5:
			c.plus(spot{object, question}, halves{0, 1})
		case -1:
			c.plus(spot{object, question}, halves{0, 2})
		}
	}
}

func (c ledger) plus(at spot, h halves) {
	was := c[at]
	c[at] = halves{was.yes + h.yes, was.no + h.no}
}

// countsIn are the counts of a policy in a database.
func countsIn(t testing.TB, db *sql.DB, policy string) ledger {
	t.Helper()
	names := map[string]map[int]string{"object": {}, "question": {-1: ""}}
	rows, err := db.QueryContext(t.Context(), "SELECT kind, idx, name FROM mapo_names WHERE policy = '"+policy+"'")
	must(t, err)
	for rows.Next() {
		var kind, name string
		var i int
		must(t, rows.Scan(&kind, &i, &name))
		names[kind][i] = name
	}
	must(t, rows.Err())
	rows, err = db.QueryContext(t.Context(), "SELECT object, question, yes, no FROM mapo_counts WHERE policy = '"+policy+"'")
	must(t, err)
	c := ledger{}
	for rows.Next() {
		var object, question int
		var h halves
		must(t, rows.Scan(&object, &question, &h.yes, &h.no))
		if h != (halves{}) {
			c[spot{names["object"][object], names["question"][question]}] = h
		}
	}
	must(t, rows.Err())
	return c
}

// sameCounts fails where counts differ, and shows some.
func sameCounts(t testing.TB, got, want ledger) {
	t.Helper()
	var bad []string
	for at := range maps.Keys(want) {
		if got[at] != want[at] {
			bad = append(bad, fmt.Sprintf("%v: %v, want %v", at, got[at], want[at]))
		}
	}
	for at := range maps.Keys(got) {
		if _, ok := want[at]; !ok {
			bad = append(bad, fmt.Sprintf("%v: %v, want none", at, got[at]))
		}
	}
	slices.Sort(bad)
	if len(bad) > 0 {
		t.Errorf("%d of %d cells differ:\n%s", len(bad), len(want), strings.Join(bad[:min(10, len(bad))], "\n"))
	}
}

// disagreements is the grid of the share of answers that are the opposite of the base table's.
var disagreements = []float64{0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4}

// learnedShares computes from the base and the counts what a table without unknown cells is to be: reference code,
// written from the model's description alone.
func learnedShares(base *people, counts ledger, trust float64) [][]float64 {
	clip := func(p float64) float64 { return min(max(p, 0.02), 0.98) }
	out := make([][]float64, len(base.objects))
	for j := range out {
		out[j] = make([]float64, len(base.column))
	}
	for question, i := range base.column {
		mean := 0.
		for j := range base.objects {
			mean += clip(base.yes[j][i]) * (1 - clip(base.yes[j][i])) / float64(len(base.objects))
		}
		weights, top := make([]float64, len(disagreements)), math.Inf(-1)
		for k, d := range disagreements {
			lo, hi := 0., 1.
			if k > 0 {
				lo = (disagreements[k-1] + d) / 2
			}
			if k+1 < len(disagreements) {
				hi = (d + disagreements[k+1]) / 2
			}
			weights[k] = math.Log(betaMass(8*mean, 8*(1-mean), lo, hi))
			for j, object := range base.objects {
				h, p := counts[spot{object, question}], (1-2*d)*clip(base.yes[j][i])+d
				weights[k] += float64(h.yes)/2*math.Log(p) + float64(h.no)/2*math.Log(1-p)
			}
			top = max(top, weights[k])
		}
		sum, d := 0., 0.
		for k, w := range weights {
			w = math.Exp(w - top)
			sum, d = sum+w, d+w*disagreements[k]
		}
		d /= sum
		for j, object := range base.objects {
			h := counts[spot{object, question}]
			yes, n := float64(h.yes)/2, float64(h.yes+h.no)/2
			out[j][i] = (trust*((1-2*d)*base.yes[j][i]+d) + yes) / (trust + n)
		}
	}
	return out
}

// betaMass is the mass of Beta(a, b) between lo and hi, where b is above 1, by the substitution x = t^(1/a), which takes
// the singularity at 0 away.
func betaMass(a, b, lo, hi float64) float64 {
	const steps = 20_000
	from, to := math.Pow(lo, a), math.Pow(hi, a)
	la, _ := math.Lgamma(a + b)
	lb, _ := math.Lgamma(a)
	lc, _ := math.Lgamma(b)
	sum := 0.
	for k := range steps {
		sum += math.Pow(1-math.Pow(from+(to-from)*(float64(k)+0.5)/steps, 1/a), b-1)
	}
	return math.Exp(la-lb-lc) / a * sum * (to - from) / steps
}

// sameShares fails where served shares are not what the base and the counts make.
func sameShares(t testing.TB, page policyPage, base *people, counts ledger) {
	t.Helper()
	var served struct{ Yes [][]float64 }
	must(t, json.Unmarshal(page.Contract.Problem.Shares, &served))
	worst, want := 0., learnedShares(base, counts, 2)
	for j := range want {
		for i := range want[j] {
			worst = max(worst, math.Abs(served.Yes[j][i]-want[j][i]))
		}
	}
	t.Logf("version %d: shares differ from the model's by %.2g at most", page.Version, worst)
	if worst > 1e-5 {
		t.Errorf("shares differ from the model's by %g", worst)
	}
}

// TestLearnedByHand: `mapo table learn` makes of a file of games what the model's description says.
func TestLearnedByHand(t *testing.T) {
	bin, dir := mapoProgram(t), t.TempDir()
	table, who := shortCross(t)
	counts, root := ledger{}, rng.New(4)
	var lines strings.Builder
	for i := range 300 {
		key := root.At(i)
		r := key.Rand()
		object, answers, list := r.IntN(len(who.objects)), map[string]float64{}, []string{}
		for q, text := range slices.Sorted(maps.Keys(who.column)) {
			if said := float64(who.answer(key, object, text)); q%3 == i%3 {
				if r.IntN(4) == 0 {
					said /= 2
				}
				answers[text] = said
				list = append(list, fmt.Sprintf(`{"query":%q,"answer":%g}`, text, said))
			}
		}
		counts.add(who.objects[object], answers)
		fmt.Fprintf(&lines, `{"truth":%q,"recommendation":"object 1","history":[%s]}`+"\n", who.objects[object], strings.Join(list, ","))
	}
	games, out := filepath.Join(dir, "games.jsonl"), filepath.Join(dir, "new.csv")
	must(t, os.WriteFile(games, []byte(lines.String()), 0o600))
	if said, err := exec.Command(bin, "table", "learn", table, "--games", games, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	learned, worst := readPeople(t, out), 0.
	want := learnedShares(readPeople(t, table), counts, 2)
	for j := range want {
		for _, i := range who.column {
			worst = max(worst, math.Abs(learned.yes[j][i]-want[j][i]))
		}
	}
	t.Logf("shares differ by %.2g at most", worst)
	if worst > 1e-5 {
		t.Errorf("shares differ from the model's by %g", worst)
	}
}
