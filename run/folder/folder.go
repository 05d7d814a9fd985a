package folder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mapo/internal/disk"
	"mapo/internal/num"
	"mapo/record"
	"mapo/report"
	"mapo/run"
	"mapo/run/job"
	"mapo/run/store"
)

// Folder is where a run leaves what a person keeps, and its store.
//
//   - spec.yaml: the spec as resolved
//   - results.csv, report.html: the estimates; a report in one file, which opens offline
//   - figures/*.svg: the report's figures; figure-<n>-*.svg are the paper's 2 to 7
//   - policies/*.safetensors: the policies
//   - log.jsonl, checkpoints/: what happened; what --resume reads
//
// A kill at any moment loses at most the work since the last checkpoint. A run that is resumed ends
// in the bytes of an uninterrupted one: policies, and results.csv without its column of seconds. A
// folder without a run is refused.
type Folder struct {
	Dir   string
	Store store.Store
	New   bool // nothing was there before
	log   io.WriteCloser
	half  bool // a full disk has cut a line of the log short

	begun       bool     // an event was logged, or Begin called
	made        []string // files and folders that Open made, in this order
	environment bool     // Open put the store's environment
}

// ErrHeld is wrapped by Open's error where dir holds the same run and resume is false.
var ErrHeld = errors.New("holds this run already")

// Names in a run folder.
const (
	specFile    = "spec.yaml"
	resultsFile = "results.csv"
	reportFile  = "report.html"
	logFile     = "log.jsonl"
	storeFolder = "checkpoints"
)

const environmentName = "environment" // of the store's object that names kernel and architecture

// Open makes dir the folder of the run with the given resolved spec, or goes on
// with the one that is there. A folder that holds something else than a store is refused,
// and so is the same run without resume: nothing is overwritten. The run's store is s, or
// where s is nil a folder of dir.
func Open(ctx context.Context, dir string, spec []byte, resume bool, s store.Store) (_ *Folder, err error) {
	f := &Folder{Dir: dir, Store: s}
	absent := !exists(dir)
	if f.New, err = claim(dir, spec, resume); err != nil {
		return nil, err
	}
	if absent {
		f.made = append(f.made, dir)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.remove(ctx))
		}
	}()
	if s == nil {
		place := filepath.Join(dir, storeFolder)
		if !exists(place) {
			f.made = append(f.made, place)
		}
		own, err := store.Folder(place)
		if err != nil {
			return nil, err
		}
		f.Store = own
	}
	if err := f.sameMachine(ctx); err != nil {
		return nil, err
	}
	if f.New {
		path := filepath.Join(dir, specFile)
		switch err := disk.Create(path, spec); {
		case errors.Is(err, fs.ErrExist): // another process was quicker: what is there is its own
			f.made, f.environment = nil, false
			if f.New, err = claim(dir, spec, resume); err != nil {
				return nil, err
			}
		case err != nil:
			return nil, cannotWrite(path, err)
		default:
			f.made = append(f.made, path)
		}
	}
	return f, f.openLog()
}

// exists reports whether there is something at path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Begin notes that the run is under way: from now on the folder stays, see [Folder.Discard].
func (f *Folder) Begin() { f.begun = true }

// Discard closes the folder and, where the run was new and has not begun, removes what Open made, so that
// the corrected command finds nothing in its way. It reports whether it did.
func (f *Folder) Discard(ctx context.Context) (gone bool, err error) {
	if err := f.Close(); err != nil || !f.New || f.begun {
		return false, err
	}
	return true, f.remove(context.WithoutCancel(ctx))
}

// remove removes what Open made. Folders that hold anything else stay.
func (f *Folder) remove(ctx context.Context) (err error) {
	if f.environment {
		err = f.Store.Delete(ctx, environmentName)
	}
	for _, path := range slices.Backward(f.made) {
		if own, ok := f.Store.(*store.FolderStore); ok && path == filepath.Join(f.Dir, storeFolder) {
			err = errors.Join(err, own.Remove(ctx))
		}
		_ = os.Remove(path) // a folder that is not empty stays
	}
	return err
}

// HoldsRun reports whether there is a run in dir to go on with: its spec, or what was done before
// that was written.
func HoldsRun(dir string) bool {
	for _, name := range []string{specFile, storeFolder} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// claim decides whether dir may be used, and whether for the first time.
func claim(dir string, spec []byte, resume bool) (fresh bool, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return false, fmt.Errorf("cannot make the run folder: %w: choose another with --out", err)
		}
		return true, nil
	case err != nil:
		return false, fmt.Errorf("cannot use %s as run folder: %w: choose another with --out", dir, err)
	}
	if entries = visible(entries); len(entries) == 0 {
		return true, nil
	}
	had, err := os.ReadFile(filepath.Join(dir, specFile))
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(entries) == 1 && entries[0].Name() == storeFolder && entries[0].IsDir():
		return true, nil // what --store has made there, or an earlier run's results
	case errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("%s is not empty and holds no run: choose an empty or a new folder with --out", dir)
	case err != nil:
		return false, err
	case !bytes.Equal(had, spec):
		return false, fmt.Errorf("%s holds another run (%q; this one is %q): choose another folder with --out", dir, identity(had), identity(spec))
	case !resume:
		return false, fmt.Errorf("%s %w: go on with it by --resume, or choose another folder with --out", dir, ErrHeld)
	}
	return false, nil
}

