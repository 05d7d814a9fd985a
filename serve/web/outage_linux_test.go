package web

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	"mapo/serve/database"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// TestFullDisk keeps sessions on a disk that is too small, then on the same one grown. It needs the right to mount a file
// system and skips where there is none.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=400k"); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	defer func() { must(t, syscall.Unmount(disk, syscall.MNT_DETACH)) }()
	path := filepath.Join(disk, "s.db")
	s, set := servetest.Keeping(t, servetest.Opened(t, func() (database.Store, error) { return database.OpenSQLite(t.Context(), path) }), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	server := New(set, s, Options{})
	h, kept := server.Handler(), map[string]int{} // by session: the step it is at
	code, retry, body := 201, "", ""
	for n := 0; code < 300 && n < 5000; n++ {
		var v wire.View
		if code, retry, body = reply(t, h, request("POST", "/v1/sessions", `{"policy": "t"}`)); code == 201 {
			must(t, json.Unmarshal([]byte(body), &v))
			kept[v.ID] = 1
			if code, retry, body = reply(t, h, request("POST", "/v1/sessions/"+v.ID+"/answers", `{"step": 1, "answer": 1}`)); code == 200 {
				kept[v.ID] = 2
			}
		}
	}
	if code != 507 || retry != "10" || len(kept) == 0 {
		t.Errorf("after %d sessions: %d, Retry-After %q, %s", len(kept), code, retry, body)
	}
	ready(t, h, 503)
	server.forgotten()
	ready(t, h, 503) // a write of its own fails, too
	must(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=8m"))
	server.forgotten()
	ready(t, h, 200)
	for id, step := range kept {
		v, err := s.View(t.Context(), id)
		if err != nil || v.Step < step {
			t.Fatalf("session %s was at step %d: %+v, %v", id, step, v, err)
		}
		if code, _, body := reply(t, h, request("POST", "/v1/sessions/"+id+"/answers", fmt.Sprintf(`{"step": %d, "answer": -1}`, v.Step))); code != 200 {
			t.Fatalf("with space again: %d %s", code, body)
		}
	}
	t.Logf("%d sessions were kept before the disk was full", len(kept))
}
