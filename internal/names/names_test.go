package names_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mapo/internal/names"
	"mapo/rng"
)

func TestComplete(t *testing.T) {
	x := names.New([]string{"zebra", "sea lion", "lion", "Pingüin", "dandelion", "lion-tailed macaque", "Straße", "cat", "bobcat", "wild cat", "mountain lion"})
	for _, c := range []struct {
		text string
		most int
		want []string
	}{
		{"lion", 10, []string{"lion", "lion-tailed macaque", "mountain lion", "sea lion", "dandelion"}},
		{"LION", 2, []string{"lion", "lion-tailed macaque"}},
		{"cat", 10, []string{"cat", "wild cat", "bobcat"}},
		{"tail", 10, []string{"lion-tailed macaque"}},
		{"pingu", 10, []string{"Pingüin"}},
		{"PINGÜ", 10, []string{"Pingüin"}},
		{"pingu\u0308in", 10, []string{"Pingüin"}},
		{"  sea   li", 10, []string{"sea lion"}},
		{"sea lions", 10, nil},
		{"", 3, []string{"bobcat", "cat", "dandelion"}},
		{"xyz", 10, nil},
		{"cat", 0, nil},
	} {
		if got := x.Complete(c.text, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%q, at most %d: %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	x := names.New([]string{"penguin", "emperor penguin", "pigeon", "cat", "bat", "Pingüin", "ox", "elephant"})
	for _, c := range []struct {
		text string
		want []string
	}{
		{"pengin", []string{"penguin", "Pingüin"}},
		{"penugin", []string{"penguin", "Pingüin"}},
		{"penguins", []string{"penguin", "Pingüin"}},
		{"king penguin", []string{"penguin"}},
		{"emperor", []string{"emperor penguin"}},
		{"rat", []string{"bat", "cat"}},
		{"elefant", []string{"elephant"}},
		{"elephantelephant", []string{"elephant"}},
		{"unicorn", nil},
		{"", nil},
		{strings.Repeat("cat ", 100), nil},
	} {
		if got := x.Nearest(c.text, 3); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestDistance: the bound changes no distance up to it.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abcd", "badc", 2}, {"ca", "abc", 3}, {"flaw", "lawn", 2}, {"abcdef", "abdcef", 1},
	} {
		for most := range 8 {
			for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
				got := names.Distance([]rune(pair[0]), []rune(pair[1]), most)
				if c.want <= most && got != c.want || c.want > most && got <= most {
					t.Errorf("%q and %q, at most %d: %d, want %d", pair[0], pair[1], most, got, c.want)
				}
			}
		}
	}
}

// TestDistanceBound: of random texts of few letters, the bounded distance is that without a bound.
func TestDistanceBound(t *testing.T) {
	stream := rng.New(1).Stream()
	text := func() []rune {
		all := make([]rune, stream.Uint64()%9)
		for i := range all {
			all[i] = 'a' + rune(stream.Uint64()%3)
		}
		return all
	}
	for range 5000 {
		a, b := text(), text()
		want := names.Distance(a, b, 20)
		for most := range 9 {
			if got := names.Distance(a, b, most); got != min(want, most+1) {
				t.Fatalf("%q and %q, at most %d: %d, want %d", string(a), string(b), most, got, min(want, most+1))
			}
		}
	}
}

// many is as many names as the largest tables have.
func many() []string {
	var all []string
	for i := range 10_000 {
		all = append(all, fmt.Sprintf("%c%c animal number %d of the %d", 'a'+i%26, 'a'+i/26%26, i, i*7919%10_000))
	}
	return all
}

func BenchmarkComplete(b *testing.B) {
	x := names.New(many())
	for b.Loop() {
		x.Complete("animal number 77", 10)
	}
}

func BenchmarkNearest(b *testing.B) {
	x := names.New(many())
	for b.Loop() {
		x.Nearest("bb animl number 7700 of the 3000", 3)
	}
}
