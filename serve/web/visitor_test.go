package web

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mapo/internal/suite"
	"mapo/rng"
)

// The tests of visitor_…_test.go look at the product from outside: they start the command, and speak HTTP with it as
// a client does. They use nothing of the package but what starts programs.

// people answer: for each object and question, the share of them that says yes.
type people struct {
	objects []string
	column  map[string]int // of a question
	yes     [][]float64    // [object][column]
}

// readPeople reads a table of shares.
func readPeople(t testing.TB, path string) *people {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	must(t, err)
	p := &people{column: map[string]int{}}
	for i, text := range lines[0][1:] {
		p.column[text] = i
	}
	for _, line := range lines[1:] {
		p.objects = append(p.objects, line[0])
		var row []float64
		for _, cell := range line[1:] {
			share, err := strconv.ParseFloat(cell, 64)
			must(t, err)
			row = append(row, share)
		}
		p.yes = append(p.yes, row)
	}
	return p
}

// answer is what one of the people says of an object in game key: 1 or -1. It does not depend on the order of the
// questions.
func (p *people) answer(key rng.Key, object int, question string) int {
	column, ok := p.column[question]
	if !ok {
		panic("nobody knows the question " + question)
	}
	if draw := key.At(column).Stream(); draw.Float64() < p.yes[object][column] {
		return 1
	}
	return -1
}

// visitor is a client of the HTTP API over one connection at a time.
type visitor struct {
	addr string
	from string // the address that a proxy forwards; "" for none
	more string // further header lines, each with its end
	conn net.Conn
	in   *bufio.Reader
	out  []byte
	keep func() bool // whether to send a request again that got no reply; nil: never
}

func (v *visitor) close() {
	if v.conn != nil {
		_ = v.conn.Close()
		v.conn = nil
	}
}

