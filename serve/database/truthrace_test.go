package database

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mapo/data/learn"
	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/serve/dbtest"
)

// withdrawals counts the games that a store's transactions delete.
type withdrawals struct {
	writer
	n int64
}

func (w *withdrawals) query(query string, args []any, each func(row) error) error {
	return w.writer.query(query, args, func(r row) error {
		if query == deleteGame {
			w.n++
		}
		return each(r)
	})
}

// countWithdrawals adds what a store deletes to n.
func countWithdrawals(s Store, n *atomic.Int64) {
	st := sqlOf(s)
	write := st.write
	st.write = func(ctx context.Context, do func(writer) error) error {
		var w withdrawals
		err := write(ctx, func(inner writer) error { w = withdrawals{writer: inner}; return do(&w) })
		if err == nil {
			n.Add(w.n)
		}
		return err
	}
}

// chaos is what many workers do to a store at once.
type chaos struct {
	t         *testing.T
	s         Store
	r         *rand.Rand
	told      *atomic.Int64 // truths that were kept
	proposals bool
}

func (c *chaos) fine(err error) {
	if err != nil && !errors.Is(err, ErrNoSession) && !errors.Is(err, ErrBuilt) && !errors.Is(err, ErrDecided) && !errors.Is(err, ErrNoProposal) {
		c.t.Error(err)
	}
}

func (c *chaos) at() time.Time { return someTime.Add(time.Duration(c.r.IntN(100)) * time.Second) }

// answersSoFar are the answers of a session that count.
func answersSoFar(turns []Turn) (list []play.Answered) {
	for i := range turns {
		if t := &turns[i]; t.Counts() && t.Outcome == OutcomeAnswer {
			list = append(list, play.Answered{Query: t.Query, Answer: t.Answer})
		}
	}
	return list
}

// session does something to one of a few sessions.
func (c *chaos) session() {
	ctx, id := c.t.Context(), fmt.Sprint("s", c.r.IntN(12))
	n, turns, err := c.s.Load(ctx, id)
	if errors.Is(err, ErrNoSession) {
		n, first := someSession(id)
		n.Version = c.r.IntN(3)
		n.Touched = c.at()
		_ = c.s.Create(ctx, n, first) // another one may be faster
		return
	}
	if err != nil {
		c.t.Error(err)
		return
	}
	open := turns[len(turns)-1]
	truth := someTruth(id, open.Step, c.r.IntN(4), answersSoFar(turns)...)
	truth.Client.ID, truth.At = fmt.Sprint("a:", c.r.IntN(4)), c.at()
	next := step(id, open, []play.Answer{play.Yes, play.No, play.Probably, play.ProbablyNot}[c.r.IntN(4)])
	next.Closed.Answered = c.at()
	switch k := c.r.IntN(10); {
	case k < 3:
		got, err := c.s.Tell(ctx, truth)
		c.fine(err)
		if got == TellNew {
			c.told.Add(1)
		}
	case k < 4:
		_, err := c.s.Delete(ctx, id)
		c.fine(err)
	case k < 5:
		next.Closed.Outcome = OutcomeRight
		truth.Step = 0
		ok, err := c.s.AdvanceTold(ctx, next, &truth, false)
		c.fine(err)
		if ok {
			c.told.Add(1)
		}
	case k < 7:
		next.Closed.Outcome = OutcomeUndo
		for i := range slices.Backward(turns) {
			if turns[i].Counts() {
				next.Undone = turns[i].Step
				_, err := c.s.AdvanceTold(ctx, next, nil, !n.Told.IsZero())
				c.fine(err)
				break
			}
		}
	default:
		_, err := c.s.Advance(ctx, next)
		c.fine(err)
	}
}

// elsewhere tells or withdraws one of a few games that were played elsewhere.
func (c *chaos) elsewhere() {
	ctx, id := c.t.Context(), fmt.Sprint("p/", c.r.IntN(6))
	if c.r.IntN(2) == 0 {
		_, err := c.s.Withdraw(ctx, id)
		c.fine(err)
		return
	}
	truth := someTruth(id, 0, c.r.IntN(4), play.Answered{Query: c.r.IntN(5), Answer: play.Yes})
	truth.At = c.at()
	if c.proposals && c.r.IntN(2) == 0 {
		truth.Objects, truth.Proposal = nil, 1+c.r.Int64N(8)
	}
	got, err := c.s.Tell(ctx, truth)
	c.fine(err)
	if got == TellNew {
		c.told.Add(1)
	}
}

