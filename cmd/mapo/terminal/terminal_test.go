package terminal_test

import (
	"regexp"
	"strings"
	"testing"

	"mapo/cmd/mapo/terminal"
	"mapo/serve/servetest"
)

// TestTerminalBeginsAndEnds: a game begins with what to do, and says last of all which policy it was. A player who leaves
// is told of the question that waits, which is not always the likeliest.
func TestTerminalBeginsAndEnds(t *testing.T) {
	p := servetest.Policy(t, "animals", servetest.Animals(t), nil)
	asked := regexp.MustCompile(`(?m)^2/20  (.*\?) quit$`)
	for seed := range uint64(10) {
		var out strings.Builder
		g := terminal.Game{Policy: p, Seed: seed, Out: &out, Read: terminal.Lines(strings.NewReader("y\nq\n"))}
		must(t, g.Play(t.Context()))
		text := out.String()
		if !strings.HasPrefix(text, "Think of one of these 126: ") {
			t.Errorf("it begins with %.80q", text)
		}
		shown := asked.FindStringSubmatch(text)
		if shown == nil || !strings.Contains(text, "\nThe next question would have been: "+shown[1]+"\n") {
			t.Errorf("seed %d: shown is %q, and in the end it says\n%s", seed, shown, text)
		}
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, "Policy animals, hash ") {
			t.Errorf("it ends with %q", last)
		}
	}
}
