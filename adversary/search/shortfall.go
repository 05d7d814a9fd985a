package search

import (
	_ "embed"
	"encoding/json"
)

// Shortfall says what share of the exact worst case searches at desk effort find, on games that are small enough to be
// enumerated.
type Shortfall struct {
	Games  int                  // how many were played, each with both losses
	Mean   map[string]float64   // of the shares, by kind of policy: trained or uniform
	Least  map[string]float64   // likewise
	Shares map[string][]float64 // by game, loss and kind; one share a level
}

//go:embed shortfall.json
var shortfall []byte

// Measured returns the recorded measurement, which TestShortfall makes and guards.
func Measured() (s Shortfall) {
	if err := json.Unmarshal(shortfall, &s); err != nil {
		panic(err) // it is embedded
	}
	return s
}