// moderate proposes something, or decides it.
func (c *chaos) moderate() {
	ctx := c.t.Context()
	if c.r.IntN(2) == 0 {
		_, err := c.s.Decide(ctx, Decision{Policy: "p", Proposal: 1 + c.r.Int64N(8), Accept: c.r.IntN(4) > 0, At: someTime})
		c.fine(err)
		return
	}
	_, err := c.s.Propose(ctx, Proposal{Policy: "p", Kind: KindObject, Text: fmt.Sprint("new", c.r.IntN(8)), Game: fmt.Sprint("s", c.r.IntN(12)), Client: fmt.Sprint("a:", c.r.IntN(4)), Created: someTime})
	c.fine(err)
}

// build makes a version that leaves some games out.
func (c *chaos) build() {
	ctx := c.t.Context()
	_, err := c.s.Exclusive(ctx, "p", func(write func(VersionWrite) error) error {
		v, err := c.s.Snapshot(ctx, "p")
		if err != nil {
			return err
		}
		w := VersionWrite{VersionInfo: VersionInfo{Version: v.Version + 1, Built: someTime}, Changes: v.Changes}
		for _, g := range v.Games {
			switch out := c.r.IntN(5) == 0; {
			case out && !g.Excluded:
				w.Exclude = append(w.Exclude, g.ID)
			case !out && g.Excluded:
				w.Include = append(w.Include, g.ID)
			}
		}
		c.r.Shuffle(len(w.Exclude), func(i, j int) { w.Exclude[i], w.Exclude[j] = w.Exclude[j], w.Exclude[i] })
		return write(w)
	})
	c.fine(err)
}

func (c *chaos) something() {
	switch k := c.r.IntN(20); {
	case k == 0:
		_, err := c.s.Expire(c.t.Context(), Old{Open: someTime, Any: someTime.Add(8 * time.Second)})
		c.fine(err)
	case k == 1:
		c.build()
	case k < 6:
		c.elsewhere()
	case k < 8 && c.proposals:
		c.moderate()
	default:
		c.session()
	}
}

// TestTruthRace: after many have told, corrected, withdrawn and deleted truths at once, also by two servers, while
// versions were built, sessions expired and proposals were decided, the counts are those of the games, every effective
// change was counted, and each truth is about the answers that its session has. No transaction met a deadlock.
func TestTruthRace(t *testing.T) {
	t.Parallel()
	most := 100
	if suite.Reduced() {
		most = 50
	}
	for _, proposals := range []bool{false, true} {
		eachStore(t, func(t *testing.T, open func() (Store, error)) {
			list := []Store{opened(t, open), opened(t, open)}
			enlisted(t, list[0], "p", 4, 5)
			var told, withdrawn atomic.Int64
			for _, s := range list {
				countWithdrawals(s, &withdrawn)
			}
			var group sync.WaitGroup
			for w := range 8 {
				c := &chaos{t, list[w%2], rand.New(rand.NewPCG(uint64(w), 7)), &told, proposals}
				group.Go(func() {
					for range most {
						c.something()
					}
				})
			}
			group.Wait()
			v := checkCounts(t, list[0])
			if want := told.Load() + withdrawn.Load(); !proposals && v.Changes != want {
				t.Errorf("%d changes, want %d: %d told and %d withdrawn", v.Changes, want, told.Load(), withdrawn.Load())
			}
			checkTold(t, list[1])
			t.Logf("%d told, %d withdrawn, version %d", told.Load(), withdrawn.Load(), v.Version)
		})
	}
}

// checkCounts wants the counts that the games have.
func checkCounts(t *testing.T, s Store) *Snapshot {
	t.Helper()
	sum := tallied{cells: learn.Tally{}}
	must(t, s.EachGame(t.Context(), "p", func(g Told) error { sum.add(&g, 1); return nil }))
	v, err := s.Snapshot(t.Context(), "p")
	must(t, err)
	if want := sum.cells.Cells(); len(want)+len(v.Counts) > 0 && !reflect.DeepEqual(v.Counts, want) {
		t.Errorf("the counts are %v, want %v", v.Counts, want)
	}
	return v
}

