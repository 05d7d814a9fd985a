package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

const (
	checkpointKept   = 2  // one to go on from and one behind it, should the last be damaged
	checkpointDigits = 12 // so that names sort as numbers
)

// SaveCheckpoint puts data as job's checkpoint at iteration iter, then removes those more than one
// behind it: the last two remain. It leaves later ones alone, which an overlapping attempt may have
// written: the highest is read back, from any writer. It panics when iter is negative.
func SaveCheckpoint(ctx context.Context, s Store, job Key, iter int, data []byte) error {
	if iter < 0 {
		panic("store: checkpoint iteration is negative")
	}
	if err := s.Put(ctx, checkpointName(job, iter), data); err != nil {
		return err
	}
	iters, _, err := checkpoints(ctx, s, job)
	if err != nil {
		return err
	}
	for _, old := range behind(iters, iter) {
		if err := s.Delete(ctx, checkpointName(job, old)); err != nil {
			return err
		}
	}
	return nil
}

// LoadCheckpoint returns job's highest sound checkpoint and its iteration. Corrupt ones are skipped,
// each with a warning. When none is left, or none was ever saved, data is nil and iter 0: begin
// anew; that is not an error. (The data of a checkpoint is never nil, be it empty.) Only a store that cannot be
// read is an error.
func LoadCheckpoint(ctx context.Context, s Store, job Key) (iter int, data []byte, warnings []string, err error) {
	seen := map[int]bool{} // corrupt ones, warned of already
	gone := map[int]bool{} // those that were listed and then not there
list:
	for {
		iters, foreign, err := checkpoints(ctx, s, job)
		if err != nil {
			return 0, nil, warnings, err
		}
		for _, iter := range slices.Backward(iters) {
			if seen[iter] {
				continue
			}
			data, err := s.Get(ctx, checkpointName(job, iter))
			switch {
			case err == nil:
				if data == nil {
					data = []byte{}
				}
				return iter, data, append(warnings, foreign...), nil
			case errors.Is(err, ErrCorrupt):
				seen[iter] = true
				warnings = append(warnings, fmt.Sprintf("checkpoint of iteration %d skipped: %v", iter, err))
			case errors.Is(err, fs.ErrNotExist):
				// An overlapping attempt saved later ones and removed this between the list and the
				// read: those before it are behind.
				if !gone[iter] {
					gone[iter] = true
					continue list
				}
			default:
				return 0, nil, warnings, err
			}
		}
		return 0, nil, append(warnings, foreign...), nil
	}
}

// DropCheckpoints removes every checkpoint of job, sound or not: its result is stored.
func DropCheckpoints(ctx context.Context, s Store, job Key) error {
	iters, _, err := checkpoints(ctx, s, job)
	if err != nil {
		return err
	}
	for _, iter := range iters {
		if err := s.Delete(ctx, checkpointName(job, iter)); err != nil {
			return err
		}
	}
	return nil
}

// Reached returns the iteration of job's highest checkpoint, sound or not, -1 where there is none. It reads none.
func Reached(ctx context.Context, s Store, job Key) (iter int, err error) {
	iters, _, err := checkpoints(ctx, s, job)
	if err != nil || len(iters) == 0 {
		return -1, err
	}
	return iters[len(iters)-1], nil
}

// checkpointPrefix begins the names of job's checkpoints. Keys have one length, so none is another's
// prefix.
func checkpointPrefix(job Key) string { return "checkpoints/" + string(job) + "-" }

func checkpointName(job Key, iter int) string {
	return fmt.Sprintf("%s%0*d", checkpointPrefix(job), checkpointDigits, iter)
}

// checkpoints returns the iterations of job's checkpoints, ascending, and a warning for each name
// among them that is not an iteration.
func checkpoints(ctx context.Context, s Store, job Key) (iters []int, foreign []string, err error) {
	names, err := s.List(ctx, checkpointPrefix(job))
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		iter, err := strconv.Atoi(strings.TrimPrefix(name, checkpointPrefix(job)))
		if err != nil || iter < 0 || checkpointName(job, iter) != name {
			foreign = append(foreign, fmt.Sprintf("%s skipped: its name is not that of a checkpoint", name))
			continue
		}
		iters = append(iters, iter)
	}
	slices.Sort(iters)
	return iters, foreign, nil
}

// behind returns the iterations to remove after a save at iter: all up to iter but the last two.
func behind(iters []int, iter int) []int {
	upTo := slices.IndexFunc(iters, func(i int) bool { return i > iter })
	if upTo < 0 {
		upTo = len(iters)
	}
	return iters[:max(0, upTo-checkpointKept)]
}
