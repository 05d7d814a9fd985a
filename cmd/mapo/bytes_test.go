package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mapo/internal/suite"
)

const (
	bytesFolder = "testdata/bytes"
	bytesRecord = bytesFolder + ".sums"
	bytesKernel = "MAPO_KERNEL=avx2"

	bytesHead = `# What the scripts of testdata/bytes leave: script, file, SHA-256 of its weights or of its rows without seconds.
# Written by go test ./cmd/mapo -run '^TestBytes$' -record. Read TestBytes before you change it.
`
	bytesContract = "The record of bytes is a contract: a change that is not meant to change training or judging leaves it as it is, " +
		"so a difference is a fault in the change. A change that is meant to writes it anew (-record) and says in its commit why."
)

var recordBytes = flag.Bool("record", false, "write the record of TestBytes anew; only for a change that is meant to change training or judging")

// TestBytes compares what whole runs leave with the record of earlier versions: SHA-256 of the
// weights of every policy file, and of results.csv without seconds. The scripts of testdata/bytes
// set every lever of training and judging once. They know only commands, specs and files. So the
// record outlives moves and renames inside the program: where specs or headers get a new form, the
// scripts or this reader change, and the record does not.
//
// The bytes are those of one kernel. They depend neither on the number of workers nor on GOMAXPROCS.
func TestBytes(t *testing.T) {
	if run := flag.Lookup("test.run").Value.String(); testing.Short() || !strings.Contains(run, "Bytes") {
		suite.Long(t, "runs the program some fifty times, unless -run names it")
	}
	needBytesKernel(t)
	r := readRecord(t)
	t.Cleanup(func() { r.close(t) })
	testscript.Run(t, testscript.Params{
		Dir: bytesFolder,
		Setup: func(env *testscript.Env) error {
			name, value, _ := strings.Cut(bytesKernel, "=")
			env.Setenv(name, value)
			env.Setenv("MAPO_DATA", "")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"record": r.compare, "stopped": stoppedRun},
	})
}

// needBytesKernel skips the test where the record's bytes cannot be made.
func needBytesKernel(t *testing.T) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("the record is of amd64 with AVX2")
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" && s.Value >= "v3" {
				t.Skip("built for " + s.Value + ", which fuses multiplications with additions: the record is of v1")
			}
		}
	}
	version := exec.Command("mapo", "version")
	version.Env = append(os.Environ(), bytesKernel)
	if out, err := version.CombinedOutput(); err != nil {
		t.Skipf("this machine cannot use the record's kernel: %s", out)
	}
}

// byteRecord is the record as read, and as the scripts that run find it.
type byteRecord struct {
	mu   sync.Mutex
	runs map[string][]string // by the script's name its lines, "run file sum"
}

func readRecord(t *testing.T) *byteRecord {
	t.Helper()
	data, err := os.ReadFile(bytesRecord)
	if err != nil && !(*recordBytes && errors.Is(err, fs.ErrNotExist)) {
		t.Fatal(err)
	}
	r := &byteRecord{runs: map[string][]string{}}
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "#") {
			run, _, _ := strings.Cut(line, " ")
			r.runs[run] = append(r.runs[run], line)
		}
	}
	return r
}

