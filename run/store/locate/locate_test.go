package locate_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mapo/run/store"
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

// TestUnknownScheme: a place of another scheme is refused by what places there are, and no folder is made of it.
func TestUnknownScheme(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	for _, open := range []func(context.Context, string) (store.Store, error){locate.Open, locate.Existing} {
		if _, err := open(t.Context(), "gs://bucket/runs"); err == nil || !strings.Contains(err.Error(), "gs://bucket/runs: neither a folder nor s3://BUCKET/PREFIX") {
			t.Errorf("of a bucket of another kind: %v", err)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
