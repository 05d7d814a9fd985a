package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"mapo/run/store"
)

// Run tests a store. Fresh is called once a subtest and makes an empty place; what it returns opens
// that place, and is called several times: every Store it opens must see the same objects.
func Run(t *testing.T, fresh func(t *testing.T) (open func() store.Store)) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, open func() store.Store)
	}{
		{"Absent", testAbsent},
		{"RoundTrip", testRoundTrip},
		{"PutAgain", testPutAgain},
		{"PutNew", testPutNew},
		{"List", testList},
		{"Delete", testDelete},
		{"Names", testNames},
		{"Cancelled", testCancelled},
		{"OwnBytes", testOwnBytes},
		{"ManyWriters", testManyWriters},
		{"Checkpoints", testCheckpoints},
		{"OverlappingAttempts", testOverlappingAttempts},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, fresh(t)) })
	}
}

func testAbsent(t *testing.T, open func() store.Store) {
	s, ctx := open(), t.Context()
	if _, err := s.Get(ctx, "a/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get of nothing: %v, want fs.ErrNotExist", err)
	}
	if err := s.Delete(ctx, "a/b"); err != nil {
		t.Errorf("Delete of nothing: %v, want nil", err)
	}
	if names, err := s.List(ctx, ""); err != nil || len(names) != 0 {
		t.Errorf("List of an empty store: %q, %v", names, err)
	}
}

func testRoundTrip(t *testing.T, open func() store.Store) {
	ctx := t.Context()
	for i, data := range [][]byte{{}, {0}, []byte("a\r\nb\n"), bytes.Repeat([]byte{1, 2, 3, 255}, 1<<18)} {
		name := fmt.Sprintf("round/trip-%d.bin", i)
		put(t, open(), name, data)
		got, err := open().Get(ctx, name)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes came back as %d, %v", len(data), len(got), err)
		}
	}
}

func testPutAgain(t *testing.T, open func() store.Store) {
	put(t, open(), "again", []byte("same"))
	put(t, open(), "again", []byte("same"))
	want(t, open(), "again", "same")
	// Other bytes under a taken name: which of the two stays is the implementation's choice.
	if err := open().Put(t.Context(), "again", []byte("other")); err == nil {
		got, err := open().Get(t.Context(), "again")
		if err != nil || (string(got) != "same" && string(got) != "other") {
			t.Errorf("after two different Puts: %q, %v", got, err)
		}
	}
}

// testPutNew: many put different bytes under one name; all hear of the same, which is what stays.
func testPutNew(t *testing.T, open func() store.Store) {
	ctx := t.Context()
	const writers = 8
	var wg sync.WaitGroup
	var got [writers]string
	for i := range writers {
		s := open()
		wg.Go(func() {
			data, err := s.PutNew(ctx, "new/one", []byte{byte('a' + i)})
			if err != nil {
				t.Errorf("PutNew: %v", err)
			}
			got[i] = string(data)
		})
	}
	wg.Wait()
	for _, g := range got {
		if g != got[0] || len(g) != 1 {
			t.Errorf("writers were told %q", got)
			break
		}
	}
	want(t, open(), "new/one", got[0])
	if _, err := open().PutNew(ctx, "../x", nil); !errors.Is(err, store.ErrName) {
		t.Errorf("PutNew of no name: %v", err)
	}
}

func testList(t *testing.T, open func() store.Store) {
	s := open()
	names := []string{"a-b", "a/b", "a/bc", "a/b-c/d", "ab", "b"}
	for _, name := range names {
		if name != "a/b-c/d" && name != "a-b" {
			put(t, s, name, []byte(name))
		}
	}
	put(t, s, "a/b-c/d", nil)
	put(t, s, "a-b", nil)
	slices.Sort(names)
	for _, prefix := range []string{"", "a", "a/", "a/b", "a/b-", "a/b-c/d", "a/b-c/d/", "c", "../", "/", "a//", "."} {
		var keep []string
		for _, name := range names {
			if strings.HasPrefix(name, prefix) {
				keep = append(keep, name)
			}
		}
		got, err := open().List(t.Context(), prefix)
		if err != nil || !slices.Equal(got, keep) {
			t.Errorf("List(%q) = %q, %v, want %q", prefix, got, err, keep)
		}
	}
}

func testDelete(t *testing.T, open func() store.Store) {
	s, ctx := open(), t.Context()
	put(t, s, "d/one", []byte("1"))
	put(t, s, "d/two", []byte("2"))
	for range 2 { // the second is of nothing
		if err := open().Delete(ctx, "d/one"); err != nil {
			t.Errorf("Delete: %v", err)
		}
	}
	if _, err := s.Get(ctx, "d/one"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get after Delete: %v, want fs.ErrNotExist", err)
	}
	want(t, s, "d/two", "2")
	put(t, s, "d/one", []byte("1"))
	want(t, s, "d/one", "1")
}

func testNames(t *testing.T, open func() store.Store) {
	s, ctx := open(), t.Context()
	for _, name := range []string{"", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "../a", ".tmp/a", "a\\b", "a b", "a\x00", "ä",
		strings.Repeat("x", 201), strings.Repeat("x/", 300) + "x"} {
		_, get := s.Get(ctx, name)
		for op, err := range map[string]error{"Get": get, "Put": s.Put(ctx, name, nil), "Delete": s.Delete(ctx, name)} {
			if !errors.Is(err, store.ErrName) {
				t.Errorf("%s(%q): %v, want store.ErrName", op, name, err)
			}
		}
	}
	if names, err := s.List(ctx, ""); err != nil || len(names) != 0 {
		t.Errorf("after refused Puts the store holds %q, %v", names, err)
	}
}

