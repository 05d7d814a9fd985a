package stopping_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/game/play"
	"mapo/internal/check"
	"mapo/policy/stopping"
)

// TestConfidenceIsPlays: the rule stops in the states in which a game that is played is sure, with half answers, wrong guesses,
// a known share of wrong answers and exact tables, and in none without an answer.
func TestConfidenceIsPlays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 48))
	none, tenth := 0., 0.1
	for _, c := range []struct {
		wrong  *float64
		digits bool // the cells are 0 and 1
	}{{nil, false}, {&tenth, false}, {&none, false}, {nil, true}, {&none, true}} {
		p := check.Graded(8, 6, 8, r)
		p.AskOnce, p.Seek.(*game.Shares).Wrong = true, c.wrong
		for at, yes := range p.Seek.(*game.Shares).Yes {
			if c.digits {
				p.Seek.(*game.Shares).Yes[at] = float64(int(yes + 0.5))
			}
		}
		p.Seek.(*game.Shares).Weight = []float64{.9, .02, .02, .02, .02, .02} // sure before the first answer, if that counted
		p.Grade()
		d, n := p.Queries(), p.Hypotheses()
		g := play.New(p, check.Even{P: p}, false)
		for _, at := range []float64{.55, .85, .95} {
			by, err := stopping.New(p, stopping.Name(stopping.Confidence, at))
			if err != nil {
				t.Fatal(err)
			}
			const states = 300
			s := game.States{N: make([]float32, states*d), S: make([]float32, states*d), Out: make([]bool, states*n)}
			want, sure := make([]bool, states), 0
			for b := range states {
				record := play.Record{Stop: at}
				for _, i := range r.Perm(d)[:r.IntN(d+1)] {
					a := []play.Answer{play.Yes, play.No, play.Probably, play.ProbablyNot, play.DontKnow}[r.IntN(5)]
					record.History = append(record.History, play.Answered{Query: i, Answer: a})
					if a != play.DontKnow {
						s.N[b*d+i], s.S[b*d+i] = 1, float32(a.Value())
					}
				}
				if len(record.History) < d && r.IntN(2) == 0 {
					record.Out = []int{r.IntN(n)}
					s.Out[b*n+record.Out[0]] = true
				}
				position, err := g.At(record)
				if err != nil {
					t.Fatal(err)
				}
				if want[b] = position.Sure(); want[b] {
					sure++
				}
				if want[b] && position.Answers() == 0 {
					t.Error("a game without an answer is sure")
				}
			}
			got := make([]bool, states)
			by.Stop(got, s)
			if !slices.Equal(got, want) {
				t.Errorf("wrong answers %v, 0 and 1 %v, confidence %g: the rule stops in other states than games that are played", c.wrong, c.digits, at)
			}
			if sure == 0 || sure == states {
				t.Errorf("at %g games are sure in %d of %d states; the test shows little", at, sure, states)
			}
		}
	}
}

// TestNames: a rule is named with its number. Any other text, and a rule that does not suit the problem, is refused in one line
// that says what there is.
func TestNames(t *testing.T) {
	rows, majorities := check.Graded(4, 3, 2, rand.New(rand.NewPCG(1, 1))), check.Thresholds(3, 3)
	for name, want := range map[string]string{
		"confidence:0.95": "", "": "",
		"confidence:0.5": `is "0.5"; it must be between 0.5 and 1`, "confidence:1": `is "1"`, "confidence": `is ""`, "confidence:NaN": `is "NaN"`,
		"patience:3": `unknown rule of stopping "patience"; known are confidence`,
	} {
		by, err := stopping.New(rows, name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || (by == nil) != (err != nil || name == "") {
			t.Errorf("%q: %v, %v; want %q", name, by, err, want)
		}
	}
	if _, err := stopping.New(majorities, "confidence:0.95"); err == nil || !strings.Contains(err.Error(), "these are not") {
		t.Errorf("on majorities: %v", err)
	}
	if policy, err := stopping.With(rows, check.Even{P: rows}, ""); err != nil || game.StopperOf(policy) != nil {
		t.Errorf("without a rule a policy stops: %v", err)
	}
	if at := stopping.Probability("confidence:0.9"); at != 0.9 || stopping.Probability("") != 0 || stopping.Probability("patience:3") != 0 {
		t.Errorf("the probability is %v, want 0.9", at)
	}
}

// TestNameAndProbability: a name holds every digit of its probability.
func TestNameAndProbability(t *testing.T) {
	for at, want := range map[float64]string{0.95: "confidence:0.95", 0.995: "confidence:0.995", 0.9375: "confidence:0.9375", 0.6: "confidence:0.6"} {
		name := stopping.Name(stopping.Confidence, at)
		if name != want || stopping.Probability(name) != at {
			t.Errorf("%v is called %s, which stands for %v", at, name, stopping.Probability(name))
		}
	}
}
