// Package scale plays a finished run again on a virtual clock, with as many workers as one likes and the times its jobs
// took: where each stage stops scaling, and what the run waits for. docs/scale.md is made of it.
//
//   - [Read]: the jobs of a run, what each waits for and how long it took.
//   - [Simulate]: those on so many workers.
//   - [Critical]: the chain of jobs that no number of workers shortens.
package scale

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"mapo/flow"
	"mapo/flow/job"
	"mapo/store"
)

// Job is a job of a run.
type Job struct {
	Stage   string // train, judge, replay, …
	For     string // the policy's name
	Seconds float64
	After   []int // all jobs that must have ended before, also those far before
}

// Read is the jobs of plan, whose run is finished in s, in the order in which a worker that could do them all would be
// given them: whatever stands in After is before. What a job waits for is found by hiding its result: what is then not
// asked for waits for it. Cost: it goes through the run once a job.
func Read(ctx context.Context, plan flow.Plan, s store.Store) ([]Job, error) {
	all, tasks, err := look(ctx, plan, s, "")
	if err != nil {
		return nil, err
	}
	if len(tasks) > 0 {
		return nil, fmt.Errorf("the run is not finished: %d jobs can be done now", len(tasks))
	}
	type found struct {
		Job
		key   string
		after map[string]bool
	}
	var jobs []found
	waits := map[string]map[string]bool{} // by key: the keys of what waits for it
	for _, key := range slices.Sorted(maps.Keys(all)) {
		data, err := s.Get(ctx, "timings/"+key)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the game, which is no job's result
		}
		var took job.Took
		if err == nil {
			err = json.Unmarshal(data, &took)
		}
		if err != nil {
			return nil, err
		}
		asked, tasks, err := look(ctx, plan, s, key)
		if err != nil {
			return nil, err
		}
		if len(tasks) != 1 || string(tasks[0].Key) != key {
			return nil, fmt.Errorf("scale: without the result %s there are %d jobs to do, want it alone", key, len(tasks))
		}
		waits[key] = map[string]bool{}
		for other := range all {
			if !asked[other] {
				waits[key][other] = true
			}
		}
		stage, _, _ := strings.Cut(tasks[0].Step, "/")
		jobs = append(jobs, found{Job{stage, tasks[0].For, took.Seconds(), nil}, key, map[string]bool{}})
	}
	for i := range jobs {
		for key, those := range waits {
			if those[jobs[i].key] {
				jobs[i].after[key] = true
			}
		}
	}
	slices.SortFunc(jobs, func(a, b found) int {
		return cmp.Or(cmp.Compare(len(a.after), len(b.after)), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.For, b.For), cmp.Compare(a.key, b.key))
	})
	out := make([]Job, len(jobs))
	for i, j := range jobs {
		out[i] = j.Job
		for at, other := range jobs[:i] {
			if j.after[other.key] {
				out[i].After = append(out[i].After, at)
			}
		}
	}
	return out, nil
}

// look goes through a run without the result of one job: the results it asks for, and what can be done then.
func look(ctx context.Context, plan flow.Plan, s store.Store, without string) (map[string]bool, []job.Task, error) {
	v := &view{Store: s, without: without, asked: map[string]bool{}}
	tasks, err := flow.Next(ctx, plan, v)
	return v.asked, tasks, err
}

// view is a store without one result, which nobody writes to.
type view struct {
	store.Store
	without string
	mu      sync.Mutex
	asked   map[string]bool
}

// Get implements store.Store.
func (v *view) Get(ctx context.Context, name string) ([]byte, error) {
	if key, ok := strings.CutPrefix(name, "artifacts/"); ok {
		v.mu.Lock()
		v.asked[key] = true
		v.mu.Unlock()
		if key == v.without {
			return nil, fs.ErrNotExist
		}
	}
	return v.Store.Get(ctx, name)
}

// Put implements store.Store, by doing nothing.
func (v *view) Put(context.Context, string, []byte) error { return nil }

// Schedule is how a run goes on so many workers.
type Schedule struct {
	Begin, End []float64 // of every job, seconds after the run began
	Seconds    float64   // until the last has ended
	Busy       float64   // of all workers together
}

// Simulate is jobs on so many workers, each of which does one at a time: a worker that is free takes the job that has been
// ready for the longest, the first of the list among equals, as a queue gives them. wait passes between a job's being
// ready and its beginning, be a worker free or not. Cost: O(n²) for n jobs.
func Simulate(jobs []Job, workers int, wait float64) Schedule {
	if workers < 1 {
		panic("scale: no workers")
	}
	s := Schedule{Begin: make([]float64, len(jobs)), End: make([]float64, len(jobs))}
	missing := make([]int, len(jobs))
	next := make([][]int, len(jobs)) // who waits for it
	ready := new(queue)
	for i, j := range jobs {
		missing[i] = len(j.After)
		for _, at := range j.After {
			next[at] = append(next[at], i)
		}
		if missing[i] == 0 {
			heap.Push(ready, event{wait, i})
		}
	}
	running := new(queue)
	for now := 0.0; ready.Len()+running.Len() > 0; {
		for ready.Len() > 0 && (*ready)[0].at <= now && running.Len() < workers {
			i := heap.Pop(ready).(event).job
			s.Begin[i], s.End[i] = now, now+jobs[i].Seconds
			s.Busy += jobs[i].Seconds
			heap.Push(running, event{s.End[i], i})
		}
		if running.Len() == workers || ready.Len() == 0 || running.Len() > 0 && (*running)[0].at <= (*ready)[0].at {
			e := heap.Pop(running).(event)
			now = e.at
			for _, i := range next[e.job] {
				if missing[i]--; missing[i] == 0 {
					heap.Push(ready, event{now + wait, i})
				}
			}
		} else {
			now = (*ready)[0].at
		}
		s.Seconds = max(s.Seconds, now)
	}
	return s
}

// event is a job and when it is ready, or has ended.
type event struct {
	at  float64
	job int
}

// queue is events, the earliest first.
type queue []event

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].job < q[j].job
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(e any)   { *q = append(*q, e.(event)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}

// Critical is the chain of jobs, each waiting for the one before, that takes longest, and its seconds. Jobs must stand
// behind those they wait for.
func Critical(jobs []Job) (path []int, seconds float64) {
	end, from := make([]float64, len(jobs)), make([]int, len(jobs))
	last := -1
	for i, j := range jobs {
		from[i] = -1
		for _, at := range j.After {
			if end[at] > end[i] {
				end[i], from[i] = end[at], at
			}
		}
		end[i] += j.Seconds
		if end[i] > seconds {
			last, seconds = i, end[i]
		}
	}
	for ; last >= 0; last = from[last] {
		path = append(path, last)
	}
	slices.Reverse(path)
	return path, seconds
}
