package cluster

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"mapo/run"
	"mapo/run/job"
	"mapo/run/store"
)

// question is what the workflow asks of planning.
type question struct {
	Plan    store.Key
	Lost    int      `json:",omitempty"` // results lost so far: what was read before is not relied on
	Running []string `json:",omitempty"` // the jobs under way, by their keys' first digits
}

// digits of a key tell a run's jobs apart; a workflow's history holds many.
const digits = 12

func short(key store.Key) string { return string(key[:min(digits, len(key))]) }

// next finds out, as an activity, what can be done now, besides the jobs under way.
func (w *Worker) next(ctx context.Context, q question) (tasks []job.Task, err error) {
	defer caught("planning", &err)
	p := &pulse{send: w.sender(ctx), progress: Progress{Trace: earlier(ctx).after(0)}}
	if p.progress.Lost >= mostLost {
		return nil, deadly("planning")
	}
	ctx, done := alive(ctx, p)
	defer done()
	tasks, err = w.plans.next(ctx, q)
	return tasks, verdict(ctx, err)
}

// mostPlanners is how many runs a worker keeps in memory. One it has no more starts afresh, from the results in the
// store.
const mostPlanners = 16

// planners are those of the runs that a worker has planned last. One question is answered at a time.
type planners struct {
	store store.Store
	mu    sync.Mutex
	have  map[store.Key]*planned
}

// planned is a run's planner, made when it is first asked.
type planned struct {
	planner *run.Planner
	lost    int // as of the question that it was made for
	asked   time.Time
}

func (s *planners) next(ctx context.Context, q question) ([]job.Task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.of(ctx, q)
	if err != nil {
		return nil, err
	}
	running := map[string]bool{}
	for _, key := range q.Running {
		running[key] = true
	}
	tasks, err := p.planner.Next(ctx, func(key store.Key) bool { return running[short(key)] })
	if err != nil || len(tasks) == 0 && len(running) == 0 { // of no use any more, or not needed
		s.drop(q.Plan)
	}
	return tasks, err
}

// of returns the planner of a run. Where there are too many, that asked longest ago is dropped.
func (s *planners) of(ctx context.Context, q question) (*planned, error) {
	if p := s.have[q.Plan]; p != nil && p.lost >= q.Lost {
		p.asked = time.Now()
		return p, nil
	}
	s.drop(q.Plan)
	plan, err := run.LoadPlan(ctx, s.store, q.Plan)
	if err != nil {
		return nil, err
	}
	planner, err := run.NewPlanner(ctx, plan, s.store)
	if err != nil {
		return nil, err
	}
	if s.have == nil {
		s.have = map[store.Key]*planned{}
	}
	if len(s.have) == mostPlanners {
		s.drop(slices.MinFunc(slices.Collect(maps.Keys(s.have)), func(a, b store.Key) int { return s.have[a].asked.Compare(s.have[b].asked) }))
	}
	s.have[q.Plan] = &planned{planner, q.Lost, time.Now()}
	return s.have[q.Plan], nil
}

// drop ends the planner of a run, if there is one.
func (s *planners) drop(key store.Key) {
	if p := s.have[key]; p != nil {
		p.planner.Close()
		delete(s.have, key)
	}
}
