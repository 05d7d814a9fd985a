package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mapo/internal/disk"
	"mapo/internal/num"
	"mapo/run"
	"mapo/run/store"
)

// Names in a training's folder of checkpoints, beside the store's.
const (
	lockFile    = ".lock"     // held by the process that trains; a kill leaves it free
	whoseFolder = "training/" // one object, whose key says which training it is
)

// Checkpoints is the store of a training that no run folder is made for, this process's alone.
type Checkpoints struct {
	*store.FolderStore
	dir  string
	lock *os.File
}

// OpenCheckpoints opens the folder where a plan's training keeps its checkpoints, and refuses one that another training,
// or something else, is in: [Checkpoints.Discard] removes it in the end. No other process has it until Close.
func OpenCheckpoints(ctx context.Context, dir string, plan *run.Plan) (c *Checkpoints, err error) {
	if err := ownFolder(dir); err != nil {
		return nil, err
	}
	c = &Checkpoints{dir: dir}
	if c.lock, err = takeFolder(dir); err != nil {
		return nil, err
	}
	if c.FolderStore, err = store.Folder(dir); err == nil {
		err = c.claim(ctx, plan)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Close leaves the folder to others.
func (c *Checkpoints) Close() error { return c.lock.Close() }

// takeFolder makes dir this process's. Where the system has no locks, the user sees to it.
func takeFolder(dir string) (*os.File, error) {
	cannot := func(err error) error {
		return fmt.Errorf("cannot use %s for checkpoints: %w: make the folder writable, or choose another file with --out", dir, err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, cannot(err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, cannot(err)
	}
	if errors.Is(disk.Lock(lock), disk.ErrLocked) {
		return nil, errors.Join(fmt.Errorf("another mapo train is at work in %s: wait for it, or choose another file with --out", dir), lock.Close())
	}
	return lock, nil
}

// claim notes which training the checkpoints are of.
func (c *Checkpoints) claim(ctx context.Context, plan *run.Plan) error {
	whose := whoseFolder + string(store.KeyOf("training", plan.Spec, append(num.Environment(), string(plan.Init))...))
	names, err := c.List(ctx, whoseFolder)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(names, func(name string) bool { return name != whose }) {
		return fmt.Errorf("%s has the checkpoints of another training: finish that one, move the folder away, or choose another file with --out", c.dir)
	}
	return c.Put(ctx, whose, nil)
}

// Discard takes the checkpoints away, and the folder if nothing else is in it. It stays locked until it has gone.
func (c *Checkpoints) Discard(ctx context.Context) error {
	if err := c.Remove(ctx); err != nil {
		return err
	}
	_ = os.Remove(c.lock.Name()) // it could stay, too
	_ = os.Remove(c.dir)         // with something else in it, it stays
	return nil
}

// ownFolder refuses a folder for checkpoints that holds anything else.
func ownFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot use %s for checkpoints: %w: choose another file with --out", dir, err)
	}
	own := []string{"artifacts", "checkpoints", "timings", strings.TrimSuffix(whoseFolder, "/"), ".tmp"}
	for _, e := range entries {
		if name := e.Name(); !isLock(e) && !(e.IsDir() && slices.Contains(own, name)) {
			return fmt.Errorf("%s holds %s, which is not a checkpoint, and checkpoints would go there: move it away, or choose another file with --out", dir, name)
		}
	}
	return nil
}

// isLock reports whether an entry is [takeFolder]'s, which is empty.
func isLock(e os.DirEntry) bool {
	info, err := e.Info()
	return err == nil && e.Name() == lockFile && info.Mode().IsRegular() && info.Size() == 0
}
