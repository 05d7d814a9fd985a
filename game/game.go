package game

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problem is a game to be learned: the queries 𝒳, the hypotheses 𝒵 and the
// budget T. Queries are the standard basis, 𝒳 = {e_1 … e_d}, unless [Vectors] says otherwise: query i reads
// coordinate i of θ, and answers have mean ⟨e_i, θ⟩ = θ_i. They are ±1 unless Reply says otherwise.
//
// A Problem is read-only once made and may be shared.
type Problem struct {
	Name    string    // a short name for folders and titles
	X       []string  // texts of the queries, [|X|]
	Names   []string  // texts of the hypotheses, [|Z|]
	Z       []float32 // what each hypothesis is worth per query, [|Z|, |X|]: its score is ⟨z, θ⟩ + Offset
	T       int       // the budget: answers a game has
	AskOnce bool      // no query may be repeated in a game (people answer the same way twice)
	// Known are known instances, mean answers θ_i in [−1, 1], one a row of [any, |X|]; nil: none.
	// Policies may reckon with them, nothing else does.
	Known []float32
	// Difficulty is what 𝒞 the levels are by, by its name in package difficulty; "": ρ̃.
	Difficulty string
	Seek       Goal   // what is recommended and what that costs; nil: [Majorities], or [Arms] where hypothesis k is query k alone
	Reply      Answer // what answers are like; nil: those of the goal, of most yes and no

	made made
}

// made is what a goal makes of its own data, so that all games read it alike.
type made struct {
	offset []float32 // what is added to a score whatever θ is, [|Z|]; nil: 0
	says   []float32 // the answer that each hypothesis expects, 0 or 1, or ½ for neither, [|Z|, |X|]; nil: Z
	easy   []float32 // see [Problem.Easy]; nil: not known, or where a hypothesis is always right
}

// MostKnown is the most numbers that a problem keeps of its table as known instances.
const MostKnown = 1 << 20

// Queries returns |𝒳|, which is also d.
func (p *Problem) Queries() int { return len(p.X) }

// Hypotheses returns |𝒵|.
func (p *Problem) Hypotheses() int { return len(p.Names) }

// Row returns what hypothesis k is worth per query, z, [|X|]. It aliases Z.
func (p *Problem) Row(k int) []float32 {
	d := len(p.X)
	return p.Z[k*d : (k+1)*d : (k+1)*d]
}

// Says returns the answers that hypothesis k expects, 0 or 1 each, or ½ for neither, [|X|]. It must not be written to.
func (p *Problem) Says(k int) []float32 {
	if p.made.says == nil {
		return p.Row(k)
	}
	d := len(p.X)
	return p.made.says[k*d : (k+1)*d : (k+1)*d]
}

// Bits returns the answers that all hypotheses expect, ½ taken for 0, [|Z|, |X|]. It must not be written to.
func (p *Problem) Bits() []float32 {
	if p.made.says == nil {
		return p.Z
	}
	bits := slices.Clone(p.made.says)
	for at, z := range bits {
		if z == 0.5 {
			bits[at] = 0
		}
	}
	return bits
}

// Digits returns the answers that hypothesis k expects as text, a 0 or a 1 for each query.
func (p *Problem) Digits(k int) string {
	row := bytes.Repeat([]byte{'0'}, p.Queries())
	for i, z := range p.Says(k) {
		if z > 0.5 {
			row[i] = '1'
		}
	}
	return string(row)
}

// Check reports the first reason why p is not a game: no budget, fewer than two
// hypotheses, two that are alike, an entry that is neither 0 nor 1, or more
// answers than queries where none may be repeated.
func (p *Problem) Check() error {
	d, n := p.Queries(), p.Hypotheses()
	switch {
	case d == 0:
		return errors.New("the problem has no queries")
	case n < 2:
		return fmt.Errorf("the problem has %d hypotheses; a game needs at least 2 that differ", n)
	case len(p.Z) != d*n:
		return fmt.Errorf("the problem has %d entries in 𝒵, want %d×%d", len(p.Z), n, d)
	case p.T < 1:
		return fmt.Errorf("budget is %d; it must be at least 1", p.T)
	case len(p.Known)%d != 0:
		return fmt.Errorf("the problem's known instances have %d entries, which is not a multiple of its %d queries", len(p.Known), d)
	case p.AskOnce && p.T > d:
		return fmt.Errorf("budget %d is above the %d queries, and ask-once forbids to repeat one: lower the budget or set ask-once: false", p.T, d)
	}
	for _, text := range slices.Concat([]string{p.Name}, p.X, p.Names) {
		if strings.ContainsRune(text, 0) {
			return fmt.Errorf("the text %q has a NUL character, which a database cannot keep: remove it", text)
		}
	}
	for j, theta := range p.Known {
		if !(theta >= -1 && theta <= 1) {
			return fmt.Errorf("known instance %d has %v at query %q; it must be from -1 to 1", j/d, theta, p.X[j%d])
		}
	}
	if err := p.Answer().Check(p); err != nil {
		return err
	}
	return p.Goal().Check(p)
}

// Policy is π: it gives, for every state of a batch, the distribution over the
// queries from which the next one is drawn. It is a pure function of the
// states, row by row: no memory, and a batch's rows equal the single rows.
type Policy interface {
	// Probs writes π(s) to dst, [B,|X|], one row a state; a row sums to 1 and is
	// 0 where s.Mask is true. It may be called concurrently.
	Probs(dst []float32, s States)
}
