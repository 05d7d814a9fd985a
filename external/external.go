// Package external plays a policy that is somebody's program: one JSON object a line on its standard input, one on
// its standard output.
//
//	policy, err := external.Start(ctx, problem, "python3 my_policy.py", external.Options{Timeout: 30 * time.Second})
//	defer policy.Close()
//	…                                   // play it as any mapo.Policy
//	err = policy.Err()                  // why what was played does not count
//
// The program is greeted with one line, which it does not answer:
//
//	{"mapo":"policy over lines 1","queries":25,"hypotheses":26,"budget":20,"ask_once":false,
//	 "problem":{"name":"…","queries":["…",…],"hypotheses":["…",…],"z":["0101…",…]}}
//
// Every further line asks about a batch of states and gets one line back. When its input ends, the program should end, too:
//
//	{"n":[[0,1,…],…],"s":[[0,-1,…],…],"left":[19,…],"level":null,"mask":null}
//	{"probs":[[0.04,0.04,…],…]}
//
// n and s are the answers to each query and their sum, left is the answers left in the game, level is log₂ of the
// difficulty to be ready for or null, and mask has 1 where a query may not be asked, or is null where all may.
// A row of probs is as long as one of n, not negative, sums to 1, and is 0 where masked; {"error":"…"}
// in place of it ends the evaluation with that reason. What it writes to standard error is for its author: the last line
// is told when it dies.
//
// A command runs with the rights of who started the program, so that only somebody at the command line may name one:
// no file that the program reads ever does.
package external

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"mapo"
)

// rowsAtOnce is the most states of one line.
const rowsAtOnce = 512

// Options say how a command is played. The zero value is ready.
type Options struct {
	Workers int           // processes at most, started as they are needed; 0: as many as the machine runs at once
	Timeout time.Duration // what a reply may take; 0: 30 s
	Fail    func()        // called once, when the policy has failed, so that nobody plays on for nothing; may be nil
}

// Policy is a command as a mapo.Policy. It may be used concurrently: every caller at a time has a process of its own.
type Policy struct {
	p       *mapo.Problem
	name    string
	words   []string // of the command
	options Options
	ctx     context.Context
	end     context.CancelFunc
	idle    chan *process // with room for all

	mu      sync.Mutex
	started int
	err     error
}

// Start runs the command once and asks it about the first state of a game: a command that cannot be run, or is no policy,
// is told here. It is split into words at blanks, but for those between quotes; no shell is involved. Whatever is still
// running is killed when ctx ends.
func Start(ctx context.Context, p *mapo.Problem, command string, o Options) (*Policy, error) {
	words, err := split(command)
	if err != nil {
		return nil, fmt.Errorf("cmd:%s: %w", command, err)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	x := &Policy{p: p, name: "cmd:" + command, words: words, options: o, idle: make(chan *process, o.Workers)}
	x.ctx, x.end = context.WithCancel(ctx)
	first := mapo.States{N: make([]float32, p.Queries()), S: make([]float32, p.Queries())}
	x.Probs(make([]float32, p.Queries()), first)
	if x.Err() != nil {
		_ = x.Close()
		return nil, x.Err()
	}
	return x, nil
}

// String is the policy's name in results: cmd: and the command.
func (x *Policy) String() string { return x.name }

// Err is why the policy has failed, nil while it has not. What was played after a failure was drawn uniformly and does not
// count.
func (x *Policy) Err() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

// Probs asks a process for π(s), [B,|X|]. It waits for at most the timeout for every 512 states. Once the policy has
// failed it is Uniform, at once.
func (x *Policy) Probs(dst []float32, s mapo.States) {
	d := x.p.Queries()
	if len(dst) != len(s.N) {
		panic(fmt.Sprintf("external: probabilities for %d entries, want %d", len(dst), len(s.N)))
	}
	for lo, n := 0, s.Len(d); lo < n; lo += rowsAtOnce {
		hi := min(n, lo+rowsAtOnce)
		part := s.Slice(lo, hi, d)
		if x.Err() == nil && x.ask(dst[lo*d:hi*d], part) {
			continue
		}
		for b := range hi - lo {
			uniform(dst[(lo+b)*d:(lo+b+1)*d], part.Row(b, d).Mask)
		}
	}
}

// ask has a process answer, and reports whether it did.
func (x *Policy) ask(dst []float32, s mapo.States) bool {
	proc, err := x.take()
	if err == nil {
		err = proc.ask(dst, s)
	}
	if err != nil {
		if proc != nil {
			proc.end()
		}
		x.fail(err)
		return false
	}
	x.idle <- proc
	return true
}

// take is a process that nobody else is asking: an idle one, else a new one, else the next to be idle.
func (x *Policy) take() (*process, error) {
	select {
	case proc := <-x.idle:
		return proc, nil
	default:
	}
	x.mu.Lock()
	room := x.started < x.options.Workers
	if room {
		x.started++
	}
	x.mu.Unlock()
	if room {
		return launch(x)
	}
	select {
	case proc := <-x.idle:
		return proc, nil
	case <-x.ctx.Done():
		return nil, x.ctx.Err()
	}
}

// fail keeps the first fault and ends all processes: those that others wait for, too.
func (x *Policy) fail(err error) {
	x.mu.Lock()
	first := x.err == nil
	if first {
		x.err = fmt.Errorf("%s: %w", x.name, err)
	}
	x.mu.Unlock()
	x.end()
	if first && x.options.Fail != nil {
		x.options.Fail()
	}
}

// Close ends the processes: their input ends, and what has not ended after a moment is killed. Nobody may be asking then.
func (x *Policy) Close() error {
	var all []*process
	for len(x.idle) > 0 {
		all = append(all, <-x.idle)
	}
	for _, proc := range all {
		_ = proc.in.Close() // it ends by itself, all at once
	}
	for _, proc := range all {
		proc.finish()
	}
	x.end()
	if err := x.Err(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// uniform is mapo.UniformOver for a game that no longer counts: also where nothing is left.
func uniform(dst []float32, mask []bool) {
	for i := range dst {
		if mask == nil || !mask[i] {
			mapo.UniformOver(dst, nil, mask)
			return
		}
	}
	clear(dst)
	dst[0] = 1
}
