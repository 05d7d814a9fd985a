package external

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mapo/game"
	"mapo/internal/check"
	"mapo/internal/suite"
	"mapo/policy/rival"
	"mapo/rng"
)

// TestMain plays a policy where it is called as one: "BINARY player MODE".
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "player" {
		play(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// awake names the folder of which the end lets a "sleep" end.
const awake = "EXTERNAL_TEST_AWAKE"

// command is the command line of a player.
func command(mode string) string { return "'" + os.Args[0] + "' player " + mode }

// faults are what players other than "sound" do when they are first asked, and what is said of it.
var faults = []struct {
	mode string
	do   func(in *bufio.Reader, states question)
	want string // in the message
}{
	{"hang", func(*bufio.Reader, question) { time.Sleep(time.Hour) }, "no reply to 1 state within 500ms, so it was stopped; it had sent nothing"},
	{"begin", func(*bufio.Reader, question) { fmt.Print(`{"probs": [`); time.Sleep(time.Hour) }, `, so it was stopped; it had sent {"probs": [`},
	{"die", func(*bufio.Reader, question) { fmt.Fprintln(os.Stderr, "first\nlast words"); os.Exit(3) }, "it ended (exit status 3, last words); it had sent nothing"},
	{"leave", func(*bufio.Reader, question) { os.Exit(0) }, "it ended (exit status 0); it had sent nothing"},
	{"cut", func(*bufio.Reader, question) { fmt.Print(`{"probs"`); os.Exit(0) }, `it ended (exit status 0); it had sent {"probs"`},
	{"rubbish", func(*bufio.Reader, question) { fmt.Println("loading\x1b[1m model") }, "it sent loading [1m model"},
	{"blank", func(*bufio.Reader, question) { fmt.Println() }, "it sent an empty line"},
	{"nan", func(_ *bufio.Reader, q question) { fmt.Println(`{"probs": [[NaN, 1, 0]]}`) }, `it sent {"probs": [[NaN, 1, 0]]}`},
	{"null", func(*bufio.Reader, question) { fmt.Println(`{"probs": [[null, 1, 0]], "error": null}`) }, "row 0 of 1: the probability of query 0 is null"},
	{"huge", func(*bufio.Reader, question) { fmt.Println(`{"probs": [[1e999, 0, 0]]}`) }, `it sent {"probs": [[1e999`},
	{"negative", func(*bufio.Reader, question) { fmt.Println(`{"probs": [[1.5, -0.5, 0]]}`) }, "row 0 of 1: the probability of query 1 is -0.5"},
	{"sum", func(*bufio.Reader, question) { fmt.Println(`{"probs": [[0.5, 0.25, 0]]}`) }, "row 0 of 1: the probabilities sum to 0.75"},
	{"short", func(*bufio.Reader, question) { fmt.Println(`{"probs": [[0.5, 0.5]]}`) }, "row 0 of 1: 2 probabilities for 3 queries"},
	{"rows", func(*bufio.Reader, question) { fmt.Println(`{"probs": [[1,0,0],[1,0,0]]}`) }, "the reply has 2 rows of probabilities for 1 states"},
	{"keys", func(*bufio.Reader, question) { fmt.Println(`{"prob": [[1,0,0]]}`) }, `the reply has no "probs"; it sent {"prob": [[1,0,0]]}`},
	{"list", func(*bufio.Reader, question) { fmt.Println(`[[1,0,0]]`) }, `it sent [[1,0,0]]`},
	{"error", func(*bufio.Reader, question) { fmt.Println(`{"error": "no such problem"}`) }, "it gives up: no such problem"},
	{"twice", func(*bufio.Reader, question) { fmt.Print("{\"probs\": [[1,0,0]]}\n{\"probs\": [[1,0,0]]}\n") }, "it sent more than the one line asked for"},
	{"endless", func(*bufio.Reader, question) {
		for {
			fmt.Print(strings.Repeat("[", 4096))
		}
	}, "its line does not end; it sent [[[["},
	{"child", func(*bufio.Reader, question) { // a child that gets away with the pipes must not be waited for
		c := exec.Command("setsid", os.Args[0], "player", "sleep")
		c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
		if c.Start() != nil {
			time.Sleep(time.Hour)
		}
		os.Exit(4)
	}, ""},
}

// question is a request's line.
type question struct {
	N, S  [][]float64
	Left  []float64
	Level []float64
	Mask  [][]int
}

// play is what a player does: it reads its greeting, and answers.
func play(mode string) {
	switch mode {
	case "deaf": // never reads
		time.Sleep(time.Hour)
	case "sleep": // until its test is over
		for begin := time.Now(); time.Since(begin) < 2*suite.Patience; time.Sleep(50 * time.Millisecond) {
			if _, err := os.Stat(os.Getenv(awake)); err != nil {
				break
			}
		}
		return
	}
	in := bufio.NewReader(os.Stdin)
	var hello struct{ Queries, Hypotheses, Budget int }
	line, err := in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &hello)
	}
	if err != nil || hello.Queries == 0 || hello.Hypotheses == 0 || hello.Budget == 0 {
		fmt.Fprintln(os.Stderr, "no greeting:", err)
		os.Exit(9)
	}
	for asked := 0; ; asked++ {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(9)
		}
		for _, f := range faults {
			if f.mode == mode || mode == "later-"+f.mode && asked == 3 {
				f.do(in, q)
			}
		}
		reply, _ := json.Marshal(map[string]any{"probs": q.answer()})
		fmt.Printf("%s\n", reply)
		if mode == "echo" {
			time.Sleep(10 * time.Millisecond)
			fmt.Printf("%s\n", reply)
		}
	}
}

