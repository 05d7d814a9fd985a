package flow

import (
	"reflect"
	"testing"

	"mapo/train"
)

// What one kind of training takes changes no other's settings, and so none's key.
func TestSettings(t *testing.T) {
	c := train.Config{Regret: 1, Tilde: 2, Pi: 3, Follow: 4, PiHat: 5, Thorough: 6, Hedge: 7}
	warm := new(Policy)
	for _, test := range []struct {
		name string
		o    objective
		want train.Config
	}{
		{"π_k", objective{}, train.Config{Regret: 1, Tilde: 2, Pi: 3}},
		{"π_k from another", objective{warm: warm}, train.Config{Regret: 1, Tilde: 2, Pi: 4}},
		{"π̂", objective{warm: warm, b: []float64{0, 0}}, train.Config{PiHat: 5, Thorough: 6, Hedge: 7}},
		{"Bayes-LAL", objective{bayes: true}, train.Config{Regret: 1, Tilde: 2, Pi: 3}},
	} {
		if got := test.o.settings(c); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}
