package plan_test

import (
	"context"
	"fmt"
	"log"

	"mapo/run/plan"
	"mapo/spec"
)

// Make the plan that a spec stands for.
func ExamplePlanOf() {
	s, err := spec.Parse("thresholds.yaml", []byte("problem: {thresholds: {d: 5}}\nbudget: 5\nlevels: [8, 32]\n"), spec.Override{Scale: "smoke"})
	if err != nil {
		log.Fatal(err)
	}
	p, err := plan.PlanOf(context.Background(), s, plan.Options{Alone: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Name, p.Levels, p.Train.Pi, "iterations")
	// Output: thresholds [8 32] 120 iterations
}
