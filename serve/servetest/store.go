package servetest

import (
	"testing"
	"time"
)

var SomeTime = time.Date(2030, 1, 2, 3, 4, 5, 678e6, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
