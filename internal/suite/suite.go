package suite

import (
	"os"
	"testing"
	"time"
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

// Patience is how long a test waits for what has to come before it gives up. It is far more than a busy machine needs, so
// that no verdict depends on speed.
const Patience = 5 * time.Minute

// Await returns once so reports true, which it asks a hundred times a second. It ends the test where that takes longer than
// Patience; what says what was waited for, at that moment.
func Await(t testing.TB, so func() bool, what func() string) {
	t.Helper()
	for end := time.Now().Add(Patience); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after %v: %s", Patience, what())
		}
	}
}
