package database

import (
	"os"
	"testing"
)

// long skips what takes long or wants the machine for itself.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("MAPO_LONG") == "" {
		t.Skip("MAPO_LONG is not set")
	}
}
