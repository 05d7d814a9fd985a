package web

import (
	"os"
	"testing"
)

// cut leaves half of a file.
func cut(t testing.TB, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()/2)
	}
	if err != nil {
		t.Fatal(err)
	}
}
