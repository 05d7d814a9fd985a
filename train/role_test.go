package train

import (
	"reflect"
	"testing"
)

// What one kind of training takes changes no other's configuration, and so none's key.
func TestRoles(t *testing.T) {
	type config = Config
	for _, test := range []struct {
		name    string
		role    Role
		c, want config
	}{
		{"π_k", Role{}, config{Oracle: oracleOf(4, 6, 7, .3, .8), Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Oracle: oracleOf(0, 0, 0, .3, .8), Optimizer: "soap", Pi: 3}},
		{"π_k from another", Role{Follows: true}, config{Oracle: oracleOf(4, 6, 7, .3, .8), Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Oracle: oracleOf(0, 0, 0, .3, .8), Optimizer: "soap", Pi: 4}},
		{"π_1 of one level", Role{Alone: true}, config{Oracle: oracleOf(4, 6, 7, .3, .8), Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Oracle: oracleOf(0, 6, 0, .3, .8), Optimizer: "soap", Pi: 3}},
		{"π̂", Role{PiHat: true, Follows: true}, config{Oracle: oracleOf(4, 6, 7, .3, .8), Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Oracle: oracleOf(0, 6, 7, .3, .8), Optimizer: "soap", PiHat: 5}},
		{"Bayes-LAL", Role{Bayes: true}, config{Oracle: oracleOf(4, 6, 7, .3, .8), Structured: leaning("unasked"), Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Oracle: oracleOf(0, 0, 0, 0, 1), Structured: leaning("uniform"), Optimizer: "adam", Pi: 3}},
		{"Bayes-LAL of one level", Role{Bayes: true, Alone: true}, config{Oracle: oracleOf(4, 6, 7, .3, .8), Structured: leaning("rivals"), Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Oracle: oracleOf(0, 0, 0, 0, 1), Structured: leaning("rivals"), Optimizer: "adam", Pi: 3}},
		{"the paper's π_k", Role{}, config{Paper: &Paper{Regret: 1, Tilde: 2}, Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Paper: &Paper{Regret: 1, Tilde: 2}, Optimizer: "soap", Pi: 3}},
		{"the paper's π̂", Role{PiHat: true}, config{Paper: &Paper{Regret: 1, Tilde: 2}, Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Paper: &Paper{}, Optimizer: "soap", PiHat: 5}},
		{"the paper's Bayes-LAL", Role{Bayes: true}, config{Paper: &Paper{Regret: 1, Tilde: 2}, Optimizer: "soap", Pi: 3, PiHat: 5},
			config{Paper: &Paper{Regret: 1, Tilde: 2}, Optimizer: "soap", Pi: 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.c.Structured == nil {
				test.c.MLP, test.want.MLP = new(MLP), new(MLP)
			}
			was := test.c.Clone()
			if got := test.c.Of(test.role); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%+v %+v, want %+v %+v", got, got.Oracle, test.want, test.want.Oracle)
			}
			if !reflect.DeepEqual(test.c, was) {
				t.Error("the plan's own configuration is changed")
			}
		})
	}
}

func oracleOf(follow, thorough, hedge int, magnet, soften float64) *Oracle {
	return &Oracle{Follow: follow, Thorough: thorough, Hedge: hedge, Magnet: magnet, Soften: soften}
}

func leaning(start string) *Structured { return &Structured{Start: start} }
