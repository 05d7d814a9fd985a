package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mapo/record"
	"mapo/search"
	"mapo/store"
)

// lastCheckpoint hands the job's last sound checkpoint to use, and reports whether
// there is one that use can do with. Those damaged or of no use are warned of.
func (j *Job) lastCheckpoint(ctx context.Context, use func(data []byte) error) (bool, error) {
	_, data, warnings, err := store.LoadCheckpoint(ctx, j.Store, j.Key)
	if err != nil {
		return false, err
	}
	for _, w := range warnings {
		j.warn(w)
	}
	if data == nil {
		return false, nil
	}
	if err := use(data); err != nil {
		return false, j.anew(ctx, err)
	}
	return true, nil
}

// anew warns of a checkpoint that is of no use and drops it, or it would be found
// before those that follow.
func (j *Job) anew(ctx context.Context, why error) error {
	j.warn(fmt.Sprintf("the checkpoint is of no use (%v): the job starts anew", why))
	return store.DropCheckpoints(ctx, j.Store, j.Key)
}

// due reports whether it is time for a checkpoint.
func (j *Job) due() bool { return j.spent()-j.saved >= j.Every }

// saveCheckpoint makes v the job's checkpoint after so many iterations or blocks, and
// tells of it with step.
func (j *Job) saveCheckpoint(ctx context.Context, done int, v any, step record.Step) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := store.SaveCheckpoint(ctx, j.Store, j.Key, done, data); err != nil {
		return err
	}
	j.saved = j.spent()
	j.Emit(Event{Kind: Saved, Train: step, Seconds: j.saved})
	return nil
}

// stopped saves what was done before ctx's end, which is the error it returns.
func (j *Job) stopped(ctx context.Context, save func(context.Context) error) error {
	if err := save(context.WithoutCancel(ctx)); err != nil {
		j.warn(fmt.Sprintf("the last checkpoint could not be saved: %v", err))
	}
	return context.Cause(ctx)
}

// searched is a worst-case search between two blocks.
type searched struct {
	State []byte
	Took  Took
}

// search is run, a search by s, with checkpoints.
func (j *Job) search(ctx context.Context, s *search.Search, run func(context.Context) ([]record.Worst, error)) ([]record.Worst, error) {
	var at searched
	resumed, err := j.lastCheckpoint(ctx, func(data []byte) error { return json.Unmarshal(data, &at) })
	if err != nil {
		return nil, err
	}
	s.From, j.earlier = at.State, at.Took
	save := func(context.Context) error { return nil } // nothing new yet
	s.Keep = func(done int, state func() []byte) error {
		if resumed {
			j.Emit(Event{Kind: Resumed, Seconds: j.earlier.Seconds()})
			resumed = false
		}
		save = func(ctx context.Context) error {
			return j.saveCheckpoint(ctx, done, searched{state(), j.took()}, record.Step{})
		}
		if !j.due() {
			return nil
		}
		return save(ctx)
	}
	worst, err := run(ctx)
	if errors.Is(err, search.ErrState) {
		if err := j.anew(ctx, err); err != nil {
			return nil, err
		}
		s.From, j.earlier, resumed = nil, nil, false
		worst, err = run(ctx)
	}
	if err != nil && ctx.Err() != nil {
		return nil, j.stopped(ctx, save)
	}
	return worst, err
}
