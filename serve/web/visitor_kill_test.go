package web

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mapo/internal/suite"
	"mapo/rng"
	"mapo/serve/dbtest"
)

// diary is what clients were told is kept.
type diary struct {
	mu       sync.Mutex
	counts   ledger
	sessions []string // of games that are told
	right    int      // games in which a guess was
	done     atomic.Int64
}

// writing is a game that a diary is about to note.
type writing struct {
	*visitor
	key     rng.Key
	r       *rand.Rand
	who     *people
	object  int
	now     gameNow
	id      string
	order   []string // the questions in the order of their answers that stand
	answers map[string]float64
	wrong   bool // a guess was
}

// post sends what closes the session's open step.
func (w *writing) post(kind, body string) error {
	step := w.now.Step
	w.now = gameNow{}
	return w.do("POST", "/v1/sessions/"+w.id+"/"+kind, fmt.Sprintf(`{"step":%d%s}`, step, body), &w.now)
}

// answer answers the question that is asked, one in eight by half and one in eight with don't know.
func (w *writing) answer() error {
	text := w.now.Query.Text
	said := float64(w.who.answer(w.key, w.object, text))
	switch w.r.IntN(8) {
	case 0:
		said /= 2
	case 1:
		said = 0
	}
	w.order, w.answers[text] = append(w.order, text), said
	if said == 0 {
		return w.post("answers", `,"answer":null`)
	}
	return w.post("answers", fmt.Sprintf(`,"answer":%g`, said))
}

// undo takes the last answer back; after a truth, that, too.
func (w *writing) undo() error {
	last := len(w.order) - 1
	delete(w.answers, w.order[last])
	w.order = w.order[:last]
	return w.post("undo", "")
}

// counts reports whether a truth of the session says anything.
func (w *writing) counts() bool {
	for _, said := range w.answers {
		if said != 0 {
			return true
		}
	}
	return false
}

// play plays until so many answers are given; right is whether a guess was, which tells the truth.
func (w *writing) play(length int) (right bool, err error) {
	for n := 0; n < length && err == nil && !right; n++ {
		switch {
		case w.now.Guess != nil:
			right = w.now.Guess.Text == w.who.objects[w.object]
			w.wrong = !right // an undo takes back a guess, too
			err = w.post("guess", fmt.Sprintf(`,"right":%t`, right))
		case w.now.Query == nil:
			return false, nil
		default:
			err = w.answer()
		}
		if n == 2 && err == nil && len(w.order) == 3 && w.now.Guess == nil && w.r.IntN(4) == 0 {
			err = w.undo()
		}
	}
	return right, err
}

