package nn

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/check"
	"mapo/record"
	"mapo/rng"
)

func sample(t testing.TB, d int, hidden ...int) (*MLP, Contract) {
	p := thresholds(d, 4)
	p.X[0] = `"hash":"0", <b>, é, 森`
	m := NewMLP(p, hidden, rng.New(3))
	return m, Contract{Name: "mapo", Problem: p, Loss: "simple-regret", Rule: "least squares, ties at random",
		Levels:   []Level{{record.Worst{Level: 8, Theta: slices.Repeat([]float64{.5}, d), Estimate: record.Estimate{Mean: .1, Lo: .09, Hi: .11, Games: 1000}}, .08, .25}},
		Averages: []Average{{"table+flip:0.1", .2, .19, .21, 500, nil}},
		Seed:     1<<63 + 5, Version: "v0", Trained: map[string]string{"preset": "smoke", "kernel": "go"}, Notes: []string{"a note"}}
}

func TestFileRoundTrip(t *testing.T) {
	for _, d := range []int{2, 3, 70} { // 70: a hypothesis of 70 zeros is no hash
		m, c := sample(t, d, 5, 4)
		path := filepath.Join(t.TempDir(), "p.safetensors")
		if err := WriteFile(path, m, c); err != nil {
			t.Fatal(err)
		}
		net, got, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if net.Arch() != m.Arch() || !slices.Equal(net.Params(), m.Params()) {
			t.Error("the network changed")
		}
		c.Format, c.Arch, c.Hash = Format, m.Arch(), got.Hash
		if !reflect.DeepEqual(*got, c) {
			t.Errorf("contract is\n%+v, want\n%+v", *got, c)
		}
		again, err := Encode(net, *got)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(path)
		if !bytes.Equal(again, data) {
			t.Error("writing what was read gives other bytes")
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
			t.Errorf("files left behind: %v", left)
		}
	}
}

// TestStopInFile: the rule of stopping and the numbers of questions are kept, in a file of the second format.
func TestStopInFile(t *testing.T) {
	m, c := sample(t, 3, 5)
	c.Stopping, c.Averages[0].Questions = "confidence:0.95", &Questions{3.5, 3.4, 3.6}
	c.Levels[0].Questions = record.Questions{Mean: 3.75, Lo: 3.5, Hi: 4}
	data, err := Encode(m, c)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	c.Format, c.Arch, c.Hash = FormatRows, m.Arch(), got.Hash
	if !reflect.DeepEqual(*got, c) {
		t.Errorf("contract is\n%+v, want\n%+v", *got, c)
	}
	if !bytes.Contains(data, []byte(`\"questions\":{\"mean\":3.75,\"lo\":3.5,\"hi\":4}`)) || !bytes.Contains(data, []byte(`\"stop\":\"confidence:0.95\"`)) {
		t.Error("the file does not have the rule and the questions")
	}
}

// TestDifficultyInFile: what the levels are by is kept, as is what answers are like, in a file of the second format, and has to suit the problem.
func TestDifficultyInFile(t *testing.T) {
	p := check.BestArm(3, 5)
	p.Difficulty, p.Reply = difficulty.MAB, game.Answers{Sigma: .3, Bound: .7}
	m, c := NewMLP(p, []int{4}, rng.New(1)), Contract{Problem: p, Loss: "best-identification"}
	data, err := Encode(m, c)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := Decode(data)
	if err != nil || got.Format != FormatRows || got.Problem.Difficulty != difficulty.MAB || got.Problem.Reply.(game.Answers) != p.Reply.(game.Answers) {
		t.Fatalf("read %+v, %v", got, err)
	}
	other := thresholds(3, 5)
	other.Difficulty = difficulty.MAB
	if _, err = Encode(NewMLP(other, []int{4}, rng.New(1)), Contract{Problem: other, Loss: "best-identification"}); err == nil || !strings.Contains(err.Error(), "difficulty c-mab is for arms") {
		t.Errorf("thresholds with c-mab: %v, want an error", err)
	}
}

// TestFormat checks the file with nothing of this package's reader.
func TestFormat(t *testing.T) {
	m, c := sample(t, 3, 5)
	data, err := Encode(m, c)
	if err != nil {
		t.Fatal(err)
	}
	n := binary.LittleEndian.Uint64(data)
	if n%8 != 0 {
		t.Errorf("header has %d bytes, want a multiple of 8", n)
	}
	var head map[string]struct {
		DType    string
		Shape    []int
		Offsets  []int `json:"data_offsets"`
		Contract string
	}
	if err := json.Unmarshal(data[8:8+n], &head); err != nil {
		t.Fatal(err)
	}
	w := head["layers.1.weight"]
	if w.DType != "F32" || !slices.Equal(w.Shape, []int{5, 3}) || !slices.Equal(w.Offsets, []int{4 * 50, 4 * 65}) {
		t.Errorf("layers.1.weight is %+v", w)
	}
	if got := math.Float32frombits(binary.LittleEndian.Uint32(data[8+int(n)+4*50:])); got != m.Params()[50] {
		t.Errorf("its first weight is %v, want %v", got, m.Params()[50])
	}
	var contract map[string]any
	if err := json.Unmarshal([]byte(head["__metadata__"].Contract), &contract); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"format", "name", "arch", "problem", "loss", "rule", "levels", "seed", "version", "hash"} {
		if contract[key] == nil {
			t.Errorf("contract lacks %q", key)
		}
	}
	if z := contract["problem"].(map[string]any)["z"].([]any); len(z) != 4 || z[1] != "100" {
		t.Errorf("z is %v", z)
	}
}

