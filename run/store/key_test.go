package store

import (
	"strings"
	"testing"
)

func TestKeyOf(t *testing.T) {
	seen := map[Key]string{}
	for _, c := range []struct {
		why string
		key Key
	}{
		{"plain", KeyOf("train/1", []byte("input"), "kernel=go", "arch=amd64")},
		{"another step version", KeyOf("train/2", []byte("input"), "kernel=go", "arch=amd64")},
		{"another input", KeyOf("train/1", []byte("inpuT"), "kernel=go", "arch=amd64")},
		{"another kernel", KeyOf("train/1", []byte("input"), "kernel=avx2", "arch=amd64")},
		{"another order", KeyOf("train/1", []byte("input"), "arch=amd64", "kernel=go")},
		{"a byte moved from step to input", KeyOf("train/", []byte("1input"), "kernel=go", "arch=amd64")},
		{"a byte moved between environments", KeyOf("train/1", []byte("input"), "kernel=goa", "rch=amd64")},
		{"environment joined", KeyOf("train/1", []byte("input"), "kernel=goarch=amd64")},
		{"environment moved into the input", KeyOf("train/1", []byte("inputkernel=go"), "arch=amd64")},
		{"one empty environment more", KeyOf("train/1", []byte("input"), "kernel=go", "arch=amd64", "")},
		{"all empty", KeyOf("", nil)},
		{"empty and one empty environment", KeyOf("", nil, "")},
	} {
		if was, ok := seen[c.key]; ok {
			t.Errorf("%q and %q have the same key", c.why, was)
		}
		seen[c.key] = c.why
		if _, err := ParseKey(string(c.key)); err != nil {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

// TestKeyPinned: keys name what earlier versions of the program stored, so a change is a decision.
func TestKeyPinned(t *testing.T) {
	const want = "4ac07160196a3b10a2fdf7d325ac85032577dd53e7acc4f604c7739dfe84c5c0"
	if got := KeyOf("train/1", []byte("input"), "kernel=go", "arch=amd64"); got != want {
		t.Errorf("KeyOf = %s, want %s: if this is meant, change keyScheme too", got, want)
	}
}

func TestParseKey(t *testing.T) {
	good := strings.Repeat("0a", 32)
	for _, bad := range []string{"", good[1:], good + "0", strings.ToUpper(good), strings.Repeat("g", 64), strings.Repeat("/", 64)} {
		if k, err := ParseKey(bad); err == nil {
			t.Errorf("ParseKey(%q) = %s, want an error", bad, k)
		}
	}
	if k, err := ParseKey(good); err != nil || string(k) != good {
		t.Errorf("ParseKey(%q) = %s, %v", good, k, err)
	}
}
