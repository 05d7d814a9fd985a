package play_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/game/play"
	"mapo/internal/check"
	"mapo/policy/decision"
	"mapo/rng"
)

// plain is a game of scores, without a posterior: thresholds, every open question as likely.
func plain(queries, budget int, once, spends bool) *play.Game {
	p := check.Thresholds(queries, budget)
	p.AskOnce = once
	return play.New(p, check.Even{P: p}, spends)
}

// names returns the hypotheses of a ranking in their order.
func names(list []play.Ranked) (out []int) {
	for _, r := range list {
		out = append(out, r.Index)
	}
	return out
}

// TestTiesOfRunnersUp: those that share the lead with the recommendation come next, by their index and 0 behind, also where
// rounding sets them apart; then the others by value and, where that is equal, by index. Any of the lead may be drawn.
func TestTiesOfRunnersUp(t *testing.T) {
	rows := [][]float64{{.2, .9}, {.9, .9}, {.9, .9}, {.2, .9}, {.9, .9}, {.1, .9}}
	tied := table(t, 2, rows...)
	for i := range rows {
		tied.Problem.Seek.(*game.Shares).Weight[i] += 1e-11 * float64(i) // less than counts
	}
	many := make([][]float64, 50)
	for k := range many {
		many[k] = rows[k%len(rows)]
	}
	large := table(t, 2, many...)
	for i := range many {
		large.Problem.Seek.(*game.Shares).Weight[i] += 1e-13 * float64(i)
	}
	for _, g := range []*play.Game{tied, large} {
		p := at(t, g, play.Record{History: []play.Answered{{0, play.Yes}}})
		var lead, next, last []int
		for k := range g.Problem.Names {
			switch k % len(rows) {
			case 0, 3:
				next = append(next, k)
			case 5:
				last = append(last, k)
			default:
				lead = append(lead, k)
			}
		}
		seen := map[int]bool{}
		for i := range 300 {
			now := p.Standing(rng.New(uint64(i)), len(g.Problem.Names))
			first := now.Recommendation.Index
			seen[first] = true
			behind := slices.DeleteFunc(slices.Clone(lead), func(k int) bool { return k == first })
			got := names(now.RunnersUp)
			slices.Sort(got[len(behind) : len(behind)+len(next)]) // weights part them by rounding
			slices.Sort(got[len(behind)+len(next):])
			if !slices.Contains(lead, first) || !slices.Equal(got, slices.Concat(behind, next, last)) || now.Tied != len(lead) || now.Margin != 0 {
				t.Fatalf("seed %d: %d of %d tied are led by %d, behind it are %v", i, now.Tied, len(now.RunnersUp)+1, first, names(now.RunnersUp))
			}
			for j, r := range now.RunnersUp {
				if (r.Margin == 0) != (j < len(behind)) {
					t.Fatalf("seed %d: %d is %v behind", i, r.Index, r.Margin)
				}
			}
			for _, top := range []int{1, 2, 4} {
				if few := p.Standing(rng.New(uint64(i)), top); !reflect.DeepEqual(few.RunnersUp, now.RunnersUp[:top]) || *few.Recommendation != *now.Recommendation {
					t.Fatalf("seed %d: the first %d are %v, of all %v", i, top, few.RunnersUp, now.RunnersUp[:top])
				}
			}
		}
		if len(seen) != len(lead) {
			t.Errorf("%d of %d that share the lead were drawn", len(seen), len(lead))
		}
	}
}

// TestScoresRank: without a posterior, hypotheses are ranked by score, equal ones by index, and one guessed and wrong is last, as far
// behind as JSON can say.
func TestScoresRank(t *testing.T) {
	g := plain(4, 4, true, false)
	record := play.Record{History: []play.Answered{{1, play.Yes}, {3, play.No}}} // z_k has the first k: 2 and 3 score 1, 4 and those below 2 score 0
	now := at(t, g, record).Standing(key, 9)
	first := now.Recommendation.Index
	if want := []int{5 - first, 0, 1, 4}; !slices.Equal(names(now.RunnersUp), want) || now.Tied != 2 || now.Confidence != nil {
		t.Errorf("behind %d are %v, want %v", first, names(now.RunnersUp), want)
	}
	for i, want := range []float32{0, 1, 1, 1} {
		if r := now.RunnersUp[i]; r.Margin != want || r.Confidence != nil {
			t.Errorf("%d is %v behind, want %v; its confidence is %v", r.Index, r.Margin, want, r.Confidence)
		}
	}
	record.Out = []int{2}
	now = at(t, g, record).Standing(key, 9)
	if want := []int{0, 1, 4, 2}; now.Recommendation.Index != 3 || !slices.Equal(names(now.RunnersUp), want) || now.RunnersUp[3].Margin != 1000 || now.Margin != 1 {
		t.Errorf("with 2 ruled out %v is recommended before %v", now.Recommendation, now.RunnersUp)
	}
}

