// Package suite is for tests only: it keeps runs without MAPO_CI short.
package suite

import (
	"os"
	"testing"
)

// Runner is what [testing.M] is to TestMain.
type Runner interface{ Run() int }

// Reduced reports whether a test is to take its smaller sizes: in short mode, and where neither MAPO_CI nor MAPO_LONG is
// set. .ci/run sets MAPO_CI.
func Reduced() bool {
	return testing.Short() || os.Getenv("MAPO_CI") == "" && os.Getenv("MAPO_LONG") == ""
}

// Long skips a test of many seconds where Reduced does. why says what takes long.
func Long(t testing.TB, why string) {
	t.Helper()
	if Reduced() {
		t.Skip(why + "; it runs where MAPO_CI is set")
	}
}
