package posterior_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mapo/game"
	"mapo/policy/posterior"
	"mapo/rng"
)

// shared is a problem of n random rows of shares over d queries, some of them 0, 1 or ½.
func shared(d, n int, r *rand.Rand) *game.Problem {
	p := &game.Problem{T: d, AskOnce: true, X: make([]string, d), Names: make([]string, n), Seek: &game.Shares{}}
	total := 0.
	for range n {
		w := r.Float64()
		p.Seek.(*game.Shares).Weight, total = append(p.Seek.(*game.Shares).Weight, w), total+w
		for range d {
			p.Seek.(*game.Shares).Yes = append(p.Seek.(*game.Shares).Yes, min(1, max(0, float64(r.IntN(5))/4*(0.6+0.5*r.Float64()))))
		}
	}
	for k := range p.Seek.(*game.Shares).Weight {
		p.Seek.(*game.Shares).Weight[k] /= total
	}
	return p.Grade()
}

// slowJoint is P(j, ε | answers) by its definition.
func slowJoint(p *game.Problem, noise map[float64]float64, limit float64, n, s []float32) map[float64][]float64 {
	joint, total := map[float64][]float64{}, 0.
	for share, prior := range noise {
		for j, w := range p.Seek.(*game.Shares).Weight {
			v := w * prior
			for i, times := range n {
				m := slowMean(p, share, limit, j, i)
				if times == 1 {
					v *= (1 + float64(s[i])*m) / 2
					continue
				}
				v *= math.Pow((1+m)/2, float64(times+s[i])/2) * math.Pow((1-m)/2, float64(times-s[i])/2)
			}
			joint[share] = append(joint[share], v)
			total += v
		}
	}
	for _, row := range joint {
		for j := range row {
			row[j] /= total
		}
	}
	return joint
}

func slowMean(p *game.Problem, share, limit float64, j, i int) float64 {
	q := (1-2*share)*p.Seek.(*game.Shares).Yes[j*p.Queries()+i] + share
	return 2*min(max(q, (1-limit)/2), (1+limit)/2) - 1
}

// slowGain is the mutual information of the row and an answer by its definition.
func slowGain(p *game.Problem, joint map[float64][]float64, limit float64, i int) float64 {
	gain, yes := 0., 0.
	for j := range p.Names {
		weight, q := 0., 0.
		for share, row := range joint {
			weight += row[j]
			q += row[j] * (1 + slowMean(p, share, limit, j, i)) / 2
		}
		yes += q
		if weight > 0 {
			gain -= weight * posterior.Entropy(q/weight)
		}
	}
	return gain + posterior.Entropy(yes)
}

var grid = map[float64]float64{0: 0.3, 0.05: 0.25, 0.1: 0.2, 0.2: 0.15, 0.3: 0.1}

// TestRowsAgreeWithTheFormula compares beliefs and gains with their definitions in random states, with half answers,
// repeated answers, inferred and fixed noise.
func TestRowsAgreeWithTheFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tenth, small := 0.1, 0.01
	for _, c := range []struct {
		wrong *float64
		noise map[float64]float64
	}{{nil, grid}, {&tenth, map[float64]float64{0.1: 1}}, {&small, map[float64]float64{0.01: 1}}} {
		for trial := range 40 {
			p := shared(3+r.IntN(20), 2+r.IntN(200), r)
			p.Seek.(*game.Shares).Wrong = c.wrong
			d := p.Queries()
			n, s := make([]float32, d), make([]float32, d)
			for i := range d {
				switch r.IntN(4) {
				case 0:
					n[i], s[i] = 1, []float32{1, -1, 0.5, -0.5}[r.IntN(4)]
				case 1:
					yes, no := r.IntN(60), r.IntN(4)
					n[i], s[i] = float32(yes+no), float32(yes-no)
				}
				if trial%2 == 0 && n[i] > 1 {
					n[i], s[i] = 0, 0
				}
			}
			rows, joint := posterior.NewRows(p), slowJoint(p, c.noise, 0.96, n, s)
			var b posterior.Belief
			rows.Believe(&b, n, s, nil)
			for j, got := range b.Weight {
				want := 0.
				for _, row := range joint {
					want += row[j]
				}
				if math.Abs(got-want) > 1e-5*want+1e-9 {
					t.Fatalf("wrong %v, trial %d: row %d has weight %v, by the formula %v", c.wrong, trial, j, got, want)
				}
			}
			gain := make([]float64, d)
			b.Gain(gain)
			for i, got := range gain {
				if want := slowGain(p, joint, 0.96, i); math.Abs(got-want) > 1e-6 {
					t.Fatalf("wrong %v, trial %d: query %d gains %v, by the formula %v", c.wrong, trial, i, got, want)
				}
			}
		}
	}
}

// exactTable is a 0/1 table of four rows.
func exactTable() *game.Problem {
	none := 0.
	p := &game.Problem{
		T: 3, AskOnce: true, X: []string{"a", "b", "c"}, Names: []string{"none", "a", "ab", "abc"},
		Seek: &game.Shares{Yes: []float64{0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1}, Weight: []float64{.25, .25, .25, .25}, Wrong: &none},
	}
	return p.Grade()
}

