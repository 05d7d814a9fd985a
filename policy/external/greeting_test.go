package external

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	games "mapo/game/play"
	"mapo/internal/check"
	"mapo/policy/decision"
	"mapo/rng"
)

// rowsOf is a problem of two rows of shares.
func rowsOf() *game.Problem {
	p := &game.Problem{
		Name: "pets", X: []string{"Does it bark?", "Is it <small>?"}, Names: []string{"dog", "cat"}, T: 2, AskOnce: true,
		Seek: &game.Shares{Yes: []float64{1, 0.5, 0, 0.9}, Weight: []float64{0.75, 0.25}},
	}
	return p.Grade()
}

// TestGreetingOfMajorities: a program of version 1 is greeted as it always was, byte for byte.
func TestGreetingOfMajorities(t *testing.T) {
	const want = `{"mapo":"policy over lines 1","queries":3,"hypotheses":4,"budget":5,"ask_once":false,"problem":{"name":"thresholds",` +
		`"queries":["x0","x1","x2"],"hypotheses":["z0","z1","z2","z3"],"z":["000","100","110","111"]}}` + "\n"
	for _, by := range []string{decision.LeastSquares, decision.Posterior} {
		if got := text(greeting(nil, check.Thresholds(3, 5), by)); got != want {
			t.Errorf("the greeting is\n%swant\n%s", got, want)
		}
	}
}

