package run

import (
	"context"
	"encoding/json"
	"errors"

	"mapo/adversary/search"
	"mapo/record"
	"mapo/run/job"
)

// searched is a worst-case search between two blocks.
type searched struct {
	State []byte
	Took  job.Took
}

// search calls run, a search by s, and saves checkpoints. It resumes from the last one, and starts
// anew where that does not fit.
func (w *work) search(ctx context.Context, s *search.Search, run func(context.Context) ([]record.Worst, error)) ([]record.Worst, error) {
	var at searched
	resumed, err := w.LastCheckpoint(ctx, func(data []byte) error { return json.Unmarshal(data, &at) })
	if err != nil {
		return nil, err
	}
	s.From, w.Earlier = at.State, at.Took
	save := func(context.Context) error { return nil } // nothing new yet
	s.Keep = func(done int, state func() []byte) error {
		if resumed {
			w.Emit(job.Event{Kind: job.Resumed, Seconds: w.Earlier.Seconds()})
			resumed = false
		}
		save = func(ctx context.Context) error {
			return w.SaveCheckpoint(ctx, done, searched{state(), w.Took()}, record.Step{})
		}
		if !w.Due() {
			return nil
		}
		return save(ctx)
	}
	worst, err := run(ctx)
	if errors.Is(err, search.ErrState) {
		if err := w.Anew(ctx, err); err != nil {
			return nil, err
		}
		s.From, w.Earlier, resumed = nil, nil, false
		worst, err = run(ctx)
	}
	if err != nil && ctx.Err() != nil {
		return nil, w.Stopped(ctx, save)
	}
	return worst, err
}