// TestExactAnswers: with no wrong answers a 0/1 table is decided for certain, and answers that no row gives are
// taken as noisy ones.
func TestExactAnswers(t *testing.T) {
	rows := posterior.NewRows(exactTable())
	var b posterior.Belief
	rows.Believe(&b, []float32{1, 1, 0}, []float32{1, -1, 0}, nil)
	if b.Contradicted || b.Weight[1] != 1 {
		t.Errorf("after yes and no the rows weigh %v, contradicted %v; want row 1 alone", b.Weight, b.Contradicted)
	}
	rows.Believe(&b, []float32{1, 1, 1}, []float32{-1, 1, 1}, nil)
	if !b.Contradicted || posterior.Leaders(nil, b.Weight)[0] != 3 {
		t.Errorf("answers of no row leave %v, contradicted %v; want a contradiction and row 3 in front", b.Weight, b.Contradicted)
	}
}

// TestExactOther: with "none of these" beside exact rows, answers of no row leave it alone.
func TestExactOther(t *testing.T) {
	p := exactTable()
	p.Names, p.Z = append(p.Names, "none of these"), append(p.Z, 1, 1, 0)
	p.Seek.(*game.Shares).Yes, p.Seek.(*game.Shares).Weight, p.Seek.(*game.Shares).Other = append(p.Seek.(*game.Shares).Yes, .75, .5, .25), []float64{.2, .2, .2, .2, .2}, true
	var b posterior.Belief
	posterior.NewRows(p).Believe(&b, []float32{1, 1, 1}, []float32{-1, 1, 1}, nil)
	if b.Contradicted || b.Weight[4] != 1 {
		t.Errorf("answers of no row leave %v, contradicted %v; want none of these alone", b.Weight, b.Contradicted)
	}
}

// TestMisfits: answers that row 0 itself draws fit it in all but 1 % of the games, and random ones do not.
func TestMisfits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	p := shared(20, 5, r)
	rows, d := posterior.NewRows(p), p.Queries()
	own, random := 0, 0
	const games = 1000
	for g := range games {
		n, s, coin := make([]float32, d), make([]float32, d), make([]float32, d)
		for i := range d {
			n[i], s[i], coin[i] = 1, -1, float32(2*r.IntN(2)-1)
			if r.Float64() < posterior.Share(2*p.Seek.(*game.Shares).Yes[i]-1) {
				s[i] = 1
			}
		}
		if rows.Misfits(0, n, s, rng.New(7).At(g)) {
			own++
		}
		if rows.Misfits(0, n, coin, rng.New(8).At(g)) {
			random++
		}
		clear(n[7:])
		if rows.Misfits(0, n, s, rng.New(9).At(g)) {
			t.Fatal("seven answers are called a misfit")
		}
	}
	// At 1 %, 30 of 1,000 are exceeded with probability 2e-7.
	if own > 30 || random < games/2 {
		t.Errorf("%d of %d games of the row's own and %d of random answers misfit; want at most 30 and at least half", own, games, random)
	}
}

// TestReasons: the answers that speak most for a row come first.
func TestReasons(t *testing.T) {
	p := exactTable()
	p.Seek.(*game.Shares).Wrong = nil
	list := posterior.NewRows(p).Reasons(1, []float32{1, 1, 1}, []float32{1, -1, 1})
	if len(list) != 3 || list[0].Query != 1 || list[2].Query != 2 || list[0].Weight <= list[1].Weight || list[2].Weight >= 0 {
		t.Errorf("reasons for row 1 are %v; want b=no first, and c=yes last and against", list)
	}
}

// The row that is none of these has no answers of its own: a query's gain is about the rows of the table, as if it were not
// there.
func TestGainWithoutOther(t *testing.T) {
	r := rng.New(8).Rand()
	p := shared(6, 5, r)
	with := *p
	with.Seek = &game.Shares{Yes: append([]float64(nil), p.Seek.(*game.Shares).Yes...), Other: true}
	for range 6 {
		with.Seek.(*game.Shares).Yes = append(with.Seek.(*game.Shares).Yes, .5)
	}
	for _, w := range p.Seek.(*game.Shares).Weight {
		with.Seek.(*game.Shares).Weight = append(with.Seek.(*game.Shares).Weight, .7*w)
	}
	with.Seek.(*game.Shares).Weight = append(with.Seek.(*game.Shares).Weight, .3)
	with.Names = append(with.Names, "other")
	with.Grade()
	n, s := []float32{1, 1, 0, 0, 1, 0}, []float32{1, -1, 0, 0, .5, 0}
	gain := func(p *game.Problem) []float64 {
		var b posterior.Belief
		posterior.NewRows(p).Believe(&b, n, s, nil)
		dst := make([]float64, 6)
		b.Gain(dst)
		return dst
	}
	want, got := gain(p), gain(&with)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-6 || want[i] < 1e-6 {
			t.Errorf("query %d gains %v with the row, %v without", i, got[i], want[i])
		}
	}
}
