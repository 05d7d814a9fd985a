package main

import (
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/policy/nn"
	"mapo/record"
	"mapo/rng"
)

// policyFile is "policy TABLE.csv BUDGET FILE [DONT-KNOW]": it writes an untrained
// policy on a table, of the kind mapo train writes, with a level made up.
func policyFile(ts *testscript.TestScript, _ bool, args []string) {
	table, err := dataset.ReadTable(ts.MkAbs(args[0]), "")
	ts.Check(err)
	budget, err := strconv.Atoi(args[1])
	ts.Check(err)
	p, _, _, err := dataset.Majorities(table, dataset.Options{T: budget, AskOnce: true})
	ts.Check(err)
	c := nn.Contract{
		Name: "mapo", Problem: p, Loss: game.BestIdentification.String(), Rule: "made for a test",
		Levels: []nn.Level{{Worst: record.Worst{Level: 8, Estimate: record.Estimate{Mean: .25, Lo: .24, Hi: .26, Games: 10000}}, Benchmark: .2}},
	}
	if len(args) > 3 {
		c.DontKnow = args[3]
	}
	ts.Check(nn.WriteFile(ts.MkAbs(args[2]), nn.NewMLP(p, []int{16}, rng.New(1)), c))
}
