package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"mapo/internal/suite"
	"mapo/run/store"
	"mapo/run/store/locate"
	"mapo/run/store/storetest"
)

// bucket serves an S3 with one bucket in this process; meddle, where not nil, sees every request first and says
// whether it has answered it.
type bucket struct {
	URL     string
	backend *s3mem.Backend
	fake    http.Handler
	meddle  atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
}

func newBucket(t *testing.T) *bucket {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	b := &bucket{backend: s3mem.New()}
	if err := b.backend.CreateBucket("tests"); err != nil {
		t.Fatal(err)
	}
	b.fake = gofakes3.New(b.backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if meddle := b.meddle.Load(); meddle != nil && (*meddle)(w, r) {
			return
		}
		b.fake.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	b.URL = server.URL
	return b
}

// place is where the bucket's store is.
func (b *bucket) place(prefix string) string {
	return "s3://tests/" + prefix + "?endpoint=" + url.QueryEscape(b.URL)
}

func (b *bucket) open(t *testing.T, prefix string) store.Store {
	t.Helper()
	s, err := locate.Open(t.Context(), b.place(prefix))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (b *bucket) set(meddle func(w http.ResponseWriter, r *http.Request) bool) {
	b.meddle.Store(&meddle)
}

func TestS3(t *testing.T) {
	n := 0
	b := newBucket(t)
	storetest.Run(t, func(t *testing.T) func() store.Store {
		n++
		prefix := fmt.Sprintf("runs/%d", n)
		return func() store.Store { return b.open(t, prefix) }
	})
}

// TestS3NoPrefix: a store may have a bucket to itself.
func TestS3NoPrefix(t *testing.T) {
	b := newBucket(t)
	storetest.Run(t, func(t *testing.T) func() store.Store {
		b = newBucket(t)
		return func() store.Store { return b.open(t, "") }
	})
}

// refuse answers as S3 does.
func refuse(w http.ResponseWriter, status int, code string) bool {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
	return true
}

// TestS3Open: what cannot be used is said, soon where a server does not answer, in one line with the remedy.
func TestS3Open(t *testing.T) {
	b := newBucket(t)
	hung, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer hung.Close()
	for _, c := range []struct {
		what, place, code string
		want              string
	}{
		{"nobody listens", "s3://tests/a?endpoint=http://127.0.0.1:1", "", "check the endpoint and the network"},
		{"no answer", "s3://tests/a?endpoint=http://" + hung.Addr().String(), "", "check the endpoint and the network"},
		{"no bucket", strings.Replace(b.place("a"), "tests", "other", 1), "", "make it, or name another"},
		{"wrong key", b.place("a"), "InvalidAccessKeyId", "check AWS_ACCESS_KEY_ID"},
		{"wrong secret", b.place("a"), "SignatureDoesNotMatch", "check AWS_ACCESS_KEY_ID"},
		{"not allowed", b.place("a"), "AccessDenied", "may read, write"},
		{"full", b.place("a"), "XMinioStorageFull", "make room there"},
		{"no bucket's name", "s3:///a", "", "s3://BUCKET/PREFIX"},
		{"an odd prefix", "s3://tests/a%20b", "", "the prefix"},
		{"an odd endpoint", "s3://tests/a?endpoint=here", "", "not an http:// or https:// address"},
		{"an odd key", "s3://tests/a?endpont=http://x", "", "neither endpoint nor region"},
		{"a password", "s3://me:secret@tests/a", "", "do not belong here"},
		{"another scheme", "gs://tests/a", "", "neither a folder nor s3://"},
	} {
		t.Run(c.what, func(t *testing.T) {
			b.set(func(w http.ResponseWriter, r *http.Request) bool {
				return c.code != "" && refuse(w, http.StatusForbidden, c.code)
			})
			begin := time.Now()
			_, err := locate.Open(t.Context(), c.place)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v; want %q in it", err, c.want)
			}
			if took := time.Since(begin); took > suite.Patience {
				t.Errorf("said after %v", took)
			}
		})
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	if _, err := locate.Open(t.Context(), b.place("a")); err == nil || !strings.Contains(err.Error(), "set AWS_ACCESS_KEY_ID") {
		t.Errorf("no credentials: %v", err)
	}
}

// TestS3HalfWritten: an object that the server kept in part is refused, and repaired by the next Put; a sound one
// is never replaced.
func TestS3HalfWritten(t *testing.T) {
	b := newBucket(t)
	s := b.open(t, "run")
	b.set(b.halve)
	if err := s.Put(t.Context(), "artifacts/a", []byte("a result of some length")); err != nil {
		t.Fatal(err)
	}
	b.set(nobody)
	if _, err := s.Get(t.Context(), "artifacts/a"); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("half an object: %v, want ErrCorrupt", err)
	}
	for range 2 {
		if err := s.Put(t.Context(), "artifacts/a", []byte("whole")); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(t.Context(), "artifacts/a"); err != nil || string(got) != "whole" {
			t.Errorf("after the repair: %q, %v", got, err)
		}
	}
	if got, err := s.PutNew(t.Context(), "artifacts/a", []byte("late")); err != nil || string(got) != "whole" {
		t.Errorf("PutNew over a sound object: %q, %v", got, err)
	}
}

// TestS3Conditions: every write says over what it may go, over nothing or over the corrupt object that was seen, as another may have
// repaired it since.
func TestS3Conditions(t *testing.T) {
	b := newBucket(t)
	s := b.open(t, "run")
	b.set(b.halve)
	if err := s.Put(t.Context(), "a", []byte("a result of some length")); err != nil {
		t.Fatal(err)
	}
	half, err := b.backend.HeadObject("tests", "run/a")
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	b.set(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			asked = append(asked, r.Header.Get("If-None-Match")+r.Header.Get("If-Match"))
		}
		return false
	})
	if err := s.Put(t.Context(), "a", []byte("whole")); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("[* \"%x\"]", half.Hash); fmt.Sprint(asked) != want {
		t.Errorf("the conditions of the writes are %v, want %s", asked, want)
	}
}

