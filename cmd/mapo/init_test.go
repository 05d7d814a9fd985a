package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mapo/spec"
)

// TestInitInTime: where choosing levels does not end in time the spec says so, and it loads without them.
func TestInitInTime(t *testing.T) {
	out := filepath.Join(t.TempDir(), "animals.yaml")
	c := command()
	c.SetOut(&strings.Builder{})
	c.SetContext(t.Context())
	d := draft{out: out, time: time.Nanosecond}
	if err := d.init(c, "../../examples/animals.csv"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(text), "\n# levels: left out; choosing them takes more than 1ns here") || strings.Contains(string(text), "\nlevels:") {
		t.Errorf("%v:\n%s", err, text)
	}
	for _, truth := range []string{spec.Rows, spec.Majority} {
		if s, err := spec.Load(out, spec.Override{Truth: truth}); err != nil || s.Levels != nil || s.Truth != spec.Rows {
			t.Errorf("%s: %v", truth, err)
		}
	}
}