// keepAtIt plays game i, short or long, with every kind of answer, and tells its truth, some corrected, some taken
// back by an undo and some withdrawn. A request that gets no reply is sent again.
func (d *diary) keepAtIt(v *visitor, policy string, who *people, i int) error {
	defer d.done.Add(1)
	key := rng.New(5).At(i)
	r := key.Rand()
	v.keep = func() bool { return true }
	w := &writing{visitor: v, key: key, r: r, who: who, object: r.IntN(len(who.objects)), answers: map[string]float64{}}
	begin := fmt.Sprintf(`{"policy":%q,"seed":%d}`, policy, i)
	if r.IntN(3) == 0 {
		begin = fmt.Sprintf(`{"policy":%q,"seed":%d,"guess":true,"stop":0.6}`, policy, i)
	}
	if err := v.do("POST", "/v1/sessions", begin, &w.now); err != nil {
		return err
	}
	w.id = w.now.ID
	right, err := w.play(1 + r.IntN(8))
	if err != nil || !w.counts() { // a session without an answer takes no truth
		return err
	}
	if !right {
		if err := w.tellTwice(); err != nil || !w.counts() {
			return err
		}
	}
	withdrawn := r.IntN(20) == 0
	if withdrawn {
		if status, text, _ := v.call("DELETE", "/v1/sessions/"+w.id, ""); status >= 300 && status != 404 {
			return fmt.Errorf("DELETE of %s: %d %s", w.id, status, text)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if right {
		d.right++
	}
	if !withdrawn {
		d.counts.add(who.objects[w.object], w.answers)
		d.sessions = append(d.sessions, w.id)
	}
	return nil
}

// tellTwice tells the truth, at times after a wrong one, and at times takes it back with the last answer and tells it
// again.
func (w *writing) tellTwice() error {
	truth := w.who.objects[w.object]
	if w.r.IntN(10) == 0 {
		if err := w.tell(w.id, w.who.objects[w.r.IntN(len(w.who.objects))]); err != nil {
			return err
		}
	}
	if err := w.tell(w.id, truth); err != nil || w.wrong || len(w.order) == 0 || w.r.IntN(10) > 0 {
		return err
	}
	if err := w.do("GET", "/v1/sessions/"+w.id, "", &w.now); err != nil {
		return err
	}
	if err := w.undo(); err != nil || !w.counts() {
		return err
	}
	return w.tell(w.id, truth)
}

// TestKilledLearner kills the server again and again while truths come in. Afterwards its counts are those of the
// truths that were told, exactly, and the table is what the model makes of them; with every session withdrawn it is
// the table of before, byte for byte.
func TestKilledLearner(t *testing.T) {
	suite.Long(t, "kills servers of two databases")
	t.Parallel()
	for name, db := range map[string]func() string{
		"sqlite":   func() string { return fastDB(t) },
		"postgres": func() string { return dbtest.PostgresDSN(t) },
	} {
		t.Run(name, func(t *testing.T) { killLearner(t, db()) })
	}
}

func killLearner(t *testing.T, db string) {
	kills, games := 3, 120
	table, who := shortCross(t)
	if os.Getenv("MAPO_LONG") != "" {
		kills, games = 20, 2000
		table, who = crossTable(t, "authors"), readPeople(t, crossTable(t, "leuven"))
	}
	policy := idOf(table)
	flags := func(every string) []string {
		return []string{table, "--learn", "--learn-every", every, "--stop", "off"}
	}
	p := newProcess(t, mapoProgram(t), db, flags("20")...)
	p.start()
	before := pageOf(t, p.addr, policy)
	d := &diary{counts: ledger{}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		crowd(t, p.addr, 4, games, func(v *visitor, i int) error { return d.keepAtIt(v, policy, who, i) })
	}()
	pause := rng.New(uint64(time.Now().UnixNano())).Rand()
	for k := range kills {
		for d.done.Load() < int64(k*games/(kills+1)) && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(pause.IntN(50_000)) * time.Microsecond)
		p.kill()
		p.start()
	}
	<-ended
	t.Logf("%d games, %d of them told and kept, %d by a guess; %d kills", games, len(d.sessions), d.right, kills)
	sameCounts(t, countsIn(t, besideDB(t, db), policy), d.counts)
	if t.Failed() {
		t.FailNow()
	}
	p.kill()
	p.path = flags("1") // what is left is learned at once
	p.start()
	learned := besideDB(t, db)
	waiting := func() int {
		return count(t, learned, "SELECT changes - built FROM mapo_learning WHERE policy = '"+policy+"'")
	}
	suite.Await(t, func() bool { return waiting() <= 0 }, func() string { return fmt.Sprintf("%d changes wait for a version", waiting()) }) // a corrected truth leaves the number of games
	page := settled(t, p, policy, len(d.sessions))
	sameShares(t, page, readPeople(t, table), d.counts)

	slices.Sort(d.sessions)
	crowd(t, p.addr, 4, len(d.sessions), func(v *visitor, i int) error {
		return v.do("DELETE", "/v1/sessions/"+d.sessions[i], "", nil)
	})
	sameCounts(t, countsIn(t, besideDB(t, db), policy), ledger{})
	if after := settled(t, p, policy, 0); !bytes.Equal(after.sharesBytes(), before.sharesBytes()) {
		t.Errorf("with every session withdrawn, version %d serves other shares than before the first truth", after.Version)
	}
}

// settled waits until a version that counts that many games is the newest and is served, and returns its page.
func settled(t testing.TB, p *process, policy string, games int) policyPage {
	t.Helper()
	db := besideDB(t, p.db)
	var version, counted int
	var page policyPage
	suite.Await(t, func() bool {
		row := db.QueryRowContext(t.Context(), "SELECT version, games FROM mapo_versions WHERE policy = '"+policy+"' ORDER BY version DESC LIMIT 1")
		if err := row.Scan(&version, &counted); err != nil && !errors.Is(err, sql.ErrNoRows) {
			t.Fatal(err)
		}
		page = pageOf(t, p.addr, policy)
		return counted == games && page.Version == version
	}, func() string {
		return fmt.Sprintf("version %d counts %d games, want one that counts %d", version, counted, games)
	})
	return page
}

// shortCross is a small table, and people who know it a little differently.
func shortCross(t testing.TB) (table string, who *people) {
	t.Helper()
	table = t.TempDir() + "/small.csv"
	who = &people{column: map[string]int{}}
	r, text := rng.New(3).Rand(), "object"
	const objects, questions = 12, 24
	for i := range questions {
		text += fmt.Sprintf(",question %d?", i)
		who.column[fmt.Sprintf("question %d?", i)] = i
	}
	for j := range objects {
		who.objects = append(who.objects, fmt.Sprintf("object %d", j))
		text += "\n" + who.objects[j]
		var row []float64
		for range questions {
			p := float64(r.IntN(21)) / 20
			text += fmt.Sprintf(",%g", p)
			if r.IntN(6) == 0 {
				p = 1 - p
			}
			row = append(row, p)
		}
		who.yes = append(who.yes, row)
	}
	must(t, os.WriteFile(table, []byte(text+"\n"), 0o600))
	return table, who
}