// TestGreetingOfNumbers: where answers are numbers the greeting says how they are spread, and sums in the states are of answers
// divided by the bound.
func TestGreetingOfNumbers(t *testing.T) {
	p := check.Thresholds(3, 5)
	p.Reply = game.Answers{Sigma: 0.5, Bound: 4}
	const want = `"ask_once":false,"answers":{"gaussian":0.5,"bound":4},"problem":{"name":"thresholds",`
	if got := text(greeting(nil, p, decision.LeastSquares)); !strings.Contains(got, want) || !strings.Contains(got, protocol) {
		t.Errorf("the greeting is\n%swith %s", got, want)
	}
	seen := new(sums)
	g := games.New(p, seen, false)
	at, err := g.At(games.Record{History: []games.Answered{{Query: 1, Answer: games.Number(3)}, {Query: 1, Answer: games.Number(-1)}, {Query: 2, Answer: games.Number(1e-9)}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := at.Probabilities(); err != nil {
		t.Fatal(err)
	}
	if got := string(request(nil, p, seen.States)); !strings.HasPrefix(got, `{"n":[[0,2,1]],"s":[[0,0.5,2.5e-10]],`) {
		t.Errorf("the program is asked\n%s", got)
	}
}

// sums remembers the state that it was asked about.
type sums struct{ game.States }

func (p *sums) Probs(dst []float32, s game.States) { p.States, dst[0] = s, 1 }

// TestGreetingOfRows: version 2 has all that a posterior over the rows needs, and leaves out what a table does not have.
func TestGreetingOfRows(t *testing.T) {
	p := rowsOf()
	const begin = `{"mapo":"policy over lines 2","queries":2,"hypotheses":2,"budget":2,"ask_once":true,"truth":"rows","decision":"posterior",` +
		`"problem":{"name":"pets","queries":["Does it bark?","Is it \u003csmall\u003e?"],"hypotheses":["dog","cat"],` +
		`"z":[[1,0],[-1,0.8]],"offsets":[-0.5,-0.82],"weights":[0.75,0.25]`
	if got, want := text(greeting(nil, p, decision.Posterior)), begin+"}}\n"; got != want {
		t.Errorf("the greeting is\n%swant\n%s", got, want)
	}
	p.Seek.(*game.Shares).Unknown, p.Seek.(*game.Shares).Wrong, p.Seek.(*game.Shares).Other = []bool{false, true, false, false}, new(float64), true
	if got, want := text(greeting(nil, p, decision.Posterior)), begin+`,"unknown":["01","00"],"wrong_answers":0,"other":true}}`+"\n"; got != want {
		t.Errorf("the greeting is\n%swant\n%s", got, want)
	}
}

// TestGreetingOfVectors: version 3 has the vectors of queries and hypotheses as they were given, also where hypotheses lie between
// queries.
func TestGreetingOfVectors(t *testing.T) {
	x, z := [][]float64{{1, 0}, {0.6, 0.8}, {-0.3, 2.5}}, [][]float64{{0.1, 0.7}, {1, 0}}
	p := check.Vectors(x, z, 4)
	const want = `{"mapo":"policy over lines 3","queries":3,"hypotheses":2,"budget":4,"ask_once":false,"problem":{"name":`
	const vectors = `"x":[[1,0],[0.6,0.8],[-0.3,2.5]],"z":[[0.1,0.7],[1,0]]}}` + "\n"
	if got := text(greeting(nil, p, decision.LeastSquares)); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, vectors) {
		t.Errorf("the greeting is\n%swant %s… and %s", got, want, vectors)
	}
	large := check.Vectors([][]float64{{1e6, 3}, {-2e5, 400}, {123456, 0.001}}, [][]float64{{654321, 77}, {0, 1e3}}, 4)
	for k, row := range [][]float64{{654321, 77}, {0, 1e3}} {
		for c, v := range row {
			if got := entry(large.Row(k), [][]float64{{1e6, 3}, {-2e5, 400}, {123456, 0.001}}, c); math.Abs(got-v) > 0.5 {
				t.Errorf("entry %d of %v is %v", c, row, got)
			}
		}
	}
}

// TestVectors: a program is a policy where queries are vectors: its probabilities are those that it says, and it recommends by the
// least squares of vectors.
func TestVectors(t *testing.T) {
	p := check.RandomVectors(3, 5, 4, 6, rng.New(1).Rand())
	x, err := Start(t.Context(), p, command("sound"), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s := batch(p, 50, rng.New(2))
	got := make([]float32, 50*5)
	if x.Probs(got, s); !slices.Equal(got, want(p, s)) {
		t.Errorf("the probabilities are not those that the program says: %v", got)
	}
	decided, least := make([]float32, 50*4), make([]float32, 50*4)
	game.DeciderOf(p, x).Decide(decided, s)
	game.LeastSquares(p).Decide(least, s)
	if !slices.Equal(decided, least) || x.Err() != nil {
		t.Errorf("it does not recommend by least squares, %v", x.Err())
	}
}

// TestDecide: a program recommends by the decision that is asked for, by least squares where none is, whatever it answers.
func TestDecide(t *testing.T) {
	p := check.Graded(8, 12, 8, rng.New(3).Rand())
	p.AskOnce = true
	s := batch(p, 200, rng.New(4))
	var seen [][]float32
	for _, name := range []string{"", decision.LeastSquares, decision.Posterior} {
		x, err := Start(t.Context(), p, command("sound"), Options{Workers: 1, Decision: name, Loss: game.SimpleRegret})
		if err != nil {
			t.Fatal(err)
		}
		by := decision.LeastSquares
		if name != "" {
			by = name
		}
		rule, err := decision.New(p, game.SimpleRegret, by)
		if err != nil {
			t.Fatal(err)
		}
		got, want := make([]float32, 200*12), make([]float32, 200*12)
		game.DeciderOf(p, x).Decide(got, s)
		rule.Decide(want, s)
		if !slices.Equal(got, want) || x.Decision() != by {
			t.Errorf("%q: the recommendations are not those by %s, but by %s", name, by, x.Decision())
		}
		if seen = append(seen, got); x.Close() != nil {
			t.Error(x.Err())
		}
	}
	if !slices.Equal(seen[0], seen[1]) || slices.Equal(seen[0], seen[2]) {
		t.Error("the default is not least squares, or the decisions are the same")
	}
	if _, err := Start(t.Context(), p, command("sound"), Options{Decision: "learned"}); err == nil || !strings.Contains(err.Error(), `unknown decision "learned"`) || strings.Contains(fmt.Sprint(err), "\n") {
		t.Errorf("an unknown decision gives %v", err)
	}
}

// text returns a line as text.
func text(line []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(line)
}
