package store

import (
	"context"
	"io/fs"
	"slices"
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

// A checkpoint that is listed and never there is passed over.
func TestListedAlone(t *testing.T) {
	ctx, folder, job := t.Context(), open(t, t.TempDir()), KeyOf("train/1", []byte("job"))
	if err := folder.Put(ctx, checkpointName(job, 13), []byte{13}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		absent []int
		want   int
	}{{[]int{14, 15}, 13}, {[]int{13, 14}, 0}} {
		iter, data, warnings, err := LoadCheckpoint(ctx, listing{folder, job, c.absent}, job)
		if iter != c.want || (data == nil) != (iter == 0) || len(warnings) > 0 || err != nil {
			t.Errorf("without %d: iteration %d, %v, %q, %v; want %d", c.absent, iter, data, warnings, err, c.want)
		}
	}
}

// listing is a store that lists checkpoints it does not have.
type listing struct {
	Store
	job    Key
	absent []int
}

func (s listing) List(ctx context.Context, prefix string) ([]string, error) {
	names, err := s.Store.List(ctx, prefix)
	for _, iter := range s.absent {
		if name := checkpointName(s.job, iter); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, err
}

func (s listing) Get(ctx context.Context, name string) ([]byte, error) {
	for _, iter := range s.absent {
		if name == checkpointName(s.job, iter) {
			return nil, fs.ErrNotExist
		}
	}
	return s.Store.Get(ctx, name)
}
