package rival

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/decision"
)

func TestParse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	bits, rows := thresholds(3, 2), table(4, 3, 2, 0, r)
	identify, regret := game.BestIdentification, game.SimpleRegret
	for _, c := range []struct {
		p          *game.Problem
		loss       game.Loss
		name, want string
		decides    bool // by another rule than least squares
	}{
		{bits, identify, "uniform", "uniform", false}, {bits, regret, "uncertainty", "uncertainty", false}, {bits, identify, "sgbs:.10", "sgbs:0.1", false},
		{bits, identify, "sgbs:0.3+least-squares", "sgbs:0.3", false}, {bits, identify, "gain:1.50", "gain:1.5", false},
		{bits, identify, "instant:.70", "instant:0.7", false}, {bits, identify, "instant:0", "instant:0", false}, {rows, identify, "instant", "instant:0.7", false},
		{bits, identify, "uniform+posterior", "uniform+posterior", true}, {bits, regret, "gain:2+posterior", "gain:2+posterior", true},
		{knowing(thresholds(3, 2), 2, r), identify, "information", "information", false},
		{rows, identify, "uncertainty", "uncertainty", false}, {rows, identify, "instant:0.7+posterior", "instant:0.7+posterior", true},
		{rows, identify, "information:.03", "information:0.03", true}, {rows, identify, "information:0.03+posterior", "information:0.03", true},
		{rows, regret, "information:0.03", "information:0.03", true}, {rows, identify, "information:1+least-squares", "information:1+least-squares", true},
	} {
		policy, err := Parse(c.p, c.loss, c.name)
		if err != nil || fmt.Sprint(policy) != c.want {
			t.Errorf("Parse(%q) = %v, %v, want %s", c.name, policy, err, c.want)
		}
		if name, err := Name(c.p, c.loss, c.name); err != nil || name != c.want {
			t.Errorf("Name(%q) = %v, %v, want %s", c.name, name, err, c.want)
		}
		if _, decides := policy.(game.Decider); decides != c.decides || !IsName(c.name) {
			t.Errorf("%s by %v: decides %v, want %v; a name: %v", c.name, c.loss, decides, c.decides, IsName(c.name))
		}
	}
	for name, want := range map[string]string{
		"unifrom":           `unknown policy "unifrom"; did you mean "uniform"?`,
		"informaton:0.05":   `unknown policy "informaton:0.05"; did you mean "information:0.05"?`,
		"sgb+posterior":     `unknown policy "sgb+posterior"; did you mean "sgbs:0.1+posterior"?`,
		"luck":              `unknown policy "luck"; known are ` + Known,
		"":                  `unknown policy ""; known are ` + Known,
		"uniform:1":         `policy "uniform:1": uniform takes no number: write uniform`,
		"information":       `policy "information" needs instances that the problem knows, such as the rows of a table`,
		"information:0.1":   `policy "information:0.1" reads the shares of a table's rows and the hypotheses here are majorities; say truth: rows in the spec`,
		"information:0":     `policy "information:0": τ must be a number above 0 and at most 1000, such as information:0.03`,
		"gain":              `policy "gain" needs its power, such as gain:1`,
		"gain:-1":           `policy "gain:-1": the power must be a number above 0 and at most 1000, such as gain:1`,
		"gain:NaN":          `policy "gain:NaN": the power must be a number above 0 and at most 1000, such as gain:1`,
		"instant:":          `policy "instant:": there are no weights for it; known are instant:0 and instant:0.7`,
		"instant:0.5":       `policy "instant:0.5": there are no weights for it; known are instant:0 and instant:0.7`,
		"adaptive":          `policy "adaptive" is no longer part of mapo; use instant:0.7`,
		"adaptive:0.5":      `policy "adaptive:0.5" is no longer part of mapo; use instant:0.7`,
		"adaptive:0+luck":   `policy "adaptive:0+luck" is no longer part of mapo; use instant:0.7`,
		"sgbs":              `policy "sgbs" needs its β, such as sgbs:0.1`,
		"sgbs:0.5":          `policy "sgbs:0.5": β must be a number in (0, 0.5), such as sgbs:0.1`,
		"sgbs:nan":          `policy "sgbs:nan": β must be a number in (0, 0.5), such as sgbs:0.1`,
		"sgbs:x":            `policy "sgbs:x": β must be a number in (0, 0.5), such as sgbs:0.1`,
		"uniform+posterier": `policy "uniform+posterier": unknown decision "posterier"; did you mean "posterior"?`,
	} {
		if _, err := Parse(bits, identify, name); err == nil || err.Error() != want {
			t.Errorf("Parse(%q): %v, want %s", name, err, want)
		}
		if _, err := Name(bits, identify, name); err == nil || err.Error() != want {
			t.Errorf("Name(%q): %v, want %s", name, err, want)
		}
	}
	if !IsName("adaptive:0.5") || slices.Contains(Names(), "adaptive") {
		t.Error("a policy of earlier versions is taken for a file, or offered")
	}
}

// TestNames: every name that completion and faults offer is a policy of some class of problem, and faults list every kind.
func TestNames(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	classes := []*game.Problem{
		knowing(thresholds(3, 9), 2, r), table(4, 3, 2, 0, r), check.BestArm(4, 14), check.RandomVectors(2, 5, 4, 9, r), check.Pool(12, 4, 2, 6, false, r),
	}
	for _, name := range Names() {
		if !slices.ContainsFunc(classes, func(p *game.Problem) bool { _, err := Name(p, game.BestIdentification, name); return err == nil }) {
			t.Errorf("%s is offered, and no class of problem takes it", name)
		}
	}
	for kind := range kinds {
		if !strings.Contains(Known, kind) {
			t.Errorf("Known does not list %s", kind)
		}
	}
}

// TestDecidesByLoss: the posterior's recommendation is the one that the loss asks for.
func TestDecidesByLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	p := table(25, 14, 9, 0, r)
	s := games(14, 150, 3, true, r)
	decide := func(loss game.Loss, name string) []float32 {
		policy, err := Parse(p, loss, name)
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float32, 150*25)
		game.DeciderOf(p, policy).Decide(dst, s)
		return dst
	}
	for _, name := range []string{"information:0.03", "uniform+posterior"} {
		for _, loss := range game.Losses() {
			rule, err := decision.New(p, loss, decision.Posterior)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float32, 150*25)
			if rule.Decide(want, s); !slices.Equal(decide(loss, name), want) {
				t.Errorf("%s recommends otherwise by %v", name, loss)
			}
		}
		if slices.Equal(decide(game.BestIdentification, name), decide(game.SimpleRegret, name)) {
			t.Errorf("%s recommends the same for both losses", name)
		}
	}
}
