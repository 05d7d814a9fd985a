package learning_test

import (
	"os"
	"testing"

	"mapo/serve/dbtest"
)

func TestMain(m *testing.M) { os.Exit(dbtest.Run(m, nil)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