// TestS3Foreign: objects that no store has put, such as those that a browser makes for folders, are not among its names.
func TestS3Foreign(t *testing.T) {
	b := newBucket(t)
	s := b.open(t, "run")
	for _, name := range []string{"run/a folder/", "run/.probe", "run/a b", "runs/other"} {
		if _, err := b.backend.PutObject("tests", name, nil, strings.NewReader("x"), 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Put(t.Context(), "a/own", nil); err != nil {
		t.Fatal(err)
	}
	if names, err := s.List(t.Context(), ""); err != nil || fmt.Sprint(names) != "[a/own]" {
		t.Errorf("the names are %q (%v)", names, err)
	}
}

func nobody(http.ResponseWriter, *http.Request) bool { return false }

// halve lets the server keep half of what is put, and believe that it is all.
func (b *bucket) halve(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPut {
		return false
	}
	b.fake.ServeHTTP(w, r)
	name := strings.TrimPrefix(r.URL.Path, "/tests/")
	if o, err := b.backend.GetObject("tests", name, nil); err == nil {
		if body, err := io.ReadAll(o.Contents); err == nil {
			body = body[:len(body)/2]
			_, _ = b.backend.PutObject("tests", name, o.Metadata, bytes.NewReader(body), int64(len(body)), nil)
		}
	}
	return true
}

// TestS3Faults: with one request in four failing, in every way a server may, every call succeeds, and what is
// read is what was put.
func TestS3Faults(t *testing.T) {
	b := newBucket(t)
	s := b.open(t, "run")
	var n, failed atomic.Int64
	b.set(func(w http.ResponseWriter, r *http.Request) bool {
		i := n.Add(1)
		if i%4 != 0 {
			return false
		}
		failed.Add(1)
		switch i / 4 % 4 {
		case 0:
			return refuse(w, http.StatusInternalServerError, "InternalError")
		case 1:
			return refuse(w, http.StatusServiceUnavailable, "SlowDown")
		case 2: // the connection breaks off
			if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
				c.Close()
			}
			return true
		}
		if r.Method != http.MethodGet || strings.Contains(r.URL.RawQuery, "list-type") {
			return refuse(w, http.StatusBadGateway, "BadGateway")
		}
		w.Header().Set("Content-Length", "4000") // so does the body
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		fmt.Fprint(w, "mapo object 1 ")
		return true
	})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			job := store.KeyOf("train/1", []byte{byte(i)})
			for iter := range 8 {
				data := fmt.Sprint(job, iter)
				if err := store.SaveCheckpoint(t.Context(), s, job, iter, []byte(data)); err != nil {
					t.Error(err)
				}
				got, read, warnings, err := store.LoadCheckpoint(t.Context(), s, job)
				if err != nil || got != iter || string(read) != data || len(warnings) > 0 {
					t.Errorf("iteration %d: %d, %q, %q, %v", iter, got, read, warnings, err)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d of %d requests failed", failed.Load(), n.Load())
}

// TestS3Cancel: a call that waits for a dead server ends with its context.
func TestS3Cancel(t *testing.T) {
	b := newBucket(t)
	s := b.open(t, "run")
	b.set(func(w http.ResponseWriter, r *http.Request) bool {
		return refuse(w, http.StatusServiceUnavailable, "SlowDown")
	})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := s.Put(ctx, "a", nil); err == nil || time.Since(begin) > suite.Patience {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}
