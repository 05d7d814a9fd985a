package play_test

import (
	"slices"
	"testing"

	"mapo/game"
	"mapo/game/play"
	"mapo/policy/rival"
)

// TestMostGuesses: a game has three guesses, and "none of these" is never one of them.
func TestMostGuesses(t *testing.T) {
	first := func(yes float64) []float64 { return []float64{yes, .5, .5, .5, .5, .5} }
	g := table(t, 6, first(.9), first(.9), first(.9), first(.8), first(.1))
	one := []play.Answered{{0, play.Yes}}
	for _, c := range []struct {
		out  []int
		want bool
	}{{[]int{0, 1}, true}, {[]int{0, 1, 2}, false}} {
		if guess, ok := at(t, g, play.Record{History: one, Stop: 1e-3, Out: c.out}).Guess(key); ok != c.want {
			t.Errorf("after %d wrong guesses the guess is %v, %v", len(c.out), guess, ok)
		}
	}
	g = table(t, 6, first(.1), first(.1), first(.9))
	for _, other := range []bool{false, true} {
		g.Problem.Seek.(*game.Shares).Other = other
		if guess, ok := at(t, g, play.Record{History: one, Stop: .1}).Guess(key); ok == other || ok && guess.Text != "C" {
			t.Errorf("where the last is none of these: %v, the guess is %v, %v", other, guess, ok)
		}
	}
}

// queries returns the questions of reasons in their order.
func queries(list []play.Reason) (out []int) {
	for _, r := range list {
		out = append(out, r.Query.Index)
	}
	return out
}

// TestReasons: the answers that speak most for a hypothesis and against it come first, with the mean of repeated ones.
func TestReasons(t *testing.T) {
	g := table(t, 4, []float64{.9, .9, .95, .8}, []float64{.1, .5, .1, .4}, []float64{.1, .5, .1, .4})
	g.Problem.AskOnce, g.Problem.T = false, 9
	p := at(t, g, play.Record{History: []play.Answered{{3, play.Yes}, {0, play.Yes}, {1, play.No}, {0, play.Yes}, {0, play.No}, {0, play.Yes}, {2, play.No}}})
	pro, contra := p.Reasons(0, 5)
	if !slices.Equal(queries(pro), []int{0, 3}) || !slices.Equal(queries(contra), []int{2, 1}) {
		t.Fatalf("for A speak %v, against it %v; want the questions 0, 3 and 2, 1", pro, contra)
	}
	if pro[0].Answer != .5 || pro[1].Answer != 1 || contra[0].Answer != -1 || pro[0].Weight < pro[1].Weight || contra[0].Weight > contra[1].Weight {
		t.Errorf("for A speak %v, against it %v", pro, contra)
	}
	if pro, contra = p.Reasons(0, 1); !slices.Equal(queries(pro), []int{0}) || !slices.Equal(queries(contra), []int{2}) {
		t.Errorf("the strongest for A is %v, against it %v", pro, contra)
	}
}

// TestContradiction: answers that an exact table excludes name the rows that differ least, but those that were guessed and wrong.
func TestContradiction(t *testing.T) {
	g := table(t, 4, []float64{1, 1, 0, 0}, []float64{1, 1, 1, 1}, []float64{0, 0, 0, 0}, []float64{0, 0, 1, 1})
	never := 0.
	g.Problem.Seek.(*game.Shares).Wrong = &never
	g = play.New(g.Problem, rival.Randomized(g.Problem, 0.03), false)
	record := play.Record{History: []play.Answered{{0, play.Yes}, {1, play.No}, {2, play.Yes}, {3, play.Yes}}}
	for _, c := range []struct {
		out  []int
		most int
		want []int
	}{{nil, 2, []int{1, 3}}, {nil, 9, []int{1, 3, 0, 2}}, {[]int{1}, 2, []int{3, 0}}} {
		record.Out = c.out
		var got []int
		for _, near := range at(t, g, record).Contradiction(c.most) {
			got = append(got, near.Index)
			for _, q := range near.Differs {
				if row := g.Problem.Seek.(*game.Shares).Yes[4*near.Index+q.Index]; (row == 1) == (q.Index != 1) {
					t.Errorf("%d does not differ in question %d", near.Index, q.Index)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("with %v ruled out the nearest rows are %v, want %v", c.out, got, c.want)
		}
	}
	if near := at(t, g, play.Record{History: record.History[:1]}).Contradiction(4); near != nil {
		t.Errorf("one answer contradicts all rows: %v", near)
	}
}

// TestMisfits: answers at random fit no row, a row's own fit it.
func TestMisfits(t *testing.T) {
	yes, no := make([]float64, 12), make([]float64, 12)
	for i := range yes {
		yes[i], no[i] = .97, .03
	}
	g := table(t, 12, yes, no)
	own, mixed := play.Record{}, play.Record{}
	for i := range yes {
		own.History = append(own.History, play.Answered{Query: i, Answer: play.No})
		mixed.History = append(mixed.History, play.Answered{Query: i, Answer: []play.Answer{play.Yes, play.No}[i%2]})
	}
	if at(t, g, own).Misfits(key) || !at(t, g, mixed).Misfits(key) {
		t.Errorf("a row's own answers misfit: %v, mixed ones: %v", at(t, g, own).Misfits(key), at(t, g, mixed).Misfits(key))
	}
	mixed.History = mixed.History[:7]
	if at(t, g, mixed).Misfits(key) {
		t.Error("seven answers misfit")
	}
}
