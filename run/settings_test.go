package run

import (
	"reflect"
	"testing"

	"mapo/train"
)

// What one kind of training takes changes no other's settings, and so none's key.
func TestSettings(t *testing.T) {
	ladder, warm := []float64{0, 0}, new(Policy)
	type config = train.Config
	for _, test := range []struct {
		name    string
		o       objective
		alone   bool
		c, want config
	}{
		{"π_k", objective{}, false, config{Oracle: oracleOf(4, 6, 7, .3, .8), Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Oracle: oracleOf(0, 0, 0, .3, .8), Optimizer: "soap", Pi: 3}},
		{"π_k from another", objective{warm: warm}, false, config{Oracle: oracleOf(4, 6, 7, .3, .8), Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Oracle: oracleOf(0, 0, 0, .3, .8), Optimizer: "soap", Pi: 4}},
		{"π_1 of one level", objective{}, true, config{Oracle: oracleOf(4, 6, 7, .3, .8), Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Oracle: oracleOf(0, 6, 0, .3, .8), Optimizer: "soap", Pi: 3}},
		{"π̂", objective{warm: warm, b: ladder}, false, config{Oracle: oracleOf(4, 6, 7, .3, .8), Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Oracle: oracleOf(0, 6, 7, .3, .8), Optimizer: "soap", PiHat: 5}},
		{"Bayes-LAL", objective{bayes: true}, false, config{Oracle: oracleOf(4, 6, 7, .3, .8), Structured: leaning("unasked"), Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Oracle: oracleOf(0, 0, 0, 0, 1), Structured: leaning("uniform"), Optimizer: "adam", Pi: 3}},
		{"Bayes-LAL of one level", objective{bayes: true}, true, config{Oracle: oracleOf(4, 6, 7, .3, .8), Structured: leaning("rivals"), Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Oracle: oracleOf(0, 0, 0, 0, 1), Structured: leaning("rivals"), Optimizer: "adam", Pi: 3}},
		{"the paper's π_k", objective{}, false, config{Paper: &train.Paper{Regret: 1, Tilde: 2}, Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Paper: &train.Paper{Regret: 1, Tilde: 2}, Optimizer: "soap", Pi: 3}},
		{"the paper's π̂", objective{b: ladder}, false, config{Paper: &train.Paper{Regret: 1, Tilde: 2}, Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Paper: &train.Paper{}, Optimizer: "soap", PiHat: 5}},
		{"the paper's Bayes-LAL", objective{bayes: true}, false, config{Paper: &train.Paper{Regret: 1, Tilde: 2}, Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Paper: &train.Paper{Regret: 1, Tilde: 2}, Optimizer: "soap", Pi: 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			was := test.c.Clone()
			if got := test.o.settings(test.c, test.alone); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%+v %+v, want %+v %+v", got, got.Oracle, test.want, test.want.Oracle)
			}
			if !reflect.DeepEqual(test.c, was) {
				t.Error("the plan's own configuration is changed")
			}
		})
	}
}

func oracleOf(follow, thorough, hedge int, magnet, soften float64) *train.Oracle {
	return &train.Oracle{Follow: follow, Thorough: thorough, Hedge: hedge, Magnet: magnet, Soften: soften}
}

func leaning(start string) *train.Structured { return &train.Structured{Start: start} }
