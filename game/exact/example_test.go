package exact_test

import (
	"context"
	"fmt"
	"log"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
)

// Bracket the least worst case that any policy can have on a tiny problem.
func ExampleCertify() {
	p := check.Thresholds(3, 5)
	thetas := exact.Grid(p, game.RhoTilde(p), []float64{-1, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1}, 8)
	b, err := exact.Certify(context.Background(), p, thetas, exact.Options{Loss: game.BestIdentification, Width: 0.002})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d instances; the bracket is narrower than 0.002: %t, and holds 0.274: %t\n", len(thetas), b.Hi-b.Lo <= 0.002, b.Lo <= 0.274 && 0.274 <= b.Hi+0.002)
	// Output: 168 instances; the bracket is narrower than 0.002: true, and holds 0.274: true
}