// compare implements "record FOLDER…": what each folder holds must be what the record has of the script.
func (r *byteRecord) compare(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.Name()
	var got []string
	for i, folder := range args {
		sums, err := byteSums(ts.MkAbs(folder))
		ts.Check(err)
		var lines []string
		for _, file := range slices.Sorted(maps.Keys(sums)) {
			lines = append(lines, fmt.Sprintf("%s %s %x\n", name, file, sums[file]))
		}
		if i > 0 && !slices.Equal(lines, got) {
			ts.Fatalf("%s and %s differ:\n%s\n%s", args[0], folder, strings.Join(got, ""), strings.Join(lines, ""))
		}
		got = lines
	}
	if len(got) == 0 {
		ts.Fatalf("nothing to compare in %s", args)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if *recordBytes {
		r.runs[name] = got
		return
	}
	if want := r.runs[name]; !slices.Equal(got, want) {
		ts.Fatalf("%s differs from the record; got\n%swant\n%s%s", name, lineDiff(got, want), lineDiff(want, got), bytesContract)
	}
}

// lineDiff joins the lines of a that b has not.
func lineDiff(a, b []string) string {
	var out strings.Builder
	for _, line := range a {
		if !slices.Contains(b, line) {
			out.WriteString("  " + line)
		}
	}
	return out.String()
}

// close writes the record anew if that is asked for. If not, it fails for runs that no script makes any more.
func (r *byteRecord) close(t *testing.T) {
	scripts, err := filepath.Glob(bytesFolder + "/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	out.WriteString(bytesHead)
	for _, run := range slices.Sorted(maps.Keys(r.runs)) {
		if slices.Contains(scripts, filepath.Join(bytesFolder, run+".txtar")) {
			out.WriteString(strings.Join(r.runs[run], ""))
		} else if !*recordBytes {
			t.Errorf("%s has the run %s, but no script makes it. %s", bytesRecord, run, bytesContract)
		}
	}
	if !*recordBytes || t.Failed() {
		return
	}
	if err := os.WriteFile(bytesRecord, []byte(out.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// byteSums returns, by file, SHA-256 of the weights of policy files and of the rows of results.csv below a folder.
func byteSums(folder string) (map[string][sha256.Size]byte, error) {
	sums := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		read := untimed
		switch {
		case strings.HasSuffix(path, policySuffix):
			read = weights
		case e.Name() != "results.csv":
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if data, err = read(data); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		file, err := filepath.Rel(folder, path)
		sums[strings.TrimSuffix(filepath.ToSlash(file), policySuffix)] = sha256.Sum256(data)
		return err
	})
	return sums, err
}

// weights returns the bytes of all tensors of a safetensors file in the order of their names, without its header.
func weights(file []byte) (out []byte, err error) {
	if len(file) < 8 {
		return nil, errors.New("no header")
	}
	size := binary.LittleEndian.Uint64(file)
	if uint64(len(file)-8) < size {
		return nil, errors.New("the header is cut")
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(file[8:8+size], &header); err != nil {
		return nil, err
	}
	delete(header, "__metadata__")
	for _, name := range slices.Sorted(maps.Keys(header)) {
		var tensor struct {
			Offsets [2]int `json:"data_offsets"`
		}
		if err := json.Unmarshal(header[name], &tensor); err != nil {
			return nil, err
		}
		out = append(out, file[8+size:][tensor.Offsets[0]:tensor.Offsets[1]]...)
	}
	if want := len(file) - 8 - int(size); len(out) != want || want == 0 {
		return nil, fmt.Errorf("the tensors have %d bytes of %d", len(out), want)
	}
	return out, nil
}

// untimed returns a CSV file without its column of seconds.
func untimed(file []byte) ([]byte, error) {
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		return nil, err
	}
	at := slices.Index(rows[0], "seconds")
	if at < 0 || len(rows) < 2 {
		return nil, errors.New("no column of seconds, or no row")
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	for _, row := range rows {
		_ = w.Write(slices.Delete(row, at, at+1)) // Flush keeps the error
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// stoppedRun implements "stopped kill|interrupt STEP POLICY ARGS…": it runs mapo with ARGS, whose run
// folder must be out, and which is killed or interrupted as soon as a job of STEP for POLICY has saved a checkpoint.
func stoppedRun(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command("mapo", args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), bytesKernel, fmt.Sprintf("%s=%s saved 1 %s %s", stopAt, args[0], args[1], args[2]))
	said, err := cmd.CombinedOutput()
	if err == nil {
		ts.Fatalf("no such checkpoint: the run came to its end\n%s", said)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || args[0] == "interrupt" && exit.ExitCode() != exitInterrupted || args[0] == "kill" && exit.ExitCode() != -1 {
		ts.Fatalf("%v\n%s", err, said)
	}
}
