package serve

import (
	"bytes"
	"strings"
	"testing"

	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
)

// TestVectorTerminal: a game over vectors is played to its end, and says who leads by how much and no probability. Sessions of
// other vectors with the same texts are others.
func TestVectorTerminal(t *testing.T) {
	open := func(seed uint64) *Policy {
		p := check.RandomVectors(3, 5, 0, 3, rng.New(seed).Rand())
		policy, err := Untrained("linear", p, rival.LinearTopTwo(p, 1), Rules{Version: "test"})
		if err != nil {
			t.Fatal(err)
		}
		return policy
	}
	policy := open(1)
	var out bytes.Buffer
	g := Terminal{Policy: policy, Seed: 2, Out: &out, Read: Lines(strings.NewReader("y\nn\nu\ny\nn\n"))}
	if err := g.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Find the best of 5: answer 3 times. There are 5 questions. A question may come again.", "leads by", "After 3 answers: z"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "%") {
		t.Errorf("a probability is said:\n%s", out.String())
	}
	if policy.Hash() == open(2).Hash() || policy.Hash() != open(1).Hash() {
		t.Error("a policy's hash does not depend on its vectors")
	}
}
