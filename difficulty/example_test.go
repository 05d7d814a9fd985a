package difficulty_test

import (
	"fmt"
	"log"

	"mapo/difficulty"
	"mapo/internal/check"
)

// The difficulty ρ_* of an instance, and the design that reaches it: how often each query is best asked.
func ExampleStar() {
	p := check.BestArm(2, 4)
	rho, design, gap, err := difficulty.Star(p, []float64{1, -1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f, design %.2f, within 0.001: %t\n", rho, design, gap <= difficulty.Gap)
	// Output: 1.00, design [0.50 0.50], within 0.001: true
}
