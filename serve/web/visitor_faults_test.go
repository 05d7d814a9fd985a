package web

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"mapo/internal/suite"
)

// turnedDown fails unless a request is refused with that status and one clear line, which says all of want.
func turnedDown(t testing.TB, v *visitor, method, path, body string, status int, want ...string) {
	t.Helper()
	got, text, err := v.call(method, path, body)
	must(t, err)
	var p struct{ Detail string }
	if err := json.Unmarshal(text, &p); err != nil || got != status || p.Detail == "" || strings.Contains(p.Detail, "\n") {
		t.Errorf("%s %s %.200s: %d %s (%v), want %d and one line", method, path, body, got, text, err, status)
	}
	for _, part := range want {
		if !strings.Contains(p.Detail, part) {
			t.Errorf("%s %s %.200s: %q does not say %q", method, path, body, p.Detail, part)
		}
	}
	t.Logf("%d %s", got, p.Detail)
}

// TestBadTruths: what cannot be learned is refused in one line, and nothing that was told is lost.
func TestBadTruths(t *testing.T) {
	bin := mapoProgram(t)
	table, who := shortCross(t)
	policy, db := idOf(table), fastDB(t)
	flags := []string{table, "--learn", "--learn-every", "5", "--stop", "off"}
	p := newProcess(t, bin, db, flags...)
	p.start()
	v := &visitor{addr: p.addr}
	defer v.close()
	want := ledger{}
	var last gameNow
	for i := range 7 {
		answers := map[string]float64{}
		end, err := v.session(policy, i, func(question string) int {
			answers[question] = 1
			return 1
		})
		must(t, err)
		must(t, v.tell(end.ID, who.objects[i]))
		want.add(who.objects[i], answers)
		last = end
	}
	var empty, untold gameNow
	must(t, v.do("POST", "/v1/sessions", fmt.Sprintf(`{"policy":%q}`, policy), &empty))
	untold, err := v.session(policy, 8, func(string) int { return -1 })
	must(t, err)
	turnedDown(t, v, "POST", "/v1/sessions/"+untold.ID+"/truth", `{"truth":"objct 3"}`, 422, "objct 3", "object 3")
	turnedDown(t, v, "POST", "/v1/sessions/"+untold.ID+"/truth", `{"truth":""}`, 422)
	turnedDown(t, v, "POST", "/v1/sessions/"+empty.ID+"/truth", `{"truth":"object 3"}`, 409, "answer")
	turnedDown(t, v, "POST", "/v1/sessions/none/truth", `{"truth":"object 3"}`, 404)
	turnedDown(t, v, "POST", "/v1/sessions/"+last.ID+"/answers", fmt.Sprintf(`{"step":%d,"answer":1}`, last.Step), 409)
	conn := besideDB(t, db)
	sameCounts(t, countsIn(t, conn, policy), want)

	// The table is replaced by one without an object that has games.
	p.kill()
	good, err := os.ReadFile(table)
	must(t, err)
	bad := strings.Replace(string(good), "\nobject 3,", "\nanother 3,", 1)
	must(t, os.WriteFile(table, []byte(bad), 0o600))
	lines := refusesToStart(t, bin, db, flags)
	for _, part := range []string{"object 3", policy, "="} {
		if !strings.Contains(lines, part) {
			t.Errorf("the server ends with %q, which does not say %q", lines, part)
		}
	}
	must(t, os.WriteFile(table, good, 0o600))
	p.start()
	settled(t, p, policy, 5) // the other two wait for their version
	was := pageOf(t, p.addr, policy)
	must(t, os.WriteFile(table, []byte(bad), 0o600))
	must(t, p.cmd.Process.Signal(syscall.SIGHUP))
	p.says("object 3")
	if now := pageOf(t, p.addr, policy); string(now.sharesBytes()) != string(was.sharesBytes()) || !strings.Contains(p.log.String(), "object 3") {
		t.Errorf("after a table without an object that has games, the log is %s", p.log.String())
	}
	sameCounts(t, countsIn(t, conn, policy), want)
}