// call sends a request and returns what the reply says. With keep it is sent until there is a reply below 500.
func (v *visitor) call(method, path, body string) (status int, text []byte, err error) {
	for {
		status, text, err = v.once(method, path, body)
		if err != nil {
			v.close()
		}
		if v.keep == nil || (err == nil && status < 500) || !v.keep() {
			return status, text, err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (v *visitor) once(method, path, body string) (status int, text []byte, err error) {
	if v.conn == nil {
		if v.conn, err = net.Dial("tcp", v.addr); err != nil {
			return 0, nil, err
		}
		v.in = bufio.NewReaderSize(v.conn, 16<<10)
	}
	v.out = fmt.Appendf(v.out[:0], "%s %s HTTP/1.1\r\nHost: localhost\r\n%s", method, path, v.more)
	if v.from != "" {
		v.out = fmt.Appendf(v.out, "X-Forwarded-For: %s\r\n", v.from)
	}
	if body != "" {
		v.out = fmt.Appendf(v.out, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	v.out = fmt.Appendf(v.out, "\r\n%s", body)
	if _, err := v.conn.Write(v.out); err != nil {
		return 0, nil, err
	}
	res, err := http.ReadResponse(v.in, &http.Request{Method: method})
	if err != nil {
		return 0, nil, err
	}
	text, err = io.ReadAll(res.Body)
	return res.StatusCode, text, errors.Join(err, res.Body.Close())
}

// do is call for a request that is to succeed; out may be nil.
func (v *visitor) do(method, path, body string, out any) error {
	status, text, err := v.call(method, path, body)
	if err == nil && status >= 300 {
		err = fmt.Errorf("%s %s %s: %d %s", method, path, body, status, text)
	}
	if err == nil && out != nil {
		err = json.Unmarshal(text, out)
	}
	return err
}

// mention is an object or a question in a reply.
type mention struct {
	Index int    `json:"index"`
	Text  string `json:"text"`
}

func (m *mention) String() string { return m.Text }

// gameNow is what the tests read of a reply about a game.
type gameNow struct {
	ID             string   `json:"id"`
	State          string   `json:"state"`
	Step           int      `json:"step"`
	Query          *mention `json:"query"`
	Guess          *mention `json:"guess"`
	Recommendation *mention `json:"recommendation"`
	Confidence     float64  `json:"confidence"`
}

// session plays one in which say answers, to its end.
func (v *visitor) session(policy string, seed int, say func(question string) int) (end gameNow, err error) {
	err = v.do("POST", "/v1/sessions", fmt.Sprintf(`{"policy":%q,"seed":%d}`, policy, seed), &end)
	for err == nil && end.Query != nil {
		id, body := end.ID, fmt.Sprintf(`{"step":%d,"answer":%d}`, end.Step, say(end.Query.Text))
		end = gameNow{}
		err = v.do("POST", "/v1/sessions/"+id+"/answers", body, &end)
	}
	return end, err
}

// tell tells the truth of a session.
func (v *visitor) tell(id, truth string) error {
	return v.do("POST", "/v1/sessions/"+id+"/truth", fmt.Sprintf(`{"truth":%q}`, truth), nil)
}

// stateless plays a game by /next and returns what is recommended at its end.
func (v *visitor) stateless(policy string, seed int, say func(question string) int) (string, error) {
	history := []byte{}
	for {
		var now gameNow
		if err := v.do("POST", "/v1/policies/"+policy+"/next", fmt.Sprintf(`{"history":[%s],"seed":%d,"top":0}`, history, seed), &now); err != nil {
			return "", err
		}
		if now.Query == nil {
			return now.Recommendation.Text, nil
		}
		if len(history) > 0 {
			history = append(history, ',')
		}
		history = fmt.Appendf(history, `{"query":%d,"answer":%d}`, now.Query.Index, say(now.Query.Text))
	}
}

// crowd has do called for 0 to n−1 by several visitors at once.
func crowd(t testing.TB, addr string, visitors, n int, do func(v *visitor, i int) error) {
	t.Helper()
	var next atomic.Int64
	var group sync.WaitGroup
	for range visitors {
		group.Go(func() {
			v := &visitor{addr: addr}
			defer v.close()
			for i := int(next.Add(1)) - 1; i < n && !t.Failed(); i = int(next.Add(1)) - 1 {
				if err := do(v, i); err != nil {
					t.Errorf("game %d: %v", i, err)
				}
			}
		})
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// judged is the share of games in which the policy as it is served now recommends what the people think of. Nothing
// is told.
func judged(t testing.TB, addr, policy string, who *people, games int, seed uint64) float64 {
	t.Helper()
	var right atomic.Int64
	root := rng.New(seed).Name("judged")
	crowd(t, addr, 4, games, func(v *visitor, i int) error {
		key := root.At(i)
		object := key.Rand().IntN(len(who.objects))
		said, err := v.stateless(policy, i, func(question string) int { return who.answer(key, object, question) })
		if said == who.objects[object] {
			right.Add(1)
		}
		return err
	})
	return float64(right.Load()) / float64(games)
}

// policyPage is what the tests read of GET /v1/policies/{id}.
type policyPage struct {
	Version  int `json:"version"`
	Contract struct {
		Problem struct {
			Shares json.RawMessage `json:"shares"`
		} `json:"problem"`
	} `json:"contract"`
}

func pageOf(t testing.TB, addr, policy string) (page policyPage) {
	t.Helper()
	v := &visitor{addr: addr}
	defer v.close()
	must(t, v.do("GET", "/v1/policies/"+policy, "", &page))
	return page
}

// awaitVersion waits until a version of that number is served.
func awaitVersion(t testing.TB, addr, policy string, version int) {
	t.Helper()
	v := &visitor{addr: addr}
	defer v.close()
	var list struct {
		Policies []struct {
			ID      string `json:"id"`
			Version int    `json:"version"`
		} `json:"policies"`
	}
	suite.Await(t, func() bool {
		must(t, v.do("GET", "/v1/policies", "", &list))
		for _, p := range list.Policies {
			if p.ID == policy && p.Version >= version {
				return true
			}
		}
		return false
	}, func() string { return fmt.Sprintf("version %d of %s is not served: %+v", version, policy, list) })
}

// sharesBytes are the shares that are served, in the very bytes.
func (p policyPage) sharesBytes() []byte { return bytes.Clone(p.Contract.Problem.Shares) }

// crossTable is the path of one of the two tables with the same rows and columns.
func crossTable(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("MAPO_DATA")
	if dir == "" {
		t.Skip("MAPO_DATA is not set")
	}
	return filepath.Join(dir, "cross_"+name+".csv")
}

// fastDB is a new SQLite file, in memory where the machine has a folder for that.
func fastDB(t testing.TB) string {
	t.Helper()
	if dir, err := os.MkdirTemp("/dev/shm", "mapo-visitor-"); err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return filepath.Join(dir, "s.db")
	}
	return filepath.Join(t.TempDir(), "s.db")
}

// idOf is the id under which a table is served.
func idOf(table string) string { return strings.TrimSuffix(filepath.Base(table), ".csv") }
