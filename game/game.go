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
// coordinate i of θ, and answers have mean ⟨e_i, θ⟩ = θ_i. They are ±1 unless [Answers] says otherwise.
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
	// Shares, where not nil, are the hypotheses as a table's rows grade them. [Problem.Grade] makes Z, Offset and Majority
	// of them.
	Shares   *Shares
	Offset   []float32 `json:",omitzero"` // what is added to a score whatever θ is, [|Z|]; nil: 0
	Majority []float32 `json:",omitzero"` // the answer that each hypothesis expects, 0 or 1, or ½ for neither, [|Z|, |X|]; nil: Z
	// Anchors are an easy instance of each hypothesis, one a row of [|Z|, |X|], from which its other instances can be
	// reached on a straight line; nil: 2z − 1. See difficulty.Anchors.
	Anchors []float32 `json:",omitzero"`
	// Difficulty is what 𝒞 the levels are by, by its name in package difficulty; "": ρ̃.
	Difficulty string  `json:",omitzero"`
	Answers    Answers `json:",omitzero"` // what answers are like; zero: ±1
	// Labels, where not nil, say that queries are items of a pool and hypotheses classifiers. Z is then what each answer counts
	// for, and Majority is set.
	Labels *Labels `json:",omitzero"`
	// Vectors, where not nil, say that queries are vectors x and answers have mean ⟨x, θ⟩. [Problem.Fold] makes Z and Majority.
	Vectors *Vectors `json:",omitzero"`
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
	if p.Majority == nil {
		return p.Row(k)
	}
	d := len(p.X)
	return p.Majority[k*d : (k+1)*d : (k+1)*d]
}

// Bits returns the answers that all hypotheses expect, ½ taken for 0, [|Z|, |X|]. It must not be written to.
func (p *Problem) Bits() []float32 {
	if p.Majority == nil {
		return p.Z
	}
	bits := slices.Clone(p.Majority)
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

// IsArms reports whether p is best-arm identification: hypothesis k is query k alone.
func (p *Problem) IsArms() bool {
	d := p.Queries()
	if p.Hypotheses() != d || p.Shares != nil || p.Offset != nil || p.Labels != nil || p.Vectors != nil {
		return false
	}
	for at, z := range p.Z {
		if (z == 1) != (at/d == at%d) {
			return false
		}
	}
	return true
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
	if a := p.Answers; a != (Answers{}) && !(a.Sigma > 0 && a.Bound > 0) || a.Gaussian() && (p.Shares != nil || p.AskOnce) {
		return fmt.Errorf("answers have standard deviation %v and bound %v; both must be above 0, for hypotheses of 0 and 1 and queries that repeat", a.Sigma, a.Bound)
	}
	if p.Shares != nil {
		if p.Labels != nil || p.Vectors != nil {
			return errors.New("a problem of rows has neither labels nor vectors")
		}
		if err := p.Shares.check(d, n); err != nil {
			return err
		}
		return p.checkGraded()
	}
	if p.Vectors != nil {
		if p.Labels != nil || p.Offset != nil {
			return errors.New("a problem of vectors has neither labels nor offsets")
		}
		return p.Vectors.check(p)
	}
	if p.Labels != nil {
		return p.checkLabels()
	}
	seen := make(map[string]int, n)
	row := make([]byte, d)
	for k := range n {
		for i, v := range p.Row(k) {
			if v != 0 && v != 1 {
				return fmt.Errorf("hypothesis %q has the entry %v at query %q; it must be 0 or 1", p.Names[k], v, p.X[i])
			}
			row[i] = byte(v)
		}
		if j, ok := seen[string(row)]; ok {
			return fmt.Errorf("hypotheses %q and %q are the same", p.Names[j], p.Names[k])
		}
		seen[string(row)] = k
	}
	return nil
}

// checkGraded reports the first reason why a problem with shares is not as [Problem.Grade] makes it.
func (p *Problem) checkGraded() error {
	d, n := p.Queries(), p.Hypotheses()
	if len(p.Offset) != n || len(p.Majority) != d*n || p.Anchors != nil && len(p.Anchors) != d*n {
		return fmt.Errorf("the problem has shares, %d offsets and %d majorities; %d and %d×%d are needed", len(p.Offset), len(p.Majority), n, n, d)
	}
	for at, yes := range p.Shares.Yes {
		if p.Z[at] != float32(2*yes-1) {
			return fmt.Errorf("hypothesis %q is worth %v at query %q; by its share %v it must be %v", p.Names[at/d], p.Z[at], p.X[at%d], yes, float32(2*yes-1))
		}
	}
	return nil
}

// Policy is π: it gives, for every state of a batch, the distribution over the
// queries from which the next one is drawn. It is a pure function of the
// states, row by row: no memory, and a batch's rows equal the single rows.
type Policy interface {
	// Probs writes π(s) to dst, [B,|X|], one row a state; a row sums to 1 and is
	// 0 where s.Mask is true. It may be called concurrently.
	Probs(dst []float32, s States)
}
