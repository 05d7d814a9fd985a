package judge_test

import (
	"fmt"

	"mapo/judge"
	"mapo/record"
)

// A policy's gap is what it loses above the least worst case of any policy at the same level.
func ExampleGaps() {
	at := func(mean float64) record.Worst {
		return record.Worst{Level: 8, Estimate: record.Estimate{Mean: mean, Lo: mean - 0.01, Hi: mean + 0.01}}
	}
	for _, gap := range judge.Gaps([]judge.Curve{{Policy: "mapo", Worst: []record.Worst{at(0.25)}}, {Policy: "uniform", Worst: []record.Worst{at(0.40)}}}) {
		fmt.Printf("%.2f\n", gap[0].Mean)
	}
	// Output:
	// 0.00
	// 0.15
}
