package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"mapo/internal/suite"
)

// s3 is a server of S3 in this process, with a bucket "tests", that fails as it is told.
type s3 struct {
	url     string
	backend *s3mem.Backend
	fake    http.Handler
	down    atomic.Bool
	refuse  atomic.Pointer[string] // the code of what all requests are answered with, if any
	n       atomic.Int64           // requests while down
	halved  atomic.Int64           // objects of which half was kept
}

func (w *world) s3() *s3 {
	b := &s3{backend: s3mem.New()}
	if err := b.backend.CreateBucket("tests"); err != nil {
		w.t.Fatal(err)
	}
	b.fake = gofakes3.New(b.backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
	server := httptest.NewServer(b)
	w.t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func (b *s3) place(bucket string) string {
	return "s3://" + bucket + "/runs?endpoint=" + url.QueryEscape(b.url)
}

// ServeHTTP answers, or while it is down fails in every way a server may.
func (b *s3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fail := func(status int, code string) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
	}
	if code := b.refuse.Load(); code != nil {
		fail(http.StatusForbidden, *code)
		return
	}
	if !b.down.Load() {
		b.fake.ServeHTTP(w, r)
		return
	}
	switch b.n.Add(1) % 5 {
	case 0:
		fail(http.StatusInternalServerError, "InternalError")
	case 1:
		fail(http.StatusServiceUnavailable, "SlowDown")
	case 2: // no answer, until the client has enough of it
		select {
		case <-r.Context().Done():
		case <-time.After(suite.Patience):
		}
	case 3:
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			c.Close()
		}
	case 4: // what is put is kept by half, and said to be whole
		b.fake.ServeHTTP(w, r)
		name := strings.TrimPrefix(r.URL.Path, "/tests/")
		if r.Method != http.MethodPut {
			return
		}
		if o, err := b.backend.GetObject("tests", name, nil); err == nil {
			body, _ := io.ReadAll(o.Contents)
			body = body[:len(body)/2]
			_, _ = b.backend.PutObject("tests", name, o.Metadata, bytes.NewReader(body), int64(len(body)), nil)
			b.halved.Add(1)
		}
	}
}

// bucket runs on a bucket whose server fails for half a minute (MAPO_LONG; else some seconds) once checkpoints are saved.
func (w *world) bucket() {
	outage := 4 * time.Second
	if os.Getenv("MAPO_LONG") != "" {
		outage = 30 * time.Second
	}
	b := w.s3()
	workers := []*service{w.worker(b.place("tests")), w.worker(b.place("tests"))}
	run := w.mapo("run", "harmed.yaml", "--out", "bucket", "--temporal", w.address, "--store", b.place("tests"), "--heartbeat", "1m")
	w.until(run, "a checkpoint", func() bool {
		prefix := gofakes3.NewPrefix(ptr("runs/checkpoints/"), nil)
		list, err := b.backend.ListBucket("tests", &prefix, gofakes3.ListBucketPage{})
		return err == nil && len(list.Contents) > 0
	})
	b.down.Store(true)
	time.Sleep(outage)
	b.down.Store(false)
	if err := run.wait(); err != nil {
		w.t.Fatalf("%v\n%s", err, run)
	}
	w.t.Logf("%d requests failed in %v, %d objects kept by half", b.n.Load(), outage, b.halved.Load())
	if b.halved.Load() == 0 {
		w.once(workers) // a result kept by half is made again
	}
	w.same("bucket", "harmed-whole")
}

func ptr[T any](v T) *T { return &v }

// disk fills the disk of the store in the middle of a run: the run waits, says why, and ends once there is room.
func (w *world) disk() {
	disk := w.small("disk", "16m")
	worker := w.worker("disk/store")
	run := w.mapo("run", "harmed.yaml", "--out", "filled", "--temporal", w.address, "--store", "disk/store", "--heartbeat", "1m")
	w.saying(worker, "train bayes-lal: started")
	filler := filepath.Join(disk, "filler")
	w.fill(filler)
	w.saying(run, "no space left on device")
	if err := os.Remove(filler); err != nil {
		w.t.Fatal(err)
	}
	if err := run.wait(); err != nil {
		w.t.Fatalf("%v\n%s", err, run)
	}
	w.once([]*service{worker})
	w.same("filled", "harmed-whole")
}

