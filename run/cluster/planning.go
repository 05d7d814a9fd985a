package cluster

import (
	"context"
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

// planners are those of the runs that a worker has planned last.
type planners struct {
	store store.Store
	mu    sync.Mutex
	have  map[store.Key]*planned
}

// planned is a run's planner, made when it is first asked.
type planned struct {
	mu      sync.Mutex // one question at a time
	planner *run.Planner
	lost    int // as of the question that it was made for

	users int // questions under way, and when the last came; under the lock of planners
	asked time.Time
}

func (s *planners) next(ctx context.Context, q question) ([]job.Task, error) {
	p := s.take(q.Plan)
	defer s.back(p)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.planner != nil && p.lost < q.Lost {
		p.drop()
	}
	if p.planner == nil {
		plan, err := run.LoadPlan(ctx, s.store, q.Plan)
		if err != nil {
			return nil, err
		}
		if p.planner, err = run.NewPlanner(ctx, plan, s.store); err != nil {
			return nil, err
		}
		p.lost = q.Lost
	}
	running := map[string]bool{}
	for _, key := range q.Running {
		running[key] = true
	}
	tasks, err := p.planner.Next(ctx, func(key store.Key) bool { return running[short(key)] })
	if err != nil || len(tasks) == 0 && len(running) == 0 { // of no use any more, or not needed
		p.drop()
	}
	return tasks, err
}

// drop ends the planner.
func (p *planned) drop() {
	p.planner.Close()
	p.planner = nil
}

// take returns the planner of a run; the caller gives it back. Where there are too many, that asked longest ago is dropped.
func (s *planners) take(key store.Key) *planned {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.have[key]
	if p == nil {
		if s.have == nil {
			s.have = map[store.Key]*planned{}
		}
		p = &planned{}
		s.have[key] = p
	}
	p.users++
	p.asked = time.Now()
	if len(s.have) > mostPlanners {
		s.evict()
	}
	return p
}

func (s *planners) back(p *planned) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.users--
}

// evict drops the planner that was asked longest ago, of those that are not being asked.
func (s *planners) evict() {
	var oldest store.Key
	for k, p := range s.have {
		if p.users == 0 && (oldest == "" || p.asked.Before(s.have[oldest].asked)) {
			oldest = k
		}
	}
	if oldest == "" {
		return
	}
	if p := s.have[oldest]; p.planner != nil {
		p.drop()
	}
	delete(s.have, oldest)
}
