package web

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"mapo/rng"
)

// begunIn is one session begun in each version of a table, under the same seeds and told games at every server.
type begunIn struct {
	policy string
	who    *people
	addr   string
}

// say is what the people say in the session of a version.
func (b *begunIn) say(version int) func(question string) int {
	key := rng.New(8).At(version)
	return func(question string) int { return b.who.answer(key, version%len(b.who.objects), question) }
}

// begin begins the session of a version, and answers so many questions.
func (b *begunIn) begin(t testing.TB, version, answers int) (id string, asked []string) {
	t.Helper()
	v := &visitor{addr: b.addr}
	defer v.close()
	var now gameNow
	must(t, v.do("POST", "/v1/sessions", fmt.Sprintf(`{"policy":%q,"seed":%d}`, b.policy, version), &now))
	return now.ID, b.goOn(t, v, now, version, answers)
}

// goOn answers so many questions more, and returns them with what is recommended then.
func (b *begunIn) goOn(t testing.TB, v *visitor, now gameNow, version, answers int) (asked []string) {
	t.Helper()
	for id := now.ID; answers > 0 && now.Query != nil; answers-- {
		asked = append(asked, now.Query.Text)
		body := fmt.Sprintf(`{"step":%d,"answer":%d}`, now.Step, b.say(version)(now.Query.Text))
		now = gameNow{}
		must(t, v.do("POST", "/v1/sessions/"+id+"/answers", body, &now))
	}
	return append(asked, fmt.Sprint(now.Recommendation, now.Confidence))
}

// learnOne tells a game of the people's and waits for the version that counts it.
func (b *begunIn) learnOne(t testing.TB, i int) {
	t.Helper()
	v := &visitor{addr: b.addr, more: fmt.Sprintf("Idempotency-Key: one-game-of-many-%08d\r\n", i)}
	defer v.close()
	key, object, history := rng.New(9).At(i), i%len(b.who.objects), ""
	for _, text := range slices.Sorted(maps.Keys(b.who.column))[:20] {
		history += fmt.Sprintf(`,{"query":%q,"answer":%d}`, text, b.who.answer(key, object, text))
	}
	must(t, v.do("POST", "/v1/policies/"+b.policy+"/games", fmt.Sprintf(`{"truth":%q,"history":[%s]}`, b.who.objects[object], history[1:]), nil))
	awaitVersion(t, b.addr, b.policy, i+1)
}

// TestSessionsKeepTheirVersion: a session goes on with the table that it was begun with: it is asked the same and ends
// as sure, however many versions there are by then, and after a restart.
func TestSessionsKeepTheirVersion(t *testing.T) {
	t.Parallel()
	versions := 20 // more than are kept in memory
	if os.Getenv("MAPO_LONG") != "" {
		versions = 75 // and than are kept unless a session needs them
	}
	table, who := shortCross(t)
	start := func() (*process, *begunIn) {
		p := newProcess(t, mapoProgram(t), fastDB(t), table, "--learn", "--learn-every", "1", "--stop", "off")
		p.start()
		return p, &begunIn{idOf(table), who, p.addr}
	}
	_, at := start() // here each is played at once
	var want [][]string
	for i := range versions {
		_, asked := at.begin(t, i, 1000)
		want = append(want, asked)
		at.learnOne(t, i)
	}
	p, later := start() // and here it waits for all the versions that follow
	ids, first := make([]string, versions), make([][]string, versions)
	for i := range versions {
		ids[i], first[i] = later.begin(t, i, 7)
		later.learnOne(t, i)
	}
	p.kill()
	p.start()
	v := &visitor{addr: p.addr}
	defer v.close()
	differ := 0
	for i, id := range ids {
		var now gameNow
		must(t, v.do("GET", "/v1/sessions/"+id, "", &now))
		asked := slices.Concat(first[i][:7], later.goOn(t, v, now, i, 1000))
		if !slices.Equal(asked, want[i]) {
			t.Errorf("the session of version %d: %q, want %q", i, asked, want[i])
		}
		if !slices.Equal(want[i], want[0]) {
			differ++
		}
	}
	db := besideDB(t, p.db)
	t.Logf("%d sessions, %d unlike the first; %d versions kept", versions, differ, count(t, db, "SELECT COUNT(*) FROM mapo_versions"))
}