// TestTieAtTheEnd: while all tie nothing is recommended, once the budget is spent one of all is, and none is guessed.
func TestTieAtTheEnd(t *testing.T) {
	g := table(t, 1, []float64{.5}, []float64{.5})
	if now := at(t, g, play.Record{}).Standing(key, 1); now.Recommendation != nil {
		t.Errorf("before an answer %v is recommended", now.Recommendation)
	}
	p := at(t, g, play.Record{History: []play.Answered{{0, play.Yes}}})
	if now := p.Standing(key, 1); now.Recommendation == nil || now.Tied != 2 || len(now.RunnersUp) != 1 {
		t.Errorf("after the last answer stands %+v", now)
	}
	if guess, ok := p.Guess(key); ok {
		t.Errorf("all tie, and %v is guessed", guess)
	}
}

// picture is what a position shows.
func picture(t *testing.T, p *play.Position) []any {
	t.Helper()
	probs, err := p.Probabilities()
	if err != nil {
		t.Fatal(err)
	}
	guess, ok := p.Guess(key)
	return []any{probs, p.Remaining(), p.Given(), p.Guesses(), p.Answers(), p.Over(), p.Standing(key, 9), p.Key(7), guess, ok}
}

// TestUndo: a game whose last reply is taken back, and that went another way and came back, stands where it stood,
// whatever the reply was; its draws are those of the step, in whose number every reply and wrong guess counts.
func TestUndo(t *testing.T) {
	rows := [][]float64{{1, 1, 1, 1}, {1, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 0, 0}}
	for name, g := range map[string]*play.Game{"rows": table(t, 4, rows...), "repeats": plain(4, 6, false, true), "once": plain(4, 4, true, false)} {
		record := play.Record{History: []play.Answered{{0, play.Yes}, {2, play.DontKnow}}, Out: []int{1}, Stop: .99}
		before := picture(t, at(t, g, record))
		for _, next := range []play.Answered{{1, play.Yes}, {1, play.No}, {3, play.DontKnow}} {
			longer := record
			longer.History = append(slices.Clone(record.History), next)
			after := at(t, g, longer)
			if reflect.DeepEqual(picture(t, after), before) {
				t.Errorf("%s: %v changes nothing", name, next)
			}
			if after.Key(7) != rng.New(7).At(4) {
				t.Errorf("%s: the fifth step draws by another key", name)
			}
			longer.History = longer.History[:2]
			if back := picture(t, at(t, g, longer)); !reflect.DeepEqual(back, before) {
				t.Errorf("%s: with %v taken back stands %v, before it %v", name, next, back, before)
			}
		}
		longer := record
		longer.Out = []int{1, 2}
		if p := at(t, g, longer); p.Key(7) != rng.New(7).At(4) || p.Guesses() != 2 {
			t.Errorf("%s: a wrong guess is no step", name)
		}
	}
}

