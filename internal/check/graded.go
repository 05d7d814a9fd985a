package check

import (
	"encoding/csv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"mapo/game"
)

// Graded returns a problem with n hypotheses of random shares, of which a quarter are 0, 1 or ½, with equal weights.
func Graded(d, n, budget int, r *rand.Rand) *game.Problem {
	p := problem("graded", d, n, budget, func(int, int) bool { return false })
	p.Seek = &game.Shares{Yes: make([]float64, n*d), Weight: make([]float64, n)}
	for at := range p.Seek.(*game.Shares).Yes {
		yes := r.Float64()
		if r.IntN(4) == 0 {
			yes = float64(r.IntN(3)) / 2
		}
		p.Seek.(*game.Shares).Yes[at] = yes
	}
	for k := range n {
		p.Seek.(*game.Shares).Weight[k] = 1 / float64(n)
	}
	return p.Grade()
}

// GradedFile returns the graded problem of a table of shares, a row a hypothesis, that needs no care: no weights, nothing missing,
// no two rows alike.
func GradedFile(t testing.TB, path string, budget int) *game.Problem {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	p := &game.Problem{Name: path, T: budget, AskOnce: true, X: rows[0][1:], Seek: new(game.Shares)}
	for _, row := range rows[1:] {
		p.Names = append(p.Names, row[0])
		for _, cell := range row[1:] {
			yes, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			p.Seek.(*game.Shares).Yes = append(p.Seek.(*game.Shares).Yes, yes)
		}
	}
	for range p.Names {
		p.Seek.(*game.Shares).Weight = append(p.Seek.(*game.Shares).Weight, 1/float64(len(p.Names)))
	}
	return p.Grade()
}