func testCancelled(t *testing.T, open func() store.Store) {
	s := open()
	put(t, s, "kept", []byte("1"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, get := s.Get(ctx, "kept")
	_, list := s.List(ctx, "")
	for op, err := range map[string]error{"Get": get, "List": list, "Put": s.Put(ctx, "new", nil), "Delete": s.Delete(ctx, "kept")} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: %v", op, err)
		}
	}
	if names, _ := s.List(t.Context(), ""); !slices.Equal(names, []string{"kept"}) {
		t.Errorf("cancelled calls left %q", names)
	}
}

// testOwnBytes: neither side keeps a hold on the other's slice.
func testOwnBytes(t *testing.T, open func() store.Store) {
	s := open()
	data := []byte("before")
	put(t, s, "own", data)
	copy(data, "after!")
	want(t, s, "own", "before")
	got, _ := s.Get(t.Context(), "own")
	copy(got, "after!")
	want(t, s, "own", "before")
}

// testManyWriters: many attempts put the same few names while others read, list and delete: whatever a
// Get returns was put whole.
func testManyWriters(t *testing.T, open func() store.Store) {
	ctx := t.Context()
	body := func(name string) []byte { return bytes.Repeat([]byte(name), 5000) }
	names := []string{"w/one", "w/two", "w/three"}
	var wg sync.WaitGroup
	for w := range 6 {
		s := open()
		wg.Go(func() {
			for i := range 30 {
				name := names[(w+i)%len(names)]
				if w == 0 && i%3 == 0 {
					if err := s.Delete(ctx, name); err != nil {
						t.Errorf("Delete: %v", err)
					}
				}
				if err := s.Put(ctx, name, body(name)); err != nil {
					t.Errorf("Put: %v", err)
				}
				got, err := s.Get(ctx, name)
				if !errors.Is(err, fs.ErrNotExist) && (err != nil || !bytes.Equal(got, body(name))) {
					t.Errorf("Get(%s) while writing: %d bytes, %v", name, len(got), err)
				}
				if _, err := s.List(ctx, "w/"); err != nil {
					t.Errorf("List while writing: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

func testCheckpoints(t *testing.T, open func() store.Store) {
	ctx := t.Context()
	job, other := store.KeyOf("train/1", []byte("job")), store.KeyOf("train/1", []byte("other"))
	wantCheckpoint(t, open(), job, 0, "")
	for _, iter := range []int{0, 9, 10, 100} {
		save(t, open(), job, iter)
		wantCheckpoint(t, open(), job, iter, body(job, iter))
	}
	save(t, open(), other, 7)
	names, err := open().List(ctx, "checkpoints/"+string(job))
	if err != nil || len(names) != 2 {
		t.Errorf("kept %q, %v, want the last two", names, err)
	}
	for range 2 { // the second finds nothing
		if err := store.DropCheckpoints(ctx, open(), job); err != nil {
			t.Fatal(err)
		}
	}
	wantCheckpoint(t, open(), job, 0, "")
	wantCheckpoint(t, open(), other, 7, body(other, 7))
}

// testOverlappingAttempts: a second attempt starts from a checkpoint while the first still runs; both
// save, and a reader always finds a sound checkpoint that never falls behind.
func testOverlappingAttempts(t *testing.T, open func() store.Store) {
	job := store.KeyOf("train/1", []byte("overlap"))
	save(t, open(), job, 1)
	var wg sync.WaitGroup
	attempt := func() {
		s := open()
		from, _, _, err := store.LoadCheckpoint(t.Context(), s, job)
		if err != nil {
			t.Error(err)
		}
		for iter := from + 1; iter <= from+25; iter++ {
			if err := store.SaveCheckpoint(t.Context(), s, job, iter, []byte(body(job, iter))); err != nil {
				t.Error(err)
			}
			got, data, warnings, err := store.LoadCheckpoint(t.Context(), s, job)
			if err != nil || len(warnings) > 0 || got < iter || string(data) != body(job, got) {
				t.Errorf("after saving %d: iteration %d, %d bytes, %q, %v", iter, got, len(data), warnings, err)
			}
		}
	}
	for range 3 {
		wg.Go(attempt)
	}
	wg.Wait()
}

func body(job store.Key, iter int) string {
	return fmt.Sprintf("checkpoint %d of %s", iter, strings.Repeat(string(job), iter%7*100))
}

func save(t *testing.T, s store.Store, job store.Key, iter int) {
	t.Helper()
	if err := store.SaveCheckpoint(t.Context(), s, job, iter, []byte(body(job, iter))); err != nil {
		t.Fatal(err)
	}
}

func wantCheckpoint(t *testing.T, s store.Store, job store.Key, iter int, data string) {
	t.Helper()
	gotIter, got, warnings, err := store.LoadCheckpoint(t.Context(), s, job)
	if err != nil || gotIter != iter || string(got) != data || len(warnings) > 0 {
		t.Errorf("LoadCheckpoint = %d, %.40q, %q, %v, want %d, %.40q", gotIter, got, warnings, err, iter, data)
	}
}

func put(t *testing.T, s store.Store, name string, data []byte) {
	t.Helper()
	if err := s.Put(t.Context(), name, data); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, s store.Store, name, data string) {
	t.Helper()
	if got, err := s.Get(t.Context(), name); err != nil || string(got) != data {
		t.Errorf("Get(%s) = %q, %v, want %q", name, got, err, data)
	}
}