// identity returns the name a resolved spec has in its first line, [run.SpecHead]'s, else a
// hash of it.
func identity(spec []byte) string {
	line, _, _ := strings.Cut(string(spec), "\n")
	if name, ok := strings.CutPrefix(line, run.SpecHead); ok && len(name) < 100 {
		return name
	}
	sum := sha256.Sum256(spec)
	return hex.EncodeToString(sum[:4])
}

// visible leaves out what a kill in the middle of a write may leave.
func visible(entries []os.DirEntry) (out []os.DirEntry) {
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e)
		}
	}
	return out
}

// sameMachine refuses to mix results of different kernels or architectures.
func (f *Folder) sameMachine(ctx context.Context) error {
	now := strings.Join(num.Environment(), ", ")
	had, err := f.Store.Get(ctx, environmentName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.environment = true
		return f.Store.Put(ctx, environmentName, []byte(now))
	case errors.Is(err, store.ErrCorrupt): // the one object whose name a user's file may have too
		return fmt.Errorf("%w; it is damaged, or yours: move it away, or choose another place with --store", err)
	case err != nil:
		return err
	case string(had) != now:
		return fmt.Errorf("%s was begun with %s, this is %s: results would not be the same bytes; choose the same kernel (MAPO_KERNEL) or another folder with --out", f.Dir, had, now)
	}
	return nil
}

func (f *Folder) openLog() error {
	path := filepath.Join(f.Dir, logFile)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file: move it away", path)
	} else if errors.Is(err, fs.ErrNotExist) {
		f.made = append(f.made, path)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	// A kill can leave half a line: it is ended, so that those behind it can be read.
	if end, err := file.Seek(0, 2); err == nil && end > 0 {
		last := make([]byte, 1)
		if _, err := file.ReadAt(last, end-1); err == nil && last[0] != '\n' {
			if _, err = file.WriteString("\n"); err != nil {
				return errors.Join(err, file.Close())
			}
		}
	}
	f.log = file
	return nil
}

// Close ends the log.
func (f *Folder) Close() error { return f.log.Close() }

// entry is a line of log.jsonl.
type entry struct {
	Time    string       `json:"time"`
	Event   string       `json:"event"`
	Step    string       `json:"step,omitempty"`
	Policy  string       `json:"policy,omitempty"`
	Seconds float64      `json:"seconds,omitempty"`
	Text    string       `json:"text,omitempty"`
	Point   *record.Step `json:"point,omitempty"`
}

// Log appends an event to log.jsonl: every one but the many of a training's
// progress that the report does not draw.
func (f *Folder) Log(e job.Event) error {
	f.begun = true
	if e.Kind == job.Progress {
		return nil
	}
	line := entry{time.Now().UTC().Format(time.RFC3339), e.Kind.String(), e.Step, e.For, e.Seconds, e.Text, nil}
	switch e.Kind {
	case job.Sampled:
		line.Point = &e.Train
	case job.Saved, job.Resumed:
		if e.Train.Iters == 0 {
			break // a search: seconds say it
		}
		line.Text = fmt.Sprintf("iteration %d of %d", e.Train.Iter, e.Train.Iters)
	}
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if f.half { // it is ended, so that this line can be read
		data = append([]byte("\n"), data...)
	}
	n, err := f.log.Write(data)
	if n > 0 {
		f.half = data[n-1] != '\n'
	}
	return err
}

// Write leaves a finished run's files; report.html comes last, so that where it
// is all is.
func (f *Folder) Write(one *run.Flow, res *run.Result) error {
	f.begun = true // also where the store had every result
	for _, dir := range []string{"policies", "figures"} {
		if err := os.MkdirAll(filepath.Join(f.Dir, dir), 0o777); err != nil {
			return err
		}
	}
	for _, p := range res.Policies {
		if p.Net == nil {
			continue
		}
		file, err := run.PolicyFile(one, p, res.Ladder)
		if err == nil {
			err = f.write(filepath.Join("policies", p.Name+".safetensors"), file)
		}
		if err != nil {
			return err
		}
	}
	page := Page(one, res)
	var rows, html bytes.Buffer
	if err := report.WriteCSV(&rows, page.Rows); err != nil {
		return err
	}
	if err := f.write(resultsFile, rows.Bytes()); err != nil {
		return err
	}
	figures, err := report.Figures(page)
	if err != nil {
		return err
	}
	for _, fig := range figures {
		if err := f.write(filepath.Join("figures", fig.Name+".svg"), fig.SVG); err != nil {
			return err
		}
	}
	if err := report.HTML(&html, page); err != nil {
		return err
	}
	return f.write(reportFile, html.Bytes())
}

// write makes data the content of a file of the folder, whole or not at all. A link in its place is not followed: it may
// lead to anything of the user's.
func (f *Folder) write(name string, data []byte) error {
	path := filepath.Join(f.Dir, name)
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: move it away", path)
	}
	if err := disk.Replace(path, data); err != nil {
		return cannotWrite(path, err)
	}
	return nil
}

func cannotWrite(path string, err error) error {
	return fmt.Errorf("write %s: %w: free some space or make the folder writable", path, err)
}
