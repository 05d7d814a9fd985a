package sim

import (
	"fmt"

	"mapo/game"
	"mapo/internal/num"
)

// ControlVariate computes, while a block is played, a control variate for each game's loss (AIVAT: Burch, Schmid, Moravčík,
// Morrill and Bowling 2018). Two numbers predict what a game of instance θ will lose from a state of t answers: u, the loss of
// a least-squares decision there, and v, how far z_*(θ) leads in the scores, squashed into (−1, 1). For identification the
// hypothesis that θ was drawn with takes the place of z_*(θ):
//
//	f_t = a_t·u + b_t·v
//
// The variate of a step is f_t+1 as it came, less its expectation over the query that π draws and the answer that θ draws.
// Its mean is 0 whatever the lines a, b are. A game that is over has no more steps, and they add nothing. So the loss less the variates of all steps has the mean of the loss, and with
// good lines it varies much less.
//
// A Gaussian answer is drawn from a number in [0, 1). Given where in its [strata] part of that the number lies, the part
// is any of them alike, and the expectation is the mean over all: so it is a sum, too.
//
// Only queries of probability [likely] are looked at. f's expectation is over those where one of them was drawn, and else
// over the answer alone.
//
// P, Loss and Lines are to be set, and may change between blocks but for P. The rest is
// scratch of one worker's. A step costs, besides the scores, O(|Z|) a state and some 20
// operations for each of its likely queries and each game.
type ControlVariate struct {
	P     *game.Problem
	Loss  game.Loss
	Lines Lines
	Steps *Steps // where not nil, kept for training

	Of []float64 // of every game, the sum over its steps, in the loss's units, [G]

	known []known   // what each instance says of hypotheses, [M]
	cost  []float64 // theirs, [M, |Z|]
	in    game.Instance
	outlook
	scores      []float32 // of a step's states by least squares, [U, |Z|]
	best        []int     // the best hypothesis of each, its score and the next one's, [U]
	top, second []float32
	forks       []fork    // the likely queries of all states
	from        []int32   // where each state's begin, [U+1]
	worth       []float64 // Q(x) of a state's forks, to a game
	probs       []float32 // π of the step's states, [U, |X|]
}

// Lines are a_t and b_t, [T+1]. Where least squares decide, u is a finished game's loss: the last are 1 and 0. Any other
// decision has a last line of its own.
type Lines [][2]float64

// NoLines foretell nothing before the end.
func NoLines(p *game.Problem) Lines {
	lines := make(Lines, p.T+1)
	lines[p.T] = [2]float64{1, 0}
	return lines
}

// Steps is what training needs of every step. With R the loss less the variates of later
// steps, an estimate of Eq. 11's factor of ∇ log π at step t is what Q(x) − V, known for
// all x without drawing, leaves of it:
//
//	Σ_x π(x)·(Q(x) − V)·∇ log π(x) + (R − After)·∇ log π(x_t)
type Steps struct {
	Weight  []float64   // what a game of each instance counts for in Pull, [M]; given
	U, V    []float64   // the two numbers in the states of t answers, 0 for t = 0, [T+1, G]
	Variate []float64   // [T, G]
	After   []float64   // f_t+1 as it came; of a query that is not likely V and the answer's variate, [T, G]
	Pull    [][]float32 // Σ over the games in a state of Weight·π(x)·(Q(x) − V), [T][U, |X|]

	length []int32 // how many answers each game has, [G], the block's; nil: all
}

// lacks reports whether game g ended before it had t answers.
func (s *Steps) lacks(g, t int) bool { return s.length != nil && int(s.length[g]) < t }

// likely is the least probability of a query that is looked at. Half of it leaves 5 % less
// variance and takes a third longer a step, twice it leaves 13 % more and takes 8 % less.
const likely = 1. / 64

// begin prepares for a block that is about to be played.
func (l *ControlVariate) begin(b *Block) {
	p, n, games := b.P, b.P.Hypotheses(), b.Games()
	if l.P != p || len(l.Lines) != p.T+1 {
		panic(fmt.Sprintf("sim: a control variate of another problem, or with %d lines for a budget of %d", len(l.Lines), p.T))
	}
	if l.outlook == nil {
		l.outlook = newOutlook(p)
	}
	m := games / b.L
	l.Of = zeroed(l.Of, games)
	l.known, l.cost = num.Sized(l.known, m), num.Sized(l.cost, m*n)
	for i := range m {
		b.fill(&l.in, i)
		l.known[i].of(l.Loss, &l.in, l.cost[i*n:(i+1)*n])
	}
	if s := l.Steps; s != nil {
		s.begin(p.T, b.Length)
	}
}

func (s *Steps) begin(steps int, length []int32) {
	games := len(length)
	s.length = length
	s.U, s.V = num.Sized(s.U, (steps+1)*games), num.Sized(s.V, (steps+1)*games)
	clear(s.U[:games])
	clear(s.V[:games])
	s.Variate, s.After = num.Sized(s.Variate, steps*games), num.Sized(s.After, steps*games)
	if len(s.Pull) != steps {
		s.Pull = make([][]float32, steps)
	}
	for t := range s.Pull {
		s.Pull[t] = s.Pull[t][:0]
	}
}

// skip notes that game g is over at step t: it stays in its last state, and chance gives it nothing.
func (s *Steps) skip(t, g, games int) {
	at := t*games + g
	s.Variate[at], s.After[at] = 0, 0
	if t > 0 {
		s.After[at] = s.After[at-games]
	}
	s.U[at+games], s.V[at+games] = s.U[at], s.V[at]
}