// TestMasks: a question that may not be asked now, was answered in a game that asks once, or whose answer nobody knows has
// probability 0, the others what the policy says without it. A mask costs no answer; "don't know" does where the rules say so.
func TestMasks(t *testing.T) {
	third, half := float32(1)/3, float32(.5)
	for _, c := range []struct {
		why          string
		once, spends bool
		record       play.Record
		probs        []float32
		remaining    int
	}{
		{"nothing", false, false, play.Record{}, []float32{.25, .25, .25, .25}, 6},
		{"asked, may be asked again", false, false, play.Record{History: []play.Answered{{1, play.Yes}}}, []float32{.25, .25, .25, .25}, 5},
		{"asked once", true, false, play.Record{History: []play.Answered{{1, play.Yes}}}, []float32{third, 0, third, third}, 3},
		{"unknown, free", false, false, play.Record{History: []play.Answered{{1, play.DontKnow}}}, []float32{third, 0, third, third}, 6},
		{"unknown, at a cost", false, true, play.Record{History: []play.Answered{{1, play.DontKnow}}}, []float32{third, 0, third, third}, 5},
		{"unknown, asked once", true, false, play.Record{History: []play.Answered{{1, play.DontKnow}}}, []float32{third, 0, third, third}, 3},
		{"masked", false, false, play.Record{Mask: []int{0, 3}}, []float32{0, half, half, 0}, 6},
		{"masked, asked once", true, false, play.Record{Mask: []int{0}, History: []play.Answered{{1, play.No}}}, []float32{0, 0, half, half}, 3},
		{"all masked", false, false, play.Record{Mask: []int{0, 1, 2, 3}}, nil, 6},
		{"all unknown", false, false, play.Record{History: []play.Answered{{0, play.DontKnow}, {1, play.DontKnow}, {2, play.DontKnow}, {3, play.DontKnow}}}, nil, 0},
	} {
		p := at(t, plain(4, 6, c.once, c.spends), c.record)
		got, err := p.Probabilities()
		if err != nil || len(got) != len(c.probs) || p.Remaining() != c.remaining {
			t.Errorf("%s: %v (%v) and %d answers left, want %v and %d", c.why, got, err, p.Remaining(), c.probs, c.remaining)
			continue
		}
		for i, want := range c.probs {
			if math.Abs(float64(got[i]-want)) > 1e-6 {
				t.Errorf("%s: %v, want %v", c.why, got, c.probs)
			}
		}
	}
	for _, c := range []struct {
		why    string
		record play.Record
	}{
		{"the mask names query 4", play.Record{Mask: []int{4}}},
		{"the mask names query -1", play.Record{Mask: []int{-1}}},
		{"is to query 4", play.Record{History: []play.Answered{{4, play.Yes}}}},
		{"none may be asked twice", play.Record{History: []play.Answered{{1, play.Yes}, {1, play.No}}}},
		{"beyond the budget of 3", play.Record{History: []play.Answered{{0, play.Yes}, {1, play.No}, {2, play.No}, {3, play.No}}}},
		{"hypothesis 1, \"z1\", twice", play.Record{Out: []int{1, 1}}},
		{"ruled_out names hypothesis 5", play.Record{Out: []int{5}}},
	} {
		if _, err := plain(4, 3, true, false).At(c.record); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%v: error %v, want one that says %q", c.record, err, c.why)
		}
	}
}

// asked keeps the state that a policy was asked about.
type asked struct {
	game.Policy
	state *game.States
}

func (a asked) Probs(dst []float32, s game.States) {
	*a.state = s
	a.Policy.Probs(dst, s)
}

// TestStateAsked: the policy is asked about the counts, the sums, the mask, the answers left and what was ruled out.
func TestStateAsked(t *testing.T) {
	var s game.States
	g := table(t, 4, []float64{.9, .2, .5, .5}, []float64{.1, .2, .7, .5}, []float64{.6, .8, .5, .5})
	g.Policy = asked{g.Policy, &s}
	if _, err := at(t, g, play.Record{History: []play.Answered{{0, play.Yes}, {1, play.ProbablyNot}}, Out: []int{2}, Mask: []int{3}}).Probabilities(); err != nil {
		t.Fatal(err)
	}
	want := game.States{N: []float32{1, 1, 0, 0}, S: []float32{1, -.5, 0, 0}, Mask: []bool{true, true, false, true}, Left: []float32{1}, Out: []bool{false, false, true}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("the policy is asked about %+v, want %+v", s, want)
	}
	g.Problem.T = 3 // none is left, and one is as good as said
	if _, err := at(t, g, play.Record{History: []play.Answered{{0, play.Yes}, {1, play.ProbablyNot}}, Out: []int{2}}).Beyond(); err != nil || s.Left[0] != 1 {
		t.Errorf("beyond the budget the policy is told of %v answers left (%v)", s.Left, err)
	}
}

// TestStops: a game is over once the recommendation has the probability to stop at, also exactly, but never before an answer.
func TestStops(t *testing.T) {
	g := table(t, 3, []float64{.9, .9, .5}, []float64{.1, .1, .5})
	p := at(t, g, play.Record{History: []play.Answered{{0, play.Yes}}})
	sure := *p.Standing(key, 1).Confidence
	for _, c := range []struct {
		stop float64
		want bool
	}{{0, false}, {sure, true}, {math.Nextafter(sure, 1), false}, {.5, true}} {
		if p := at(t, g, play.Record{History: []play.Answered{{0, play.Yes}}, Stop: c.stop}); p.Sure() != c.want || p.Over() != c.want {
			t.Errorf("at the confidence %v a game that stops at %v is over: %v", sure, c.stop, p.Over())
		}
	}
	if at(t, g, play.Record{Stop: .5}).Over() || at(t, g, play.Record{Stop: .5, History: []play.Answered{{0, play.DontKnow}}}).Over() {
		t.Error("a game stops before an answer")
	}
}

