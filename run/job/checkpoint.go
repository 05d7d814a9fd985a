package job

import (
	"context"
	"encoding/json"
	"fmt"

	"mapo/record"
	"mapo/run/store"
)

// LastCheckpoint hands the job's last sound checkpoint to use, and reports whether
// there is one that use can do with. Those damaged or of no use are warned of.
func (j *Job) LastCheckpoint(ctx context.Context, use func(data []byte) error) (bool, error) {
	_, data, warnings, err := store.LoadCheckpoint(ctx, j.Store, j.Key)
	if err != nil {
		return false, err
	}
	for _, w := range warnings {
		j.Warn(w)
	}
	if data == nil {
		return false, nil
	}
	if err := use(data); err != nil {
		return false, j.Anew(ctx, err)
	}
	return true, nil
}

// Anew warns of a checkpoint that is of no use and drops it, or it would be found
// before those that follow.
func (j *Job) Anew(ctx context.Context, why error) error {
	j.Warn(fmt.Sprintf("the checkpoint is of no use (%v): the job starts anew", why))
	return store.DropCheckpoints(ctx, j.Store, j.Key)
}

// Due reports whether it is time for a checkpoint.
func (j *Job) Due() bool { return j.Spent()-j.saved >= j.Every }

// SaveCheckpoint makes v the job's checkpoint after so many iterations or blocks, and
// tells of it with step.
func (j *Job) SaveCheckpoint(ctx context.Context, done int, v any, step record.Step) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := store.SaveCheckpoint(ctx, j.Store, j.Key, done, data); err != nil {
		return err
	}
	j.saved = j.Spent()
	j.Emit(Event{Kind: Saved, Train: step, Seconds: j.saved})
	return nil
}

// Stopped saves what was done before ctx's end, which is the error it returns.
func (j *Job) Stopped(ctx context.Context, save func(context.Context) error) error {
	if err := save(context.WithoutCancel(ctx)); err != nil {
		j.Warn(fmt.Sprintf("the last checkpoint could not be saved: %v", err))
	}
	return context.Cause(ctx)
}
