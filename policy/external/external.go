package external

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"mapo/game"
	"mapo/policy/decision"
)

// Prefix begins the name of a policy that is a program. Only a command line's own words are ever looked at for it: what a
// spec or a policy file says is never run.
const Prefix = "cmd:"

// rowsAtOnce is the most states of one line.
const rowsAtOnce = 512

// Options say how a command is played. The zero value is ready.
type Options struct {
	// Decision is how the policy recommends, by its name in package decision: "": by least squares. Loss is what the posterior's
	// recommendation keeps least.
	Decision string
	Loss     game.Loss

	Workers int           // processes at most, started as they are needed; 0: as many as the machine runs at once
	Timeout time.Duration // what a reply may take; 0: 30 s
	First   time.Duration // what the first reply of a process may take, which may have to load a model; 0: Timeout
	// Lasting policies outlive their processes: a fault ends the process and fails what was asked of it, and another
	// process is started in its place, ever later where it fails again. Else the first fault ends the policy.
	Lasting bool
	Fail    func(error) // called with every fault of a process, which is one where the policy does not last; may be nil
}

// Policy is a command as a game.Policy. It may be used concurrently: every caller at a time has a process of its own.
type Policy struct {
	p       *game.Problem
	hello   []byte // the first line that a process gets
	name    string
	words   []string // of the command
	options Options
	by      game.Decider
	ctx     context.Context
	end     context.CancelFunc
	idle    chan *process // with room for all

	mu       sync.Mutex
	started  int // processes there are, or are about to be
	err      error
	starting bool // whether one is being started aside
	retired  bool
	pause    time.Duration // before the next process, after a fault
	resting  int           // faults after which the pause is not over: no process is started then
}

// Start runs the command once and asks it about the first state of a game: a command that cannot be run, or is not a policy,
// is told here. It is split into words at blanks, but for those between quotes; no shell is involved. Whatever is still
// running is killed when ctx ends.
//
// The program is greeted with one line, which it does not answer:
//
//	{"mapo":"policy over lines 1","queries":25,"hypotheses":26,"budget":20,"ask_once":false,
//	 "problem":{"name":"…","queries":["…",…],"hypotheses":["…",…],"z":["0101…",…]}}
//
// Where the hypotheses are rows of shares, it is of version 2. z is then 2·share − 1, real numbers:
//
//	{"mapo":"policy over lines 2","queries":116,"hypotheses":126,"budget":20,"ask_once":true,
//	 "truth":"rows","decision":"least-squares",
//	 "problem":{"name":"…","queries":["…",…],"hypotheses":["…",…],"z":[[0.8,-1,…],…],
//	            "offsets":[-40.1,…],"weights":[0.008,…],"unknown":["0010…",…],"wrong_answers":0.1,"other":true}}
//
// The last three are left out where the table has no such cells, the share of wrong answers is inferred, and no hypothesis is
// "none of these". decision is how the policy recommends, which the program has no part in.
//
// Where queries are vectors, it is of version 3. It has the vectors of the queries as x and those of the hypotheses as z. The
// mean answer to a query is ⟨x, θ⟩, and the best hypothesis has the largest ⟨z, θ⟩.
//
//	{"mapo":"policy over lines 3","queries":20,"hypotheses":10,"budget":40,"ask_once":false,
//	 "problem":{"name":"…","queries":["…",…],"hypotheses":["…",…],"x":[[0.5,-1,…],…],"z":[[1,0,…],…]}}
//
// Every further line asks about a batch of states and gets one line back. When its input ends, the program should end, too:
//
//	{"n":[[0,1,…],…],"s":[[0,-1,…],…],"left":[19,…],"level":null,"mask":null}
//	{"probs":[[0.04,0.04,…],…]}
//
// n and s are the answers to each query and their sum. left is the answers left in the game. level is log₂ of the
// difficulty to be ready for, or null. mask has 1 where a query may not be asked, or is null where all may.
// A row of probs is as long as one of n, not negative, sums to 1, and is 0 where masked; {"error":"…"}
// in place of it ends the evaluation with that reason. What it writes to standard error is for its author: the last line
// is told when it dies.
func Start(ctx context.Context, p *game.Problem, command string, o Options) (*Policy, error) {
	words, err := split(command)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", Prefix, command, err)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.First <= 0 {
		o.First = o.Timeout
	}
	if o.Decision == "" {
		o.Decision = decision.LeastSquares
	}
	hello, err := greeting(nil, p, o.Decision)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", Prefix, command, err)
	}
	by, err := decision.New(p, o.Loss, o.Decision)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", Prefix, command, err)
	}
	x := &Policy{p: p, hello: hello, name: Prefix + command, words: words, options: o, by: by, started: 1, idle: make(chan *process, o.Workers)}
	x.ctx, x.end = context.WithCancel(ctx)
	proc, err := x.ready()
	if err != nil {
		x.end()
		return nil, fmt.Errorf("%s: %w", x.name, err)
	}
	x.idle <- proc
	return x, nil
}