// small mounts a small disk on a folder, or skips.
func (w *world) small(folder, size string) string {
	w.t.Helper()
	disk := filepath.Join(w.dir, folder)
	if err := os.MkdirAll(disk, 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size="+size); err != nil {
		w.t.Skipf("cannot mount a small disk: %v", err)
	}
	w.t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	return disk
}

// fill writes a file until the disk is full.
func (w *world) fill(path string) {
	f, err := os.Create(path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 64<<10))
	}
	for _, err = f.Write([]byte{0}); err == nil; _, err = f.Write([]byte{0}) {
	}
}

// refused: what cannot work is said in one line with the remedy, and before any training.
func (w *world) refused() {
	b := w.s3()
	code := func(s string) *string { return &s }
	full := filepath.Join(w.small("crammed", "1m"), "full")
	w.fill(full)
	other := filepath.Join(w.t.TempDir(), "mapo-worker")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-tags", "other", "-o", other, ".").CombinedOutput(); err != nil {
		w.t.Fatalf("go build: %v\n%s", err, out)
	}
	id := detached.FindStringSubmatch(w.must(w.run("refused", "--detach")...))[1] // makes the store
	w.must("runs", "terminate", id, "--temporal", w.address)
	runs := 0
	run := func(store string) []string {
		runs++
		return []string{"run", "spec.yaml", "--out", fmt.Sprintf("none-%d", runs), "--temporal", w.address, "--store", store}
	}
	serve := func(store string) []string {
		return []string{"worker", "--temporal", w.address, "--store", store}
	}
	for _, c := range []struct {
		want   string
		env    string
		refuse *string
		args   []string
	}{
		{"no Temporal server answers", "", nil, []string{"worker", "--temporal", "127.0.0.1:1", "--store", "store-refused"}},
		{"no Temporal server answers", "", nil, []string{"run", "spec.yaml", "--out", "none", "--temporal", "127.0.0.1:1", "--store", "store-none"}},
		{"has no namespace", "", nil, append(serve("store-refused"), "--namespace", "other")},
		{"results would not be the same bytes", "MAPO_KERNEL=go", nil, serve("store-refused")},
		{"results would not be the same bytes", "MAPO_KERNEL=go", nil, run("store-refused")},
		{"results would not be the same bytes", "OTHER", nil, []string{"serve", "--temporal", w.address, "--store", "store-refused"}},
		{"there is no such run", "", nil, []string{"cancel", "mapo-none", "--temporal", w.address}},
		{"--temporal needs --store", "", nil, []string{"run", "spec.yaml", "--temporal", w.address}},
		{"slots are", "", nil, append(serve("store-refused"), "--slots", "train=0")},
		{"check the endpoint and the network", "", nil, run("s3://tests/a?endpoint=http://127.0.0.1:1")},
		{"check the endpoint and the network", "", nil, serve("s3://tests/a?endpoint=http://127.0.0.1:1")},
		{"make it, or name another", "", nil, run(b.place("nowhere"))},
		{"make it, or name another", "", nil, serve(b.place("nowhere"))},
		{"check AWS_ACCESS_KEY_ID", "", code("SignatureDoesNotMatch"), run(b.place("tests"))},
		{"check AWS_ACCESS_KEY_ID", "", code("InvalidAccessKeyId"), serve(b.place("tests"))},
		{"set AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY=", nil, serve(b.place("tests"))},
		{"free some space", "", nil, run("crammed/store")},
		{"free some space", "", nil, append(serve("crammed/store"), "--create")},
		{"no space left on device", "", nil, append(run("store-refused"), "--out", "crammed/out")},
	} {
		b.refuse.Store(c.refuse)
		program := filepath.Join(w.bin, "mapo")
		if c.env == "OTHER" {
			program, c.env = other, ""
		}
		ctx, cancel := context.WithTimeout(w.t.Context(), suite.Patience)
		cmd := exec.CommandContext(ctx, program, c.args...)
		cmd.Dir = w.dir
		cmd.Env = append(os.Environ(), c.env)
		out, err := cmd.CombinedOutput()
		late := ctx.Err() != nil
		cancel()
		if err == nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "started") {
			w.t.Errorf("mapo %v: %v, %s; want %q", c.args, err, out, c.want)
		}
		if late {
			w.t.Errorf("mapo %v: nothing is said in %v", c.args, suite.Patience)
		}
	}
}