// TestDraw: the question drawn has its probability, one without any is never drawn, not even where rounding leaves a rest.
func TestDraw(t *testing.T) {
	probs := []float32{0, .2, 0, .5, .29, 0} // 0.01 is missing
	var count [6]int
	const draws = 20_000
	for i := range draws {
		count[play.Draw(probs, rng.New(5).At(i))]++
	}
	for i, want := range []float64{0, .2, 0, .5, .3, 0} {
		// Hoeffding: off by 0.025 with probability 3e-11.
		if got := float64(count[i]) / draws; math.Abs(got-want) > .025 || want == 0 && got > 0 {
			t.Errorf("question %d is drawn in %.3f of games, want %.3f", i, got, want)
		}
	}
	if play.Likeliest([]float32{.1, .4, .4, .1}) != 1 {
		t.Error("the likeliest of two is not the first")
	}
}

// TestMajoritiesDecide: the policy's own decision recommends where hypotheses are majorities, too. After a no to the first query
// and three yeses and a no to the second, θ̂ is −1 and ½: no hypothesis has a better score than "threshold 0", 0. The posterior
// counts one no and two yeses more, for "threshold 2". What was guessed and is wrong is not recommended again, and a runner-up
// with a better score is 0 behind.
func TestMajoritiesDecide(t *testing.T) {
	p := check.Thresholds(2, 8)
	by, err := decision.New(p, game.BestIdentification, decision.Posterior)
	if err != nil {
		t.Fatal(err)
	}
	history := []play.Answered{{0, play.No}, {1, play.Yes}, {1, play.Yes}, {1, play.No}, {1, play.Yes}}
	for _, c := range []struct {
		policy game.Policy
		out    []int
		first  string
		behind []float32
	}{
		{check.Even{P: p}, nil, "0", []float32{0.5, 1}},
		{game.Deciding(check.Even{P: p}, by), nil, "2", []float32{0, 0.5}},
		{game.Deciding(check.Even{P: p}, by), []int{2}, "0", []float32{1, mostBehind}},
		{check.Even{P: p}, []int{0}, "2", []float32{0.5, mostBehind}},
	} {
		g := play.New(p, c.policy, false)
		now := at(t, g, play.Record{History: history, Out: c.out}).Standing(rng.New(1), 5)
		var behind []float32
		for _, r := range now.RunnersUp {
			behind = append(behind, r.Margin)
		}
		if now.Recommendation == nil || !strings.HasSuffix(now.Recommendation.Text, c.first) || now.Tied != 1 || now.Confidence != nil || !slices.Equal(behind, c.behind) {
			t.Errorf("%T without %v: %+v, %v behind; want %s, %v", c.policy, c.out, now.Recommendation, behind, c.first, c.behind)
		}
	}
}

// mostBehind is the margin of what was ruled out.
const mostBehind = 1000

// TestRuledOutMargin: least squares may recommend a row that exact answers rule out, as unknown
// cells fit nothing well. The margin of another such row is a number.
func TestRuledOutMargin(t *testing.T) {
	exact := 0.0
	p := &game.Problem{
		T: 3, AskOnce: true, X: []string{"a", "b", "c"}, Names: []string{"A", "B", "C"},
		Seek: &game.Shares{
			Wrong: &exact, Weight: []float64{0.3, 0.4, 0.3}, Yes: []float64{0, 1, 1, 1, 0.1, 0.1, 0, 1, 0},
			Unknown: []bool{false, false, false, false, true, true, false, false, false},
		},
	}
	p.Grade()
	g := play.New(p, game.Deciding(asked{}, game.LeastSquares(p)), false)
	now := at(t, g, play.Record{History: []play.Answered{{Query: 0, Answer: play.Yes}, {Query: 1, Answer: play.Yes}, {Query: 2, Answer: play.Yes}}}).Standing(rng.New(1), 3)
	if now.Recommendation == nil || now.Recommendation.Text != "A" || now.RunnersUp[1].Text.Text != "C" {
		t.Fatalf("%+v", now)
	}
	for _, r := range now.RunnersUp {
		if math.IsNaN(float64(r.Margin)) {
			t.Errorf("%s is behind by NaN", r.Text.Text)
		}
	}
}
