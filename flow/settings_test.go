package flow

import (
	"reflect"
	"testing"

	"mapo/train"
)

// What one kind of training takes changes no other's settings, and so none's key.
func TestSettings(t *testing.T) {
	c := train.Config{Algorithm: "oracle", Start: "unasked", Optimizer: "soap", Regret: 1, Tilde: 2, Pi: 3, Follow: 4, PiHat: 5, Thorough: 6, Hedge: 7, Magnet: .3, Soften: .8}
	warm := new(Policy)
	for _, test := range []struct {
		name  string
		o     objective
		alone bool
		want  train.Config
	}{
		{"π_k", objective{}, false, train.Config{Algorithm: "oracle", Start: "unasked", Optimizer: "soap", Regret: 1, Tilde: 2, Pi: 3, Magnet: .3, Soften: .8}},
		{"π_k from another", objective{warm: warm}, false, train.Config{Algorithm: "oracle", Start: "unasked", Optimizer: "soap", Regret: 1, Tilde: 2, Pi: 4, Magnet: .3, Soften: .8}},
		{"π_1 of one level", objective{}, true, train.Config{Algorithm: "oracle", Start: "unasked", Optimizer: "soap", Regret: 1, Tilde: 2, Pi: 3, Thorough: 6, Magnet: .3, Soften: .8}},
		{"π̂", objective{warm: warm, b: []float64{0, 0}}, false, train.Config{Algorithm: "oracle", Start: "unasked", Optimizer: "soap", PiHat: 5, Thorough: 6, Hedge: 7, Magnet: .3, Soften: .8}},
		{"Bayes-LAL", objective{bayes: true}, false, train.Config{Algorithm: "oracle", Start: "uniform", Optimizer: "adam", Regret: 1, Tilde: 2, Pi: 3, Soften: 1}},
		{"Bayes-LAL of one level", objective{bayes: true}, true, train.Config{Algorithm: "oracle", Start: "uniform", Optimizer: "adam", Regret: 1, Tilde: 2, Pi: 3, Soften: 1}},
	} {
		if got := test.o.settings(c, test.alone); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}
