package learning_test

import (
	"testing"

	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/learning"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// TestSessionVersions: truths make versions; a session goes on with the one that it was begun with, also after a restart and
// after pruning, and one begun later plays the newest.
func TestSessionVersions(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		store, path := servetest.Opened(t, open), servetest.WriteTable(t, servetest.Pets)
		s, set := servetest.Learning(t, store, sessions.Options{Learn: learning.Options{Every: 3}}, path)
		hash := []string{set.Get("pets").Hash()}
		plain, err := servetest.Learns(path)
		must(t, err)
		if hash[0] == plain.Hash() {
			t.Error("version 0 has the base's shares, want them drawn to the middle")
		}
		var open0 []*wire.View
		for version := range 55 {
			open0 = append(open0, servetest.PlayThrough(t, s, wire.NewSession{}, "cat", 1))
			for range 2 {
				servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{}, "dog", 1).ID, "dog")
			}
			if servetest.Tends(t, s); servetest.InService(set).Version != version {
				t.Fatalf("after 2 truths of 3, version %d is in service, want %d", servetest.InService(set).Version, version)
			}
			servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{}, "cat", 1).ID, "CAT")
			servetest.Tends(t, s)
			p, games := servetest.InService(set), servetest.LearnedFrom(t, s)
			if hash = append(hash, p.Hash); p.Version != version+1 || games != 3*(version+1) || hash[version] == hash[version+1] {
				t.Fatalf("version %d of %d games, want %d", p.Version, games, version+1)
			}
		}
		kept, err := store.Versions(t.Context(), "pets")
		must(t, err)
		if len(kept) != 55 {
			t.Errorf("%d versions are kept, want all 55: each has an open session", len(kept))
		}
		for version, v := range open0[:6] {
			if version != 3 {
				servetest.Truth(t, s, v.ID, "cat")
			}
		}
		servetest.Tends(t, s)
		if kept, err = store.Versions(t.Context(), "pets"); err != nil || len(kept) != 52 { // of 56, 1, 2, 4 and 5 are neither new nor in use
			t.Fatalf("%d versions are kept, %v", len(kept), err)
		}
		restarted, _ := servetest.Learning(t, store, sessions.Options{}, path)
		for name, s := range map[string]*sessions.Sessions{"same server": s, "restarted": restarted} {
			for _, version := range []int{3, 8, 40, 54} {
				v, err := s.View(t.Context(), open0[version].ID)
				must(t, err)
				if v.State != wire.StateOpen || v.Policy.Hash != hash[version] {
					t.Errorf("%s: a session of version %d is %s with %.8s, want open with %.8s", name, version, v.State, v.Policy.Hash, hash[version])
				}
				open0[version] = servetest.Tell(t, s, v, play.No)
			}
			if n := s.Tables().Learner("pets").HeldCount(); n > learning.HeldVersions {
				t.Errorf("%d versions are held, want at most %d", n, learning.HeldVersions)
			}
		}
		s, _ = servetest.Learning(t, store, sessions.Options{}, path) // it does not hold version 4, which the store has pruned
		v, err := s.View(t.Context(), open0[4].ID)
		must(t, err)
		_, err = s.Undo(t.Context(), v.ID, &wire.UndoRequest{Step: v.Step})
		if servetest.Faulty(t, err, 409, "version 4 of the learned table"); v.State != wire.StateStale {
			t.Errorf("a session of a version that was pruned is %s", v.State)
		}
	})
}

// TestWithdrawn: withdrawing every truth gives the table back that was served before the first, bit for bit.
func TestWithdrawn(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		s, set := servetest.Learning(t, servetest.Opened(t, open), sessions.Options{Learn: learning.Options{Every: 1}}, servetest.WriteTable(t, servetest.Pets))
		first := servetest.InService(set)
		var ids []string
		for i, object := range []string{"dog", "cat", "carp or goldfish", "goldfish", "budgie", "parrot", "dog"} {
			v := servetest.PlayThrough(t, s, wire.NewSession{}, object, 2+i%3)
			ids = append(ids, servetest.Truth(t, s, v.ID, object).ID)
			servetest.Tends(t, s)
		}
		if p := servetest.InService(set); p.Version != len(ids) || p.Hash == first.Hash {
			t.Fatalf("version %d of %d truths", p.Version, len(ids))
		}
		servetest.Truth(t, s, ids[0], "cat") // a correction
		v, err := s.View(t.Context(), ids[1])
		must(t, err)
		_, err = s.Undo(t.Context(), ids[1], &wire.UndoRequest{Step: v.Step})
		must(t, err)
		for _, id := range ids {
			must(t, s.Delete(t.Context(), id))
		}
		s.Tables().Decided("pets") // or it would wait for more changes
		servetest.Tends(t, s)
		if p, games := servetest.InService(set), servetest.LearnedFrom(t, s); p.Version != len(ids)+1 || p.Hash != first.Hash || games != 0 {
			t.Errorf("version %d of %d games is not version 0 again", p.Version, games)
		}
	})
}
