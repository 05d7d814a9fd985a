package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
	"mapo/policy/rival"
)

// pets is a table in which two objects have equal shares.
const pets = `object,barks?,purrs?,swims?,flies?,sings?
dog,0.95,0.05,0.5,0.05,0.1
cat,0.05,0.95,0.1,0.05,0.1
carp,0.05,0.05,0.95,0.05,0.05
goldfish,0.05,0.05,0.95,0.05,0.05
Budgie,0.05,0.05,0.1,0.9,0.9
parrot,0.2,0.05,0.1,0.8,0.3
`

// writeTable writes a table of shares.
func writeTable(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pets.csv")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// learns opens tables as policies that learn.
func learns(path string) (*Policy, error) {
	raw, err := dataset.ReadTable(path, "")
	if err != nil {
		return nil, err
	}
	var on func(t *table.Table) (*Policy, error)
	on = func(t *table.Table) (*Policy, error) {
		var p *game.Problem
		p, _, err := dataset.Rows(t, dataset.RowOptions{Options: dataset.Options{T: len(t.Queries), AskOnce: true}})
		if err != nil {
			return nil, err
		}
		policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
		if err != nil {
			return nil, err
		}
		return Untrained(dataset.Base(path), p, policy, Rules{Table: t, OnTable: on})
	}
	return on(raw.Table)
}

// learning keeps sessions of tables that learn.
func learning(t testing.TB, store Store, o SessionOptions, paths ...string) (*Sessions, *Set) {
	t.Helper()
	o.Learn.On = true
	return keeping(t, store, o, learns, paths...)
}

// inService returns what replies tell of the pets' policy in service.
func inService(set *Set) PolicySummary { return set.Get("pets").summary() }

// learnedFrom returns how many games the newest version of the pets' table was learned from.
func learnedFrom(t testing.TB, s *Sessions) int {
	t.Helper()
	r, err := s.Review(t.Context(), "pets")
	must(t, err)
	return r.Games
}

// tends does what the server does in the background, once.
func tends(t testing.TB, s *Sessions) {
	t.Helper()
	for _, l := range s.tables.byID {
		l.mu.Lock()
		l.rested = time.Time{} // other work may make a build long
		l.mu.Unlock()
		must(t, l.tend(t.Context()))
	}
}

// play plays a session of the pets' table for an object, whose answers are what the table says, for n questions.
func playThrough(t testing.TB, s *Sessions, in NewSession, object string, n int) *View {
	t.Helper()
	in.Policy = "pets"
	v := begin(t, s, in)
	for range n {
		v = tell(t, s, v, answerFor(object, v.Query.Text))
	}
	return v
}

// answerFor is what the pets' table says.
func answerFor(object, query string) play.Answer {
	lines := strings.Split(pets, "\n")
	head := strings.Split(lines[0], ",")
	for _, line := range lines[1:] {
		cells := strings.Split(line, ",")
		if cells[0] != object {
			continue
		}
		for i, text := range head {
			if text == query && cells[i] >= "0.5" {
				return play.Yes
			}
		}
	}
	return play.No
}

// truth tells a session's truth.
func truth(t testing.TB, s *Sessions, id, text string) *View {
	t.Helper()
	v, err := s.Tell(t.Context(), id, &TruthRequest{Truth: text})
	must(t, err)
	return v
}

// TestSessionVersions: truths make versions; a session goes on with the one that it was begun with, also after a restart and
// after pruning, and one begun later plays the newest.
func TestSessionVersions(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		store, path := opened(t, open), writeTable(t, pets)
		s, set := learning(t, store, SessionOptions{Learn: LearnOptions{Every: 3}}, path)
		hash := []string{set.Get("pets").Hash()}
		plain, err := learns(path)
		must(t, err)
		if hash[0] == plain.Hash() {
			t.Error("version 0 has the base's shares, want them drawn to the middle")
		}
		var open0 []*View
		for version := range 55 {
			open0 = append(open0, playThrough(t, s, NewSession{}, "cat", 1))
			for range 2 {
				truth(t, s, playThrough(t, s, NewSession{}, "dog", 1).ID, "dog")
			}
			if tends(t, s); inService(set).Version != version {
				t.Fatalf("after 2 truths of 3, version %d is in service, want %d", inService(set).Version, version)
			}
			truth(t, s, playThrough(t, s, NewSession{}, "cat", 1).ID, "CAT")
			tends(t, s)
			p, games := inService(set), learnedFrom(t, s)
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
				truth(t, s, v.ID, "cat")
			}
		}
		tends(t, s)
		if kept, err = store.Versions(t.Context(), "pets"); err != nil || len(kept) != 52 { // of 56, 1, 2, 4 and 5 are neither new nor in use
			t.Fatalf("%d versions are kept, %v", len(kept), err)
		}
		restarted, _ := learning(t, store, SessionOptions{}, path)
		for name, s := range map[string]*Sessions{"same server": s, "restarted": restarted} {
			for _, version := range []int{3, 8, 40, 54} {
				v, err := s.View(t.Context(), open0[version].ID)
				must(t, err)
				if v.State != stateOpen || v.Policy.Hash != hash[version] {
					t.Errorf("%s: a session of version %d is %s with %.8s, want open with %.8s", name, version, v.State, v.Policy.Hash, hash[version])
				}
				open0[version] = tell(t, s, v, play.No)
			}
			if n := len(s.tables.byID["pets"].versions.list); n > heldVersions {
				t.Errorf("%d versions are held, want at most %d", n, heldVersions)
			}
		}
		s, _ = learning(t, store, SessionOptions{}, path) // it does not hold version 4, which the store has pruned
		v, err := s.View(t.Context(), open0[4].ID)
		must(t, err)
		_, err = s.Undo(t.Context(), v.ID, &UndoRequest{Step: v.Step})
		if faulty(t, err, 409, "version 4 of the learned table"); v.State != stateStale {
			t.Errorf("a session of a version that was pruned is %s", v.State)
		}
	})
}

// TestWithdrawn: withdrawing every truth gives the table back that was served before the first, bit for bit.
func TestWithdrawn(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, set := learning(t, opened(t, open), SessionOptions{Learn: LearnOptions{Every: 1}}, writeTable(t, pets))
		first := inService(set)
		var ids []string
		for i, object := range []string{"dog", "cat", "carp or goldfish", "goldfish", "budgie", "parrot", "dog"} {
			v := playThrough(t, s, NewSession{}, object, 2+i%3)
			ids = append(ids, truth(t, s, v.ID, object).ID)
			tends(t, s)
		}
		if p := inService(set); p.Version != len(ids) || p.Hash == first.Hash {
			t.Fatalf("version %d of %d truths", p.Version, len(ids))
		}
		truth(t, s, ids[0], "cat") // a correction
		v, err := s.View(t.Context(), ids[1])
		must(t, err)
		_, err = s.Undo(t.Context(), ids[1], &UndoRequest{Step: v.Step})
		must(t, err)
		for _, id := range ids {
			must(t, s.Delete(t.Context(), id))
		}
		s.tables.Decided("pets") // or it would wait for more changes
		tends(t, s)
		if p, games := inService(set), learnedFrom(t, s); p.Version != len(ids)+1 || p.Hash != first.Hash || games != 0 {
			t.Errorf("version %d of %d games is not version 0 again", p.Version, games)
		}
	})
}
