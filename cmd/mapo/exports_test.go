package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exportTable has names that spreadsheets run and that CSV quotes.
const exportTable = "object,\"Red, or blue?\",\"Say \"\"yes\"\"?\",=cmd|x?\nA,1,0,0\nB,0,1,0\nC,0,0,1\nD,1,1,0\n"

// client speaks with a server.
type client struct {
	t       *testing.T
	address string
}

// session is what these tests read of one.
type session struct {
	ID, State string
	Step      int
	Query     *struct{ Text string }
	Guess     *struct{ Text string }
}

// post sends a request about a session, "" for a new one.
func (s client) post(path, body string) (out session) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(s.do(http.MethodPost, path, body)), &out); err != nil {
		s.t.Fatal(err)
	}
	return out
}

// get returns a document of a session.
func (s client) get(path string) string {
	s.t.Helper()
	return s.do(http.MethodGet, path, "")
}

// do returns the reply to a request.
func (s client) do(method, path, body string) string {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.address+"/v1/sessions"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+askToken)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		s.t.Fatal(res.Status, string(text), err)
	}
	return string(text)
}

// answer answers the session's query.
func (s client) answer(v session, answer any) session {
	s.t.Helper()
	data, err := json.Marshal(map[string]any{"step": v.Step, "answer": answer})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.post("/"+v.ID+"/answers", string(data))
}

// inFolder makes a folder of files, and returns it with what runs mapo there and returns all that it printed.
func inFolder(t *testing.T, files map[string]string) (dir string, run func(in string, args ...string) string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, func(in string, args ...string) string {
		cmd := exec.Command("mapo", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(in)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return string(out) + err.Error()
		}
		return string(out)
	}
}

// TestExports: what a server exports of its sessions is read as it is, by tabulate, table learn and play, in both forms.
func TestExports(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the program")
	}
	dir, run := inFolder(t, map[string]string{"table.csv": exportTable})
	s := client{t, serving(t, filepath.Join(dir, "table.csv"))}
	answers := map[string]map[string]int{
		"A": {"Red, or blue?": 1, `Say "yes"?`: -1, "=cmd|x?": -1}, "B": {"Red, or blue?": -1, `Say "yes"?`: 1, "=cmd|x?": -1}, "C": {"Red, or blue?": -1, `Say "yes"?`: -1, "=cmd|x?": 1},
	}
	// The first answer of each game is given the wrong way round and taken back; of C it is not told that it was C.
	var sessions []string
	texts := map[string]string{}
	for _, truth := range []string{"A", "B", "C"} {
		v := s.post("", `{"policy": "table", "stop": 0, "seed": 1}`)
		sessions = append(sessions, v.ID)
		v = s.answer(v, -answers[truth][v.Query.Text])
		v = s.post("/"+v.ID+"/undo", fmt.Sprintf(`{"step": %d}`, v.Step))
		for v.Query != nil {
			v = s.answer(v, answers[truth][v.Query.Text])
		}
		if truth != "C" {
			s.post("/"+v.ID+"/truth", fmt.Sprintf(`{"truth": %q}`, truth))
		}
		for _, kind := range []string{"csv", "jsonl"} {
			texts[kind] += s.get("/" + v.ID + "/export?format=" + kind)
		}
	}
	for kind, text := range texts {
		file := "sessions." + kind
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := func(in, want string, args ...string) {
			t.Helper()
			if got := run(in, args...); !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("mapo %q: %s\nwant %s", args, got, want)
			}
		}
		want("", `(?m)^6 answers about 2 objects to 3 queries: 2 yes, 4 no, 0 unknown$(?s:.*)^left out: 3 answers of sessions whose truth was not told$`, "data", "tabulate", file, "--smooth", "0", "-o", kind+".csv")
		got, err := os.ReadFile(filepath.Join(dir, kind+".csv"))
		if err != nil || !regexp.MustCompile(`(?m)^object,(=cmd\|x\?|"Red, or blue\?"|"Say ""yes""\?"|,)*\n(A,.*\nB,.*\n)$`).Match(got) {
			t.Errorf("%v, tabulated as\n%s", err, got)
		}
		want("", `Learned from 6 answers of 2 games; 2 of 3 games have a truth`, "table", "learn", "table.csv", "--games", file, "-o", "learned-"+kind+".csv")
		want("q", `^mapo: `+file+`: the answers are of 3 sessions \(`+strings.Join(sessions, ", ")+`\); a game takes those of one: add --session `+sessions[0]+`\n`, "play", "table.csv", "--given", file)
		want("n", `(?s)Known  =cmd\|x\? yes\n.*Guess: is it C\?`, "play", "table.csv", "--stop", "off", "--given", file, "--session", sessions[2])
		want("q", `^mapo: --session is of the export that --given reads: add --given FILE, or remove --session\n`, "play", "table.csv", "--session", sessions[2])
	}
}

// TestExportedLabels: labels of a session on a pool are read by recommend as they are, whether a share of the items was drawn
// uniformly or not, and what a refusal names works.
func TestExportedLabels(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the program")
	}
	pool := "item,a,b,c\n"
	for i := range 12 {
		pool += fmt.Sprintf("=i%d,cat,%s,%s\n", i, []string{"cat", "dog"}[i%2], []string{"dog", "cow", "cat"}[i%3])
	}
	for _, explore := range []string{"0", "0.1"} {
		dir, run := inFolder(t, map[string]string{"pool.csv": pool, "pool.yaml": "problem: {classifiers: pool.csv}\nbudget: 6\n"})
		s := client{t, serving(t, "disagreement", "--problem", filepath.Join(dir, "pool.yaml"), "--explore", explore)}
		v := s.post("", `{"policy": "disagreement", "seed": 1}`)
		v = s.answer(v, "dog")
		v = s.post("/"+v.ID+"/undo", fmt.Sprintf(`{"step": %d}`, v.Step))
		for v.Query != nil {
			v = s.answer(v, "cat")
		}
		for file, text := range map[string]string{"labels.csv": s.get("/" + v.ID + "/labels.csv"), "export.csv": s.get("/" + v.ID + "/export"), "export.jsonl": s.get("/" + v.ID + "/export?format=jsonl")} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			accuracy := `accuracy +[01]\.\d\d \[`
			if explore == "0" {
				accuracy = `accuracy +not estimated: label \d, of "=i\d+", has propensity [^\n]*\. Games of play and serve with --explore draw such a share\n`
				refused := run("", "recommend", "pool.yaml", "--labels", file, "--explore", "0.1")
				if !strings.Contains(refused, "\nmapo: "+file+": label ") || !strings.Contains(refused, ". Lower --explore; with --explore 0 no accuracy is estimated\n") {
					t.Errorf("%s with a share that is not there: %s", file, refused)
				}
				if got := run("", "recommend", "pool.yaml", "--labels", file, "--explore", "0"); !strings.Contains(got, "\nbest model  a\n") {
					t.Errorf("%s with --explore 0: %s", file, got)
				}
			}
			got := run("", "recommend", "pool.yaml", "--labels", file)
			if !regexp.MustCompile(`\nbest model +a\nlabels +6 of the 10 items on which models differ; it predicts 6 of them\n` + accuracy).MatchString(got) {
				t.Errorf("%s of a session with --explore %s: %s", file, explore, got)
			}
			if got := run("q\n", "play", "pool.yaml", "--given", file); !strings.Contains(got, "Known  =i") {
				t.Errorf("play goes on with %s: %s", file, got)
			}
		}
	}
}