// refusesToStart runs a server that is to end at once, and returns the line that it ends with.
func refusesToStart(t *testing.T, bin, db string, flags []string) string {
	t.Helper()
	p := newProcess(t, bin, db, flags...)
	cmd := p.command()
	must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the server ends with code 0")
		}
	case <-time.After(suite.Patience):
		_ = cmd.Process.Kill()
		<-ended
		t.Error("the server starts")
	}
	said := strings.TrimSpace(p.log.String())
	t.Log(said)
	list := strings.Split(said, "\n")
	return list[len(list)-1]
}

// garbage is a JSON text, or none, of things that are no request.
func garbage(r *rand.Rand, depth int) string {
	texts := []string{"object 3", "", "\u0000", "\u202eright to left", "é", "é", strings.Repeat("x", 1<<r.IntN(14)), "\\ud800", "<script>", "'; DROP TABLE mapo_games; --", "👩‍👩‍👧", "question 1?", "a:x", "accept", "reject", "restore"}
	keys := []string{"truth", "new", "text", "answer", "game", "history", "query", "recommendation", "proposal", "decision", "as", "yes", "no", "client", "x"}
	switch k := r.IntN(12); {
	case k == 0:
		return []string{"", "{", "[", "nul", "\xff\xfe", "{]", `{"truth":`, "\"", "1e999", "-", "NaN"}[r.IntN(11)]
	case k < 4:
		text, _ := json.Marshal(texts[r.IntN(len(texts))])
		return strings.ReplaceAll(string(text), `\\ud800`, `\ud800`)
	case k < 6:
		return []string{"0", "1", "-1", "0.5", "1e308", "9223372036854775808", "-9223372036854775809", "true", "false", "null", "1.5"}[r.IntN(11)]
	case k == 6 && depth == 0:
		deep := 1 << r.IntN(16)
		return strings.Repeat("[", deep) + strings.Repeat("]", deep)
	case k < 9 && depth < 4:
		var list []string
		for range r.IntN(5) {
			list = append(list, garbage(r, depth+1))
		}
		return "[" + strings.Join(list, ",") + "]"
	case depth < 4:
		var list []string
		for range r.IntN(6) {
			list = append(list, fmt.Sprintf("%q:%s", keys[r.IntN(len(keys))], garbage(r, depth+1)))
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	return "null"
}

// TestGarbage sends garbage to everything that takes truths: nothing fails within, and counts stay those of the
// games that are told.
func TestGarbage(t *testing.T) {
	t.Parallel()
	table, who := shortCross(t)
	policy, db := idOf(table), fastDB(t)
	p := newProcess(t, mapoProgram(t), db, table, "--learn", "--learn-every", "5", "--stop", "off")
	p.start()
	requests, seed := 2000, uint64(1)
	if os.Getenv("MAPO_LONG") != "" {
		requests, seed = 200_000, uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	v := &visitor{addr: p.addr}
	defer v.close()
	untold, err := v.session(policy, 8, func(string) int { return -1 })
	must(t, err)
	told, err := v.session(policy, 9, func(string) int { return 1 })
	must(t, err)
	must(t, v.tell(told.ID, who.objects[2]))
	paths := [][2]string{
		{"POST", "/v1/sessions/" + untold.ID + "/truth"}, {"POST", "/v1/sessions/" + told.ID + "/truth"}, {"POST", "/v1/sessions/\x7f%00/truth"},
		{"POST", "/v1/policies/" + policy + "/questions"}, {"POST", "/v1/policies/" + policy + "/games"}, {"POST", "/v1/policies/" + policy + "/review"},
		{"GET", "/v1/policies/" + policy + "/review"}, {"GET", "/v1/policies/" + policy + "/objects?like=%FF&limit=5"}, {"GET", "/v1/policies/" + policy + "/objects?like=" + strings.Repeat("%E2%80%AE", 200)},
		{"GET", "/v1/policies/" + policy + "/objects?limit=-1"}, {"GET", "/v1/policies/" + policy + "/objects?like=o&limit=99999999999999999999"},
		{"DELETE", "/v1/policies/" + policy + "/games/x"}, {"DELETE", "/v1/policies/" + policy + "/games/" + strings.Repeat("k", 3000)}, {"DELETE", "/v1/policies/" + policy + "/games/%00"},
	}
	sent := map[int]int{}
	shapes := map[string][]string{
		"truth":     {`{"truth":%s}`, `{"truth":%s,"new":true}`, `{"truth":"object 3","new":%s}`},
		"questions": {`{"text":%s,"answer":1}`, `{"text":"Is it x?","answer":%s}`, `{"text":"Is it y?","answer":1,"game":%s}`},
		"games": {`{"truth":"object 3","history":%s}`, `{"truth":"object 3","history":[{"query":1,"answer":%s}]}`, `{"truth":"object 3","history":[{"query":%s,"answer":1}]}`,
			`{"truth":%s,"history":[{"query":1,"answer":0.5},{"query":2,"answer":-1}]}`, `{"truth":%s,"new":true,"recommendation":"object 1","history":[{"query":3,"answer":1}]}`},
		"review": {`{"proposal":%s,"decision":"accept"}`, `{"proposal":1,"decision":"accept","as":%s}`, `{"proposal":1,"decision":"accept","yes":%s}`, `{"proposal":2,"decision":%s}`, `{"client":%s,"decision":"restore"}`},
	}
	for i := range requests {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		path, body := paths[r.IntN(len(paths))], ""
		v.more = []string{"", "Idempotency-Key: 0123456789abcdef0123456789abcdef\r\n", "Idempotency-Key: \r\n", fmt.Sprintf("Idempotency-Key: %032x\r\n", r.IntN(1000)), fmt.Sprintf("Idempotency-Key: %032x\r\n", r.Uint64()), "Idempotency-Key: " + strings.Repeat("é", 3000) + "\r\n"}[r.IntN(6)]
		if path[0] == "POST" {
			body = garbage(r, 0)
			if list := shapes[path[1][strings.LastIndexByte(path[1], '/')+1:]]; r.IntN(5) > 0 {
				body = fmt.Sprintf(list[r.IntN(len(list))], body)
			}
		}
		status, text, err := v.call(path[0], path[1], body)
		if err != nil { // what is no HTTP, or too large, may be answered by a closed connection
			v.close()
			continue
		}
		sent[status]++
		if status >= 500 {
			t.Errorf("request %d: %s %s %.300s: %d %s", i, path[0], path[1], body, status, text)
		}
	}
	t.Logf("replies by status: %v", sent)
	if log := p.log.String(); strings.Contains(log, "panic") || p.cmd.Process.Signal(syscall.Signal(0)) != nil {
		t.Errorf("the server panics: %s", log)
	}
	// The counts are those of the games that are told, whatever was told.
	conn := besideDB(t, db)
	rows, err := conn.QueryContext(t.Context(), "SELECT objects, answers FROM mapo_games WHERE learned = 1")
	must(t, err)
	games := 0
	sums := map[[2]int]halves{}
	for rows.Next() {
		var objects, answers string
		must(t, rows.Scan(&objects, &answers))
		var of []int
		var list [][2]int64
		must(t, json.Unmarshal([]byte(objects), &of))
		must(t, json.Unmarshal([]byte(answers), &list))
		games++
		for _, j := range of {
			at := sums[[2]int{j, -1}]
			sums[[2]int{j, -1}] = halves{at.yes + 2/int64(len(of)), at.no}
			for _, a := range list {
				key := [2]int{j, int(a[0])}
				at := sums[key]
				sums[key] = halves{at.yes + max(a[1], 0), at.no + max(-a[1], 0)}
			}
		}
	}
	must(t, rows.Err())
	rows, err = conn.QueryContext(t.Context(), "SELECT object, question, yes, no FROM mapo_counts WHERE yes <> 0 OR no <> 0")
	must(t, err)
	cells := 0
	for rows.Next() {
		var key [2]int
		var h halves
		must(t, rows.Scan(&key[0], &key[1], &h.yes, &h.no))
		if cells++; sums[key] != h {
			t.Errorf("cell %v: %v, want %v", key, h, sums[key])
		}
	}
	must(t, rows.Err())
	t.Logf("%d games in %d cells, want %d", games, cells, len(sums))
	if cells != len(sums) {
		t.Errorf("%d cells, want %d", cells, len(sums))
	}
}
