package dataset

import (
	"fmt"
	"math"
	"strconv"

	"mapo/rng"
)

// Pool says what pool of items and models to draw. Its models share errors: with the item's difficulty u and a noise e of each
// model's own, both normal, a model is wrong where √ρ·u + √(1−ρ)·e exceeds the quantile of its accuracy. A wrong model
// predicts the item's own wrong class with probability ρ, else any wrong class.
type Pool struct {
	Items, Models, Classes int
	Correlation            float64 // ρ, from 0 to 1
	Low, High              float64 // accuracies are drawn evenly from here
	Seed                   uint64
}

// check reports the first number that cannot be.
func (o Pool) check() error {
	switch {
	case o.Items < 1 || o.Models < 2 || o.Items > MaxCells/o.Models:
		return fmt.Errorf("%d items and %d models; there must be at least 1 and 2, and at most %d predictions", o.Items, o.Models, MaxCells)
	case o.Classes < 2 || o.Classes > mostClasses:
		return fmt.Errorf("%d classes; there must be from 2 to %d", o.Classes, mostClasses)
	case !(o.Correlation >= 0 && o.Correlation <= 1):
		return fmt.Errorf("correlation %g; it must be from 0 to 1", o.Correlation)
	case !(o.Low > 0 && o.Low <= o.High && o.High < 1):
		return fmt.Errorf("accuracies from %g to %g; they must be above 0 and below 1, the lower one first", o.Low, o.High)
	}
	return nil
}

// Generate draws a pool and the true class of each item.
func (o Pool) Generate() (t *Predictions, truth []int32, err error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	t = &Predictions{Name: "pool", Items: numberedItems(o.Items), Of: make([]int32, o.Items*o.Models)}
	for c := range o.Classes {
		name := string(rune('A' + c))
		if o.Classes > 26 {
			name = strconv.Itoa(c)
		}
		t.Classes = append(t.Classes, name)
	}
	key := rng.New(o.Seed).Name("pool")
	r := key.Name("models").Rand()
	limits := make([]float64, o.Models)
	for m := range limits {
		t.Models = append(t.Models, "model "+strconv.Itoa(m+1))
		limits[m] = math.Sqrt2 * math.Erfinv(2*(o.Low+(o.High-o.Low)*r.Float64())-1)
	}
	r = key.Name("items").Rand()
	shared, own := math.Sqrt(o.Correlation), math.Sqrt(1-o.Correlation)
	truth = make([]int32, o.Items)
	for i := range truth {
		right := r.IntN(o.Classes)
		wrong, hard := r.IntN(o.Classes-1), r.NormFloat64()
		truth[i] = int32(right)
		row := t.Row(i)
		for m, limit := range limits {
			row[m] = int32(right)
			if shared*hard+own*r.NormFloat64() <= limit {
				continue
			}
			other := wrong
			if r.Float64() >= o.Correlation {
				other = r.IntN(o.Classes - 1)
			}
			if other >= right {
				other++
			}
			row[m] = int32(other)
		}
	}
	return t, truth, nil
}
