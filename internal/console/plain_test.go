package console

import (
	"fmt"
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	var b strings.Builder
	const text = "a\x1b[31mß\r\u009b\tc\u202ed\u2066\u200f می\u200cخ\n"
	n, err := fmt.Fprint(Plain(&b), text)
	if want := "a\uFFFD[31mß\uFFFD\uFFFD\tc\uFFFDd\uFFFD\uFFFD می\u200cخ\n"; err != nil || b.String() != want || n != len(text) {
		t.Errorf("%q, %d bytes (%v); want %q", b.String(), n, err, want)
	}
}
