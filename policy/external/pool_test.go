package external

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mapo/game"
	"mapo/internal/check"
	"mapo/internal/suite"
)

// faultsSeen collects what a lasting policy tells of its processes.
type faultsSeen struct {
	mu   sync.Mutex
	list []string
}

func (f *faultsSeen) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, err.Error())
}

func (f *faultsSeen) all() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.list...)
}

// one asks x about the first state of a game of three queries.
func one(x *Policy) error {
	const d = 3
	return x.Ask(make([]float32, d), game.States{N: make([]float32, d), S: make([]float32, d)})
}

// unavailable asks x and wants it to be unavailable.
func unavailable(t *testing.T, x *Policy) *Unavailable {
	t.Helper()
	var down *Unavailable
	if err := one(x); !errors.As(err, &down) || down.Retry < time.Second || down.Retry > mostPause {
		t.Fatalf("got %v, want it to be unavailable and to say for how long", err)
	}
	return down
}

// answersAgain waits for x to answer.
func answersAgain(t *testing.T, x *Policy) {
	t.Helper()
	suite.Await(t, func() bool { return one(x) == nil }, func() string { return "no process took the place of the dead one" })
}

// TestLasting: a fault fails what was asked, is told with the program's last words, and another process takes the place.
func TestLasting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode    string
		timeout time.Duration
		want    string
	}{
		{"later-die", suite.Patience, "it ended (exit status 3, last words)"},
		{"later-hang", 500 * time.Millisecond, "no reply to 1 state within 500ms, so it was stopped"},
		{"later-rubbish", suite.Patience, "it sent loading [1m model"},
	} {
		var seen faultsSeen
		x, err := Start(t.Context(), check.Thresholds(3, 5), command(c.mode), Options{Workers: 1, Timeout: c.timeout, First: suite.Patience, Lasting: true, Fail: seen.add})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // of the four that a process answers, two differ: the first is Start's
			if err := one(x); err != nil && !strings.Contains(err.Error(), "within 500ms") {
				t.Fatal(c.mode, err)
			}
		}
		x.mu.Lock()
		x.pause = mostPause // so that the test ends the pause
		x.mu.Unlock()
		for len(seen.all()) == 0 {
			unavailable(t, x)
		}
		if down := unavailable(t, x); !strings.Contains(down.Error(), "is started again soon") {
			t.Errorf("%s: %v", c.mode, down)
		}
		x.rested()
		answersAgain(t, x)
		all := seen.all()
		if c.mode == "later-hang" { // a process that a busy machine holds up is as good as one that hangs
			all = slices.Compact(all)
		}
		if len(all) != 1 || !strings.Contains(all[0], c.want) || !strings.HasPrefix(all[0], x.String()) {
			t.Errorf("%s: told %q, want %q once", c.mode, all, c.want)
		}
		if err := x.Err(); err != nil {
			t.Errorf("%s: the policy has failed: %v", c.mode, err)
		}
		x.Retire()
		unavailable(t, x)
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRestartsAreLimited: a program that cannot be run any more is tried ever later however often it is asked, and
// answers once it can be run again.
func TestRestartsAreLimited(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "player")
	if err := os.Symlink(os.Args[0], link); err != nil {
		t.Skip(err)
	}
	var seen faultsSeen
	x, err := Start(t.Context(), check.Thresholds(3, 5), "'"+link+"' player later-die", Options{Workers: 4, Timeout: suite.Patience, First: suite.Patience, Lasting: true, Fail: seen.add})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	for time.Since(begin) < 2*time.Second || len(seen.all()) < 2 && time.Since(begin) < suite.Patience {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { _ = one(x) })
		}
		all.Wait()
		time.Sleep(time.Millisecond)
	}
	// The process itself, and one that was started while that was asked; then after 1, 2, 4, … seconds.
	all, most := seen.all(), 2
	for pause, at := firstPause, firstPause; at < time.Since(begin); pause, at = 2*pause, at+2*pause {
		most++
	}
	if len(all) < 2 || len(all) > most || !strings.Contains(fmt.Sprint(all), "it cannot be run") {
		t.Errorf("%d faults in %v, want at most %d: %q", len(all), time.Since(begin), most, all)
	}
	if err := os.Symlink(os.Args[0], link); err != nil {
		t.Fatal(err)
	}
	answersAgain(t, x)
}

// TestCrowd: more callers than processes are all answered, and none starts more than there may be.
func TestCrowd(t *testing.T) {
	was := queueTime
	queueTime = suite.Patience
	defer func() { queueTime = was }()
	x, err := Start(t.Context(), check.Thresholds(3, 5), command("sound"), Options{Workers: 2, Timeout: suite.Patience, Lasting: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 20 {
				if err := one(x); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.started > 2 {
		t.Errorf("%d processes, want at most 2", x.started)
	}
}