// ready starts a process and asks it about the first state of a game.
func (x *Policy) ready() (*process, error) {
	d := x.p.Queries()
	proc, err := launch(x)
	if err != nil {
		return nil, err
	}
	if err := proc.ask(make([]float32, d), game.States{N: make([]float32, d), S: make([]float32, d)}); err != nil {
		proc.end()
		return nil, err
	}
	return proc, nil
}

// String returns the policy's name in results: cmd: and the command.
func (x *Policy) String() string { return x.name }

// Decision returns how the policy recommends, by its name in package decision.
func (x *Policy) Decision() string { return x.options.Decision }

// Decide writes the recommendation to dst, [B,|Z|], by [Options.Decision]. The program is not asked.
func (x *Policy) Decide(dst []float32, s game.States) { x.by.Decide(dst, s) }

// Err returns why the policy has failed, nil while it has not. What was played after a failure was drawn
// uniformly and does not count.
func (x *Policy) Err() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

// Probs asks a process for π(s), [B,|X|]. It waits for at most the timeout for every 512 states. Once the policy has
// failed it is Uniform, at once.
func (x *Policy) Probs(dst []float32, s game.States) {
	x.each(dst, s, func(dst []float32, part game.States) bool {
		if x.ask(dst, part) != nil {
			d := x.p.Queries()
			for b := range part.Len(d) {
				uniform(dst[b*d:(b+1)*d], part.Row(b, d).Mask)
			}
		}
		return true
	})
}

// Ask asks a process for π(s) as Probs does, for a caller that can do without an answer: it returns the fault, an
// [*Unavailable] where the policy lasts.
func (x *Policy) Ask(dst []float32, s game.States) (err error) {
	x.each(dst, s, func(dst []float32, part game.States) bool {
		err = x.ask(dst, part)
		return err == nil
	})
	return err
}

// each calls do with as many states as go in a line, until it says no.
func (x *Policy) each(dst []float32, s game.States, do func(dst []float32, part game.States) bool) {
	d := x.p.Queries()
	if len(dst) != len(s.N) {
		panic(fmt.Sprintf("external: probabilities for %d entries, want %d", len(dst), len(s.N)))
	}
	for lo, n := 0, s.Len(d); lo < n; lo += rowsAtOnce {
		hi := min(n, lo+rowsAtOnce)
		if !do(dst[lo*d:hi*d], s.Slice(lo, hi, d)) {
			return
		}
	}
}

// ask writes a process's answer to dst, and returns the fault.
func (x *Policy) ask(dst []float32, s game.States) error {
	if err := x.Err(); err != nil {
		return err
	}
	proc, err := x.take()
	if err != nil {
		return err
	}
	if err := proc.ask(dst, s); err != nil {
		proc.end()
		return x.fail(err)
	}
	x.mu.Lock()
	x.pause = 0
	x.mu.Unlock()
	x.give(proc)
	return nil
}

// Close ends the processes: their input ends, and what has not ended after a moment is killed. No caller may be asking then.
func (x *Policy) Close() error {
	x.Retire()
	x.end()
	if err := x.Err(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// uniform writes game.UniformOver to dst for a game that no longer counts. Where nothing is left, the first query has
// probability 1.
func uniform(dst []float32, mask []bool) {
	for i := range dst {
		if mask == nil || !mask[i] {
			game.UniformOver(dst, nil, mask)
			return
		}
	}
	clear(dst)
	dst[0] = 1
}
