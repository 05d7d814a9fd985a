package database

import (
	"strings"
	"testing"

	"mapo/game/play"
	"mapo/serve/outage"
)

// TestFullDatabase: where the database says that the disk is full, what is kept is refused for that reason, nothing that was
// confirmed is lost, and with space again it is kept.
func TestFullDatabase(t *testing.T) {
	for name, kind := range map[string]struct{ full, free string }{
		"sqlite": {`PRAGMA max_page_count = 1`, `PRAGMA max_page_count = 1000000`}, // no more pages than there are
		"postgres": {`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = 'disk_full'; END $$;
			CREATE TRIGGER full_disk BEFORE INSERT ON mapo_turns EXECUTE FUNCTION full_disk()`, `DROP TRIGGER full_disk ON mapo_turns`},
	} {
		t.Run(name, func(t *testing.T) {
			store, ctx := opened(t, stores[name](t)), t.Context()
			execute := func(text string) {
				t.Helper()
				for part := range strings.SplitSeq(text, ";\n") {
					must(t, sqlOf(store).write(ctx, func(w writer) error { _, err := w.exec(part); return err }))
				}
			}
			must(t, store.Probe(ctx))
			n, next := someSession("before")
			must(t, store.Create(ctx, n, next))
			execute(kind.full)
			kept := 0
			var err error
			for ; err == nil && kept < 2000; kept++ { // SQLite's last page has some space
				a := step("before", next, play.Yes)
				if _, err = store.Advance(ctx, a); err == nil {
					next = a.Next
				}
			}
			if o := outage.Of(err); o == nil || o.Status != 507 || o.Retry != "10" || o.Doubt <= 0 || !strings.Contains(o.Reason, "disk of the sessions is full") {
				t.Errorf("after %d answers: %v is told as %+v", kept, err, o)
			}
			execute(kind.free)
			must(t, store.Probe(ctx))
			n, first := someSession("after")
			must(t, store.Create(ctx, n, first))
			if _, turns, err := store.Load(ctx, "before"); err != nil || len(turns) != next.Step {
				t.Errorf("%d turns are left, %v; want %d", len(turns), err, next.Step)
			}
		})
	}
}
