package store

import (
	"context"
	"testing"
)

// overtaken is a store where another attempt saves a later checkpoint and removes the one asked
// for, between a reader's list and its first read.
type overtaken struct {
	Store
	attempt func()
}

func (s *overtaken) Get(ctx context.Context, name string) ([]byte, error) {
	if s.attempt != nil {
		s.attempt()
		s.attempt = nil
	}
	return s.Store.Get(ctx, name)
}

// A reader whose list is overtaken takes the later checkpoint, not the one before those it listed last.
func TestOvertaken(t *testing.T) {
	ctx, folder, job := t.Context(), open(t, t.TempDir()), KeyOf("train/1", []byte("job"))
	save := func(iter int) {
		if err := folder.Put(ctx, checkpointName(job, iter), []byte{byte(iter)}); err != nil {
			t.Fatal(err)
		}
	}
	save(13)
	save(14)
	s := &overtaken{folder, func() {
		save(16)
		if err := folder.Delete(ctx, checkpointName(job, 14)); err != nil {
			t.Fatal(err)
		}
	}}
	iter, data, warnings, err := LoadCheckpoint(ctx, s, job)
	if iter != 16 || len(data) != 1 || data[0] != 16 || len(warnings) > 0 || err != nil {
		t.Errorf("iteration %d, %v, %q, %v; want 16", iter, data, warnings, err)
	}
}
