package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mapo/rng"
)

// processorTime is what a process has used of the processors, in steps of 10 ms.
func processorTime(t testing.TB, p *process) time.Duration {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	must(t, err)
	_, after, _ := strings.Cut(string(data), ") ")
	f, ticks := strings.Fields(after), 0
	for _, text := range f[11:13] {
		n, _ := strconv.Atoi(text)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// TestLearnedNextCost: a question of a learned table costs at most a tenth more of the processors than one of a fixed
// table. The two servers get the same requests in turn.
func TestLearnedNextCost(t *testing.T) {
	long(t)
	table, who := crossTable(t, "authors"), readPeople(t, crossTable(t, "leuven"))
	learned := learnerAt(t, table)
	fixed := newProcess(t, mapoProgram(t), fastDB(t), table, "--stop", "off", "--rate", "0", "--trusted-proxy", proxyNetwork)
	fixed.start()
	newSchool(learned.addr, idOf(table), who, nil, 136, 1, 8, 1).teach(t, 136)
	var bodies []string
	root := rng.New(1)
	for i := range 1000 {
		r := root.At(i).Rand()
		object, history := r.IntN(len(who.objects)), []string{}
		for _, q := range r.Perm(len(who.column))[:r.IntN(20)] {
			answer := 1 - 2*r.IntN(2)
			if r.Float64() < 0.9 {
				answer = -1
				if who.yes[object][q] > 0.5 {
					answer = 1
				}
			}
			history = append(history, fmt.Sprintf(`{"query":%d,"answer":%d}`, q, answer))
		}
		bodies = append(bodies, fmt.Sprintf(`{"history":[%s],"seed":%d}`, strings.Join(history, ","), i))
	}
	const rounds = 100
	var sum [2]time.Duration
	servers := [2]*process{fixed, learned}
	for round := range 2 * rounds {
		k := (round + round/2) % 2 // in turn, and each first as often as the other
		from := processorTime(t, servers[k])
		crowd(t, servers[k].addr, 2, len(bodies), func(v *visitor, i int) error {
			return v.do("POST", "/v1/policies/"+idOf(table)+"/next", bodies[i], nil)
		})
		sum[k] += processorTime(t, servers[k]) - from
	}
	each := func(d time.Duration) time.Duration { return d / time.Duration(rounds*len(bodies)) }
	ratio := float64(sum[1]) / float64(sum[0])
	t.Logf("a fixed table %v, a learned one %v each: %.3f times", each(sum[0]), each(sum[1]), ratio)
	if ratio > 1.10 {
		t.Errorf("a learned table costs %.3f times a fixed one, want 1.10 at most", ratio)
	}
}

// TestLargeVersion: a version of a table of 1,000 × 300 after 100,000 games takes 5 s of one processor at most.
func TestLargeVersion(t *testing.T) {
	long(t)
	const objects, questions, games = 1000, 300, 100_000
	var text strings.Builder
	text.WriteString("object")
	for i := range questions {
		fmt.Fprintf(&text, ",question %d?", i)
	}
	r := rng.New(1).Rand()
	for j := range objects {
		fmt.Fprintf(&text, "\nobject %d", j)
		for range questions {
			fmt.Fprintf(&text, ",%.2f", r.Float64())
		}
	}
	table := filepath.Join(t.TempDir(), "large.csv")
	must(t, os.WriteFile(table, []byte(text.String()+"\n"), 0o600))
	flags := func(every int) []string {
		return []string{table, "--learn", "--learn-every", fmt.Sprint(every), "--stop", "off", "--rate", "0", "--trusted-proxy", proxyNetwork}
	}
	p := newProcess(t, mapoProgram(t), fastDB(t), flags(1_000_000_000)...)
	p.start()
	root := rng.New(2)
	tell := func(v *visitor, i int) error {
		r := root.At(i).Rand()
		var history []string
		for _, q := range r.Perm(questions)[:20] {
			history = append(history, fmt.Sprintf(`{"query":%d,"answer":%d}`, q, 1-2*r.IntN(2)))
		}
		v.from, v.more = fmt.Sprintf("198.%d.%d.%d", 18+i/250_000, i/5/250%250, 1+i/5%250), fmt.Sprintf("Idempotency-Key: a-game-of-a-large-table-%08d\r\n", i)
		return v.do("POST", "/v1/policies/large/games", fmt.Sprintf(`{"truth":"object %d","history":[%s]}`, r.IntN(objects), strings.Join(history, ",")), nil)
	}
	began := time.Now()
	crowd(t, p.addr, 16, games, tell)
	t.Logf("%d games told in %v", games, time.Since(began).Round(time.Second))
	p.kill()
	p.path = flags(50)
	began = time.Now()
	p.start()
	t.Logf("the server starts in %v", time.Since(began).Round(10*time.Millisecond))
	awaitVersion(t, p.addr, "large", 1)
	t.Logf("the first version, of %d games, is served %v after the start", games, time.Since(began).Round(10*time.Millisecond))
	time.Sleep(time.Second)
	for version := 1; version < 4; version++ {
		now := pageOf(t, p.addr, "large").Version
		used := processorTime(t, p)
		crowd(t, p.addr, 4, 50, func(v *visitor, i int) error { return tell(v, games+50*version+i) })
		began = time.Now()
		awaitVersion(t, p.addr, "large", now+1)
		took, used := time.Since(began), processorTime(t, p)-used
		t.Logf("version %d is served %v after its last truth; %v of the processors, its 50 truths and the polling in it", now+1, took.Round(10*time.Millisecond), used)
		if used > 5*time.Second {
			t.Errorf("a version takes %v of the processors, want 5 s at most", used)
		}
	}
}