// answer is a distribution in which everything asked has its part.
func (q question) answer() (probs [][]float64) {
	for b, n := range q.N {
		row, sum := make([]float64, len(n)), 0.
		for i := range n {
			if q.Mask == nil || q.Mask[b][i] == 0 {
				row[i] = weight(i, n[i], q.S[b][i], q.Left[b])
				sum += row[i]
			}
		}
		for i := range row {
			row[i] /= sum
		}
		probs = append(probs, row)
	}
	return probs
}

func weight(i int, n, s, left float64) float64 { return 1 + float64(i) + n + (s+n)/2 + left/8 }

// TestFaults: whatever a program does, one line says so, and neither it nor a child of its that goes on is waited for.
func TestFaults(t *testing.T) {
	p := check.Thresholds(3, 5)
	for _, f := range faults {
		t.Run(f.mode, func(t *testing.T) {
			if f.mode == "child" {
				if _, err := exec.LookPath("setsid"); err != nil {
					t.Skip("no setsid")
				}
			}
			t.Setenv(awake, t.TempDir())
			begin, timeout := time.Now(), patience(f.mode)
			x, err := Start(t.Context(), p, command(f.mode), Options{Workers: 1, Timeout: timeout})
			for f.mode == "begin" && err != nil && strings.HasSuffix(err.Error(), "it had sent nothing") && timeout < suite.Patience { // it was stopped before it had begun
				timeout *= 2
				x, err = Start(t.Context(), p, command(f.mode), Options{Workers: 1, Timeout: timeout})
			}
			if err == nil {
				t.Fatal("it passes for a policy", x.Close())
			}
			if text := err.Error(); !strings.Contains(text, f.want) || !strings.HasPrefix(text, "cmd:'") || strings.ContainsAny(text, "\n\x1b") {
				t.Errorf("message %q, want one line with %q", text, f.want)
			}
			if took := time.Since(begin); took > 2*suite.Patience {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// patience is a timeout: short where the program hangs, else one that no machine comes to.
func patience(mode string) time.Duration {
	switch mode {
	case "hang":
		return 500 * time.Millisecond
	case "begin", "child", "later-hang":
		return 2 * time.Second
	}
	return suite.Patience
}

// TestCannotRun: what is no command.
func TestCannotRun(t *testing.T) {
	for text, want := range map[string]string{
		"no-such-program-here": "it cannot be run: exec: \"no-such-program-here\"",
		"":                     "name the command to run",
		"  ":                   "name the command to run",
		"python3 'my policy":   "a quote ' is not closed",
	} {
		if _, err := Start(t.Context(), check.Thresholds(3, 5), text, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", text, err, want)
		}
	}
}

// TestDeaf: a program that does not even read its input is stopped, too. The greeting is longer than a pipe.
func TestDeaf(t *testing.T) {
	p := check.BestArm(400, 5)
	_, err := Start(t.Context(), p, command("deaf"), Options{Workers: 1, Timeout: 300 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "it did not read its greeting within 300ms") {
		t.Error(err)
	}
}

// batch is random states with masks in every second batch.
func batch(p *game.Problem, b int, key rng.Key) game.States {
	d, r := p.Queries(), key.Rand()
	s := game.States{N: make([]float32, b*d), S: make([]float32, b*d)}
	for i := range s.N {
		if r.IntN(3) == 0 {
			s.N[i] = float32(1 + r.IntN(2))
			s.S[i] = s.N[i] - 2*float32(r.IntN(int(s.N[i])+1))
		}
	}
	if r.IntN(2) == 0 {
		s.Mask = make([]bool, b*d)
		for i := range s.Mask {
			s.Mask[i] = r.IntN(2) == 0 && i%d != 0
		}
		s.Level = slices.Repeat([]float32{5}, b)
	}
	return s
}

// want is what a sound player answers.
func want(p *game.Problem, s game.States) []float32 {
	d := p.Queries()
	var q question
	for b := range s.Len(d) {
		var n, sum []float64
		var mask []int
		for i := range d {
			n, sum = append(n, float64(s.N[b*d+i])), append(sum, float64(s.S[b*d+i]))
			if s.Mask != nil {
				mask = append(mask, map[bool]int{true: 1}[s.Mask[b*d+i]])
			}
		}
		q.N, q.S, q.Left = append(q.N, n), append(q.S, sum), append(q.Left, float64(p.LeftOf(s, b)))
		if s.Mask != nil {
			q.Mask = append(q.Mask, mask)
		}
	}
	var flat []float32
	for _, row := range q.answer() {
		for _, v := range row {
			flat = append(flat, float32(v))
		}
	}
	return flat
}

// TestMany: many callers at a time get their own answers from a few processes, which end with the policy.
func TestMany(t *testing.T) {
	p, was := check.Thresholds(6, 40), goodbye
	goodbye = suite.Patience
	defer func() { goodbye = was }()
	x, err := Start(t.Context(), p, command("sound"), Options{Workers: 3, Timeout: suite.Patience})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for c := range 8 {
		all.Go(func() {
			for i, size := range []int{1, 30, rowsAtOnce, 2*rowsAtOnce + 7} {
				s := batch(p, size, rng.New(5).At(c).At(i))
				dst := make([]float32, len(s.N))
				x.Probs(dst, s)
				for j, v := range want(p, s) {
					if math.Abs(float64(v-dst[j])) > 1e-6 {
						t.Errorf("caller %d, batch of %d: probability %d is %g, want %g", c, size, j, dst[j], v)
						return
					}
				}
			}
		})
	}
	all.Wait()
	if n := len(x.idle); n < 1 || n > 3 || n != x.started {
		t.Errorf("%d processes are idle of %d started, want up to 3", n, x.started)
	}
	var procs []*process
	for len(x.idle) > 0 {
		procs = append(procs, <-x.idle)
	}
	for _, proc := range procs {
		x.idle <- proc
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	for _, proc := range procs {
		if !proc.gone || proc.died != nil {
			t.Errorf("a process was left or ended otherwise than by itself: %v, %v", proc.gone, proc.died)
		}
	}
}

// TestFailsLater: a fault in the middle is told once, nobody waits any more, and what is played on is uniform.
func TestFailsLater(t *testing.T) {
	p := check.Thresholds(3, 5)
	for _, mode := range []string{"later-hang", "later-die", "later-rubbish"} {
		var failed atomic.Int32
		x, err := Start(t.Context(), p, command(mode), Options{Workers: 2, Timeout: patience(mode), First: suite.Patience, Fail: func(error) { failed.Add(1) }})
		if err != nil {
			t.Fatal(mode, err)
		}
		var all sync.WaitGroup
		begin := time.Now()
		for c := range 4 {
			all.Go(func() {
				s := batch(p, 4, rng.New(6).At(c))
				dst, even := make([]float32, len(s.N)), make([]float32, len(s.N))
				for range 50 {
					x.Probs(dst, s)
				}
				rival.Uniform(p).Probs(even, s)
				if !slices.Equal(dst, even) {
					t.Errorf("%s: after the fault %v, want %v", mode, dst, even)
				}
			})
		}
		all.Wait()
		if took := time.Since(begin); took > 2*suite.Patience {
			t.Errorf("%s: it took %v", mode, took)
		}
		if err := x.Close(); err == nil || failed.Load() != 1 || !strings.HasPrefix(err.Error(), "cmd:") {
			t.Errorf("%s: fault %v, told %d times", mode, err, failed.Load())
		}
	}
}

// TestCancel: with its context the policy ends at once, without a fault of its own.
func TestCancel(t *testing.T) {
	p := check.Thresholds(3, 5)
	ctx, cancel := context.WithCancel(t.Context())
	x, err := Start(ctx, p, command("later-hang"), Options{Workers: 1, Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, cancel)
	s := batch(p, 4, rng.New(6))
	for range 5 {
		x.Probs(make([]float32, len(s.N)), s)
	}
	if err := x.Err(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"python3 my_policy.py":         {"python3", "my_policy.py"},
		"  a \t b  ":                   {"a", "b"},
		`'/my files/p' "x 'y'" --z=''`: {"/my files/p", "x 'y'", "--z="},
		`a '' b`:                       {"a", "", "b"},
		`a$(b);c|d`:                    {"a$(b);c|d"},
	} {
		if got, err := split(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
}

// FuzzParse: whatever a program sends is refused or is probabilities.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"probs": [[0.5, 0.5, 0], [0, 1, 0]]}`))
	f.Add([]byte(`{"error": null, "probs": [[1e-320, 1, null], [0, 1, 0]]}`))
	s := game.States{N: make([]float32, 6), S: make([]float32, 6), Mask: []bool{false, false, true, false, false, false}}
	f.Fuzz(func(t *testing.T, line []byte) {
		dst := make([]float32, 6)
		if parse(dst, line, s, 3) != nil {
			return
		}
		for b := range 2 {
			sum := float32(0)
			for i, v := range dst[3*b : 3*b+3] {
				if !(v >= 0) || s.Mask[3*b+i] && v != 0 {
					t.Fatalf("probabilities %v", dst)
				}
				sum += v
			}
			if math.Abs(float64(sum-1)) > 1e-5 {
				t.Fatalf("probabilities %v", dst)
			}
		}
	})
}

// Probabilities that sum to nearly 1 are divided by their sum; more than a thousandth off is a fault.
func TestFill(t *testing.T) {
	dst := make([]float32, 3)
	if err := fill(dst, []float64{.5, 0, .4996}, []bool{false, true, false}); err != nil {
		t.Fatal(err)
	}
	if sum := float64(dst[0]) + float64(dst[2]); math.Abs(sum-1) > 1e-7 || dst[1] != 0 {
		t.Errorf("%v sum to %v, want 1", dst, sum)
	}
	for _, row := range [][]float64{{.5, 0, .498}, {.5, .5}, {1.5, 0, -.5}, {.5, .5, 0}, {math.Inf(1), 0, 0}} {
		if err := fill(dst, row, []bool{false, true, false}); err == nil {
			t.Errorf("%v passes", row)
		}
	}
}
