package locate_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mapo/run/store/locate"
)

// Existing opens what Open made, and makes nothing itself.
func TestExisting(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.Mkdir(other, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{filepath.Join(dir, "none"), other} {
		if _, err := locate.Existing(t.Context(), place); !errors.Is(err, locate.ErrNone) || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v, want %v", place, err, locate.ErrNone)
		}
	}
	if entries, err := os.ReadDir(other); err != nil || len(entries) > 0 {
		t.Errorf("%v is in the folder that is not a store (%v)", entries, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v beside it (%v)", entries, err)
	}
	if _, err := locate.Open(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if _, err := locate.Existing(t.Context(), other); err != nil {
		t.Error(err)
	}
	if _, err := locate.Existing(t.Context(), "ftp://host/a"); err == nil || errors.Is(err, locate.ErrNone) {
		t.Errorf("%v, want the schemes there are", err)
	}
}
