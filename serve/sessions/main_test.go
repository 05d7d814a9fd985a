package sessions_test

import (
	"os"
	"testing"

	"mapo/serve/dbtest"
)

func TestMain(m *testing.M) { os.Exit(dbtest.Run(m, nil)) }

func mustBe(t testing.TB, got bool, err error, want bool) {
	t.Helper()
	if err != nil || got != want {
		t.Fatalf("got %v, %v; want %v", got, err, want)
	}
}