// checkTold wants a game for each session that has a truth, with the session's answers, and no other ones.
func checkTold(t *testing.T, s Store) {
	t.Helper()
	ctx, games := t.Context(), map[string]Told{}
	must(t, s.EachGame(ctx, "p", func(g Told) error {
		if !g.At.IsZero() && !strings.Contains(g.ID, "/") {
			games[g.ID] = g
		}
		return nil
	}))
	list, err := s.List(ctx, "", 10_000)
	must(t, err)
	for _, n := range list {
		g, ok := games[n.ID]
		delete(games, n.ID)
		if ok == n.Told.IsZero() || g.Truth != n.Truth {
			t.Errorf("session %s has the truth %q, told at %v, and its game %+v", n.ID, n.Truth, n.Told, g)
		}
		_, turns, err := s.Load(ctx, n.ID)
		must(t, err)
		if want := answersSoFar(turns); ok && !slices.Equal(want, g.Answers) {
			t.Errorf("session %s has the answers %v, and its game %v", n.ID, want, g.Answers)
		}
	}
	if len(games) > 0 {
		t.Errorf("games have no session: %v", games)
	}
}

// teller is a helper: it plays, tells and sometimes deletes sessions from one on, and says each when it is done.
func teller(args []string) {
	ctx := context.Background()
	var k int
	_, err := fmt.Sscan(args[1], &k)
	var s Store
	if err == nil {
		s, err = openDB(ctx, args[0])
	}
	for ; err == nil; k++ {
		if err = tellOne(ctx, s, k); err == nil {
			fmt.Println(k)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}

// tellOne does a session, however much of it was done before. It is deleted if it is a third one, and corrected if it is
// another third.
func tellOne(ctx context.Context, s Store, k int) error {
	id := fmt.Sprint("k", k)
	n, first := someSession(id)
	if _, _, err := s.Load(ctx, id); errors.Is(err, ErrNoSession) {
		if err := s.Create(ctx, n, first); err != nil {
			return err
		}
	}
	if _, err := s.Advance(ctx, step(id, first, play.Yes)); err != nil {
		return err
	}
	objects := []int{k % 7}
	if k%3 == 1 {
		objects = append(objects, 7)
	}
	for _, object := range objects {
		_, err := s.Tell(ctx, someTruth(id, 2, object, play.Answered{Query: first.Query, Answer: play.Yes}))
		if err != nil {
			return err
		}
	}
	if k%3 == 2 {
		_, err := s.Delete(ctx, id)
		return err
	}
	return nil
}

// TestKilledTeller: where a program is killed again and again, and repeats what was not confirmed, no truth is lost and
// none is counted twice.
func TestKilledTeller(t *testing.T) {
	t.Parallel()
	for name, db := range map[string]func() string{
		"sqlite":   func() string { return filepath.Join(t.TempDir(), "s.db") },
		"postgres": func() string { return dbtest.PostgresDSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			db, done := db(), 0
			r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
			for range 8 {
				cmd := exec.Command(os.Args[0], "teller", db, fmt.Sprint(done))
				out, err := cmd.StdoutPipe()
				must(t, err)
				must(t, cmd.Start())
				lines := bufio.NewScanner(out)
				for end := done + 5 + r.IntN(20); done < end && lines.Scan(); done++ {
				}
				time.Sleep(time.Duration(r.IntN(5000)) * time.Microsecond)
				_ = cmd.Process.Kill()
				for lines.Scan() { // said before it died
					done++
				}
				_ = cmd.Wait()
			}
			s := opened(t, func() (Store, error) { return openDB(t.Context(), db) })
			must(t, tellOne(t.Context(), s, done)) // which may have been begun
			want := learn.Tally{}
			for k := range done + 1 {
				object := k % 7
				if k%3 == 1 {
					object = 7
				}
				if k%3 != 2 {
					want.Add(object, learn.OfGames, 2, 0)
					want.Add(object, 3, 2, 0)
				}
			}
			v := checkCounts(t, s)
			if !reflect.DeepEqual(v.Counts, want.Cells()) {
				t.Errorf("the counts are %v, want %v", v.Counts, want.Cells())
			}
			checkTold(t, s)
			t.Logf("%d sessions, %d changes", done+1, v.Changes)
		})
	}
}