// TestPointer: what Git LFS leaves in place of a file is named, and not read as a header of 10¹⁸ bytes.
func TestPointer(t *testing.T) {
	const want = "not a sound policy file: it is a Git LFS pointer, not the file itself: run git lfs pull"
	_, _, err := Decode([]byte("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"))
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	m, c := sample(t, 2, 3)
	data, err := Encode(m, c)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, bad []byte) {
		t.Helper()
		_, _, err := Decode(bad)
		if err == nil {
			t.Fatalf("%s: accepted", what)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than a line: %v", what, err)
		}
	}
	for n := range data {
		refused("cut short", data[:n])
	}
	for i := range data {
		for bit := range 8 {
			bad := slices.Clone(data)
			bad[i] ^= 1 << bit
			refused("one bit changed", bad)
		}
	}
	refused("longer", append(slices.Clone(data), 0, 0, 0, 0))
}

func TestRefusals(t *testing.T) {
	_, good := sample(t, 3, 4)
	for _, x := range []struct {
		why    string
		change func(m *MLP, c *Contract)
	}{
		{"contract has no problem", func(_ *MLP, c *Contract) { c.Problem = nil }},
		{"a problem of 4 queries needs sizes from 12 to 4", func(_ *MLP, c *Contract) { c.Problem, c.Levels = thresholds(4, 4), nil }},
		{"budget is 0", func(_ *MLP, c *Contract) { c.Problem = thresholds(3, 0) }},
		{"parameter 2 of mapo is NaN", func(m *MLP, _ *Contract) { m.Params()[2] = float32(math.NaN()) }},
		{"unsupported value: NaN", func(_ *MLP, c *Contract) { c.Levels = []Level{{Worst: record.Worst{Level: math.NaN()}}} }},
		{"worst instance at r = 8 has an entry -1.5; it must be in [-1, 1]", func(_ *MLP, c *Contract) {
			c.Levels = []Level{{Worst: record.Worst{Level: 8, Theta: []float64{1, -1.5, 0}}}}
		}},
		{"worst instance at r = 8 has 1 entries for 3 queries", func(_ *MLP, c *Contract) { c.Levels = []Level{{Worst: record.Worst{Level: 8, Theta: []float64{1}}}} }},
	} {
		net, c := NewMLP(good.Problem, []int{4}, rng.New(3)), good
		x.change(net, &c)
		path := filepath.Join(t.TempDir(), "p.safetensors")
		err := WriteFile(path, net, c)
		if err == nil || !strings.Contains(err.Error(), x.why) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want one about %q and the path", err, x.why)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a file was left", x.why)
		}
	}
}

// TestArchIsBounded: what a header claims allocates nothing before it is checked.
func TestArchIsBounded(t *testing.T) {
	p := thresholds(3, 3)
	for _, arch := range []string{"", "mlp", "mlp 9", "mlp 9-3", "mlp 9-1048576-1048576-3", "mlp 9--3", "mlp 9-04-3", "mlp 9-4-3 ",
		"mlp +9-4-3", "mlp 9-4-4", "mlp 9-99999999999999999999-3", "cnn 9-3"} {
		if _, err := empty(arch, p, 9*4+4+4*3+3); err == nil {
			t.Errorf("arch %q: accepted", arch)
		}
	}
	if _, err := empty("mlp 9-4-3", p, 9*4+4+4*3+3); err != nil {
		t.Error(err)
	}
}

func TestWriteKeepsTheOldFile(t *testing.T) {
	m, c := sample(t, 3, 4)
	path := filepath.Join(t.TempDir(), "p.safetensors")
	if err := WriteFile(path, m, c); err != nil {
		t.Fatal(err)
	}
	old, _ := os.ReadFile(path)
	c.Problem = nil
	if err := WriteFile(path, m, c); err == nil {
		t.Fatal("no error")
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(old, now) {
		t.Error("a failed write changed the file")
	}
	if err := WriteFile(filepath.Join(path, "x"), m, c); err == nil {
		t.Error("wrote below a file")
	}
	if _, _, err := ReadFile(filepath.Dir(path)); err == nil {
		t.Error("read a folder")
	}
}

// FuzzDecode: no bytes make Decode panic, and what it accepts is what Encode writes.
func FuzzDecode(f *testing.F) {
	m, c := sample(f, 2, 3)
	data, err := Encode(m, c)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:40])
	f.Add([]byte{})
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"))
	f.Add([]byte("\x1e\x00\x00\x00\x00\x00\x00\x00" + `{"__metadata__":{"contract":""}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		net, c, err := Decode(data)
		if err != nil {
			return
		}
		if _, err := Encode(net, *c); err != nil {
			t.Errorf("accepted what cannot be written: %v", err)
		}
	})
}

// TestLevelForm: a level has these bytes in every policy file.
func TestLevelForm(t *testing.T) {
	l := Level{record.Worst{Level: 8, Theta: []float64{.5, -1}, Estimate: record.Estimate{Mean: .25, Lo: .2, Hi: .3, Games: 100}}, .125, 0}
	const want = `{"r":8,"worst":0.25,"lo":0.2,"hi":0.3,"benchmark":0.125,"games":100,"theta":[0.5,-1]}`
	data, err := json.Marshal(l)
	if err != nil || string(data) != want {
		t.Errorf("written as\n%s, error %v, want\n%s", data, err, want)
	}
	var back Level
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, l) {
		t.Errorf("read back as %+v, error %v, want %+v", back, err, l)
	}
}
