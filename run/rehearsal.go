package run

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"sync"

	"mapo/adversary/search"
	"mapo/record"
	"mapo/run/job"
	"mapo/run/store"
	"mapo/train"
)

// Weights of a job's work, in games of a judge. They only matter until jobs of the kind have been timed.
const (
	trainingGame = 4.   // a game of a training, forward and back
	replayShare  = 0.25 // a replay's part of the search with the same effort
)

// rehearsal is an executor that carries nothing out: it notes every job of a run and makes up a
// result, so that the run goes on to its end.
type rehearsal struct {
	plan *Plan
	mu   sync.Mutex
	jobs []*planned
}

// planned is a job as a rehearsal expects it, and how far it is.
type planned struct {
	step, policy string
	class        string  // of jobs that take alike for the same work
	work         float64 // about how many games of a judge
	iterations   int     // of a training

	begun, ended bool
	from, at     float64 // the share of the work done when this process took it up, and now
	spent        float64 // seconds of the whole machine
}

// rehearse returns the jobs that algorithm submits for plan, in the order they come, and nothing
// else of it. Which policies hold benchmarks is not known before: each π_k is taken to hold its own.
func rehearse(ctx context.Context, plan Plan, algorithm func(context.Context, *Flow) error) ([]*planned, error) {
	r := &rehearsal{plan: &plan}
	f, err := New(ctx, plan, nowhere{}, r)
	if err != nil {
		return nil, err
	}
	return r.jobs, algorithm(ctx, f)
}

// Submit implements [job.Executor].
func (r *rehearsal) Submit(_ context.Context, step string, _ store.Key, input []byte) job.Future {
	name, _, _ := strings.Cut(step, "/")
	var in struct {
		TrainInput
		Policy  Ref
		Effort  search.Effort
		Levels  []float64
		Earlier []record.Worst
		Priors  []PriorRef
		Games   int
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return job.Ready(nil, fmt.Errorf("run: input of %s: %w", step, err))
	}
	one := &planned{step: name, policy: in.For, class: name + " " + kindOf(in.Policy)}
	var result any
	switch step {
	case stepTrain:
		task := train.Task{P: r.plan.Problem, Loss: r.plan.Loss, R: in.R, B: in.B, Finite: r.plan.Finite, Config: in.Config}
		one.iterations = task.Iterations()
		one.work = trainingGame * float64(one.iterations*in.Config.M*in.Config.L)
		result = Trained{}
	case stepAverage:
		one.work, result = float64(in.Games*len(in.Priors)), []Averaged{}
	case stepCertify, stepExact:
		one.work = 1
	default:
		one.work = float64(in.Effort.Games(in.Levels))
		if step == stepReplay {
			one.work *= replayShare
		}
		result = r.worst(in.For, in.Levels)
	}
	r.mu.Lock()
	r.jobs = append(r.jobs, one)
	r.mu.Unlock()
	data, err := json.Marshal(result)
	return job.Ready(data, err)
}

// worst makes up a judge's result.
func (r *rehearsal) worst(policy string, levels []float64) []record.Worst {
	out := make([]record.Worst, len(levels))
	for i, level := range levels {
		out[i].Level, out[i].Mean = level, 1
		for k, own := range r.plan.Levels {
			if level == own && policy == PiName(k+1) {
				out[i].Mean = 0
			}
		}
	}
	return out
}

// kindOf returns the kind of policy by which the cost of its games differs.
func kindOf(r Ref) string {
	kind, _, _ := strings.Cut(r.Rival, ":")
	return kind
}

// settling reports whether a job confirms a benchmark: how many there are depends on results.
func (j *planned) settling() bool {
	return strings.HasSuffix(j.policy, secondSearch) || strings.Contains(j.policy, finely+" ")
}

// share returns the part of the work that this process has done.
func (j *planned) share() float64 { return math.Max(0, j.at-j.from) }

// nowhere is a store that keeps nothing.
type nowhere struct{ store.Store }

func (nowhere) Get(context.Context, string) ([]byte, error) { return nil, fs.ErrNotExist }
func (nowhere) Put(context.Context, string, []byte) error   { return nil }
