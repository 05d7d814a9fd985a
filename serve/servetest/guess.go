package servetest

import (
	"testing"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/policy/rival"
	"mapo/serve/policies"
)

// RowsOf returns a policy without training over a table of rows, stopping at 0.9.
func RowsOf(t testing.TB, budget int, rows ...[]float64) *policies.Policy {
	t.Helper()
	raw := &table.Table{Name: "t.csv"}
	for k, row := range rows {
		raw.Objects, raw.Lines = append(raw.Objects, string(rune('A'+k))), append(raw.Lines, k+2)
		raw.P = append(raw.P, row...)
	}
	for i := range rows[0] {
		raw.Queries = append(raw.Queries, string(rune('p'+i))+"?")
	}
	p, _, err := dataset.Rows(raw, dataset.RowOptions{Options: dataset.Options{T: budget, AskOnce: true}})
	must(t, err)
	ask, err := rival.Parse(p, game.BestIdentification, "information:0.03")
	must(t, err)
	served, err := policies.Untrained("t", p, ask, policies.Rules{Stop: 0.9})
	must(t, err)
	return served
}

// four rows that two questions tell apart, and two questions more.
func FourRows() [][]float64 {
	return [][]float64{{1, 1, 1, 1}, {1, 0, 1, 0}, {0, 1, 0, 1}, {0, 0, 0, 0}}
}