// foresee looks at step t's states and at the queries that probs makes likely there.
func (l *ControlVariate) foresee(t int, probs []float32, s game.States) {
	d, n := l.P.Queries(), l.P.Hypotheses()
	states := s.Len(d)
	l.scores = num.Sized(l.scores, states*n)
	l.score(l.scores, s)
	l.best, l.top, l.second = num.Sized(l.best, states), num.Sized(l.top, states), num.Sized(l.second, states)
	num.Largest(l.best, l.top, l.second, l.scores, states, n)
	l.forks, l.from = l.forks[:0], append(l.from[:0], 0)
	l.back(0)
	l.probs = probs
	asks := l.P.Questions()
	for u := range states {
		l.rank(u, l.scores[u*n:(u+1)*n], l.second[u])
		first, sum := len(l.forks), float32(0)
		for c := range asks.Len() {
			lo, hi := asks.Columns(c)
			p := probs[u*d+lo]
			for _, more := range probs[u*d+lo+1 : u*d+hi] {
				p += more
			}
			if p >= likely {
				f := l.fork(lo, s.N[u*d+lo], s.S[u*d+lo], l.scores[u*n:(u+1)*n])
				f.prob = p
				l.forks = append(l.forks, f)
				sum += p
			}
		}
		for i := range l.forks[first:] {
			f := &l.forks[first+i]
			f.share = float64(f.prob / sum)
		}
		l.from = append(l.from, int32(len(l.forks)))
	}
	if l.Steps != nil {
		l.Steps.Pull[t] = zeroed(l.Steps.Pull[t], states*d)
	}
}

// settle takes in what game g, of instance m, has met in step t's state u.
func (l *ControlVariate) settle(b *Block, t, g int, s game.States) {
	d, n, games := l.P.Queries(), l.P.Hypotheses(), b.Games()
	m, u, at := g/b.L, int(b.Row[t*games+g]), t*games+g
	query, theta := int(b.Asked[at]), b.Theta[m*d:][:d]
	score := l.scores[u*n : (u+1)*n]
	w := &view{&l.known[m], l.cost[m*n : (m+1)*n], score, l.Lines[t+1]}
	drew := answer{b.Quantile[at], b.Came[at], theta}
	query, _ = l.P.Together(query)
	forks := l.forks[l.from[u]:l.from[u+1]]
	l.worth = l.worth[:0]
	var value float64 // V
	var came foretold // of the query drawn, where it is likely
	drawn := false
	for i := range forks {
		f := &forks[i]
		q, own := l.met(f, theta[f.query], drew, w)
		l.worth = append(l.worth, q)
		value += f.share * q
		if f.query == query {
			drawn, came = true, own
		}
	}
	after := came.f
	if !drawn {
		l.rank(u, score, l.second[u])
		ties := l.mark()
		f := l.fork(query, s.N[u*d+query], s.S[u*d+query], score)
		var mean float64
		mean, came = l.met(&f, theta[query], drew, w)
		l.back(ties)
		after = value + came.f - mean
	}
	l.Of[g] += after - value
	if s := l.Steps; s != nil {
		s.Variate[at], s.After[at] = after-value, after
		s.U[at+games], s.V[at+games] = came.u, came.v
		pull := s.Pull[t][u*d : (u+1)*d]
		for j, q := range l.worth {
			lo, hi := l.P.Together(forks[j].query)
			for i := lo; i < hi; i++ {
				pull[i] += float32(s.Weight[m] * float64(l.probs[u*d+i]) * (q - value))
			}
		}
	}
}

// Moments are Σ of the products uu, uv, vv, uy and vy of [ControlVariate]'s two numbers and the loss y, each
// less its mean over its instance's games.
type Moments [5]float64

// Take adds an instance's games, from the first-th of a block of so many on, in the states of t
// answers; y are their losses, [L]. Games that ended with fewer answers are left out.
func (m *Moments) Take(s *Steps, t, games, first int, y []float64) {
	u, v := s.U[t*games+first:][:len(y)], s.V[t*games+first:][:len(y)]
	var mean [3]float64
	count := 0
	for j := range y {
		if s.lacks(first+j, t) {
			continue
		}
		count++
		mean[0], mean[1], mean[2] = mean[0]+u[j], mean[1]+v[j], mean[2]+y[j]
	}
	for i := range mean {
		mean[i] /= float64(count)
	}
	for j := range y {
		if s.lacks(first+j, t) {
			continue
		}
		du, dv, dy := u[j]-mean[0], v[j]-mean[1], y[j]-mean[2]
		m[0], m[1], m[2], m[3], m[4] = m[0]+du*du, m[1]+du*dv, m[2]+dv*dv, m[3]+du*dy, m[4]+dv*dy
	}
}

// Line returns a and b of the least-squares line y ≈ a·u + b·v, a little short of it where u and v say nearly the same, and
// 0 where nothing is known.
func (m *Moments) Line() (ab [2]float64) {
	uu, vv := m[0]*1.001+1e-12, m[2]*1.001+1e-12
	det := uu*vv - m[1]*m[1]
	if det <= 0 {
		return ab
	}
	return [2]float64{(m[3]*vv - m[4]*m[1]) / det, (m[4]*uu - m[3]*m[1]) / det}
}
