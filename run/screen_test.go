package run

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"mapo/run/job"
)

func TestSameQuestions(t *testing.T) {
	got := sameQuestions([]string{"uniform", "sgbs:0.1", "uniform+posterior", BayesLAL, "sgbs:0.1+least-squares"})
	if want := [][]int{{0, 2}, {1, 4}, {3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := sameQuestions(nil); got != nil {
		t.Errorf("of no rivals: %v", got)
	}
}

// TestScreen: of rivals that ask alike one is searched in full, the others by smoke's effort, and again with the bank so. At
// smoke scale nothing is screened. The policies keep the plan's order.
func TestScreen(t *testing.T) {
	for _, scale := range []string{"desk", "smoke"} {
		t.Run(scale, func(t *testing.T) {
			var jobs []job.Event
			plan := tiny(t, 8, 16)
			plan.Scale, plan.Rivals, plan.Priors = scale, []string{"sgbs:0.1", "uniform", "sgbs:0.1+posterior"}, nil
			f := keeping(t, plan, &jobs)
			res, err := f.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			screened := 0
			for _, p := range res.Policies[3:] {
				names = append(names, p.Name)
				if p.Screened(8) || p.Screened(16) {
					screened++
				}
				if len(p.Worst) != 2 {
					t.Errorf("%s has worst cases %v", p.Name, p.Worst)
				}
			}
			if !slices.Equal(names, plan.Rivals) {
				t.Errorf("the rivals are %v, want %v", names, plan.Rivals)
			}
			short, full := 0, 0
			for _, e := range jobs {
				switch {
				case strings.HasSuffix(e.For, screening):
					short++
				case e.Step == "judge" && strings.HasPrefix(e.For, "sgbs:0.1") && !strings.HasSuffix(e.For, secondSearch):
					full++
				}
			}
			want := [3]int{1, 2, 1}
			if scale == smoke {
				want = [3]int{0, 0, 2}
			}
			if got := [3]int{screened, short, full}; got != want {
				t.Errorf("%v screened, short searches and full ones, want %v", got, want)
			}
			if scale != smoke {
				better(t, f, res.Policies[3], res.Policies[5])
			}
		})
	}
}

// better checks that of two rivals that ask alike the one that the short search found better was searched in full.
func better(t *testing.T, f *Flow, a, b *Policy) {
	t.Helper()
	var sums [2]float64
	for i, p := range []*Policy{a, b} {
		found, _, err := f.worst(t.Context(), stepJudge, JudgeInput{Header: f.header(p.Name + screening), Policy: p.Ref, Levels: f.Levels, Effort: screenEffort})
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = total(found)
	}
	short := func(p *Policy) bool { return slices.ContainsFunc(f.Levels, p.Screened) }
	if short(a) != (sums[0] > sums[1]) || short(a) == short(b) {
		t.Errorf("%s and %s sum to %v in the short search; screened: %v, %v", a.Name, b.Name, sums, short(a), short(b))
	}
}

// TestScreened: a policy that was screened is so at the levels where it was not searched again alone.
func TestScreened(t *testing.T) {
	p := &Policy{screened: true, confirmed: []float64{16}}
	if !p.Screened(8) || p.Screened(16) || (&Policy{}).Screened(8) {
		t.Errorf("at 8 %t, at 16 %t", p.Screened(8), p.Screened(16))
	}
}

// TestScreenedAgain: where a policy that was screened is searched in full, the new search's figures stand, higher or lower.
func TestScreenedAgain(t *testing.T) {
	f := keeping(t, tiny(t, 8, 32), new([]job.Event))
	p := &Policy{Name: "uniform", Ref: Ref{Rival: "uniform"}, screened: true}
	in := JudgeInput{Header: f.header(p.Name + screening), Policy: p.Ref, Levels: f.Levels, Effort: screenEffort}
	found, _, err := f.worst(t.Context(), stepJudge, in)
	if err != nil {
		t.Fatal(err)
	}
	found[0].Mean, found[0].Games = found[1].Mean, 1 // by a lucky draw
	p.Worst = found
	if err := f.searchAgain(t.Context(), p, f.Levels[:1], BankOf([]*Policy{p})); err != nil {
		t.Fatal(err)
	}
	if w := p.Worst[0]; w.Games < 100 || w.Mean >= found[1].Mean || p.Screened(f.Levels[0]) || !p.Screened(f.Levels[1]) {
		t.Errorf("searched in full it is %+v", w)
	}
}
