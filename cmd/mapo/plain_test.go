package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	var b strings.Builder
	n, err := fmt.Fprint(plain{&b}, "a\x1b[31mß\r\u009b\tc\n")
	if want := "a\uFFFD[31mß\uFFFD\uFFFD\tc\n"; err != nil || b.String() != want || n != len("a\x1b[31mß\r\u009b\tc\n") {
		t.Errorf("%q, %d bytes (%v); want %q", b.String(), n, err, want)
	}
}
