package dataset

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// dishes are what examples/content.yaml recommends.
var dishes = strings.Split("ramen,pho,pad thai,sushi,bibimbap,dal,chana masala,biryani,samosas,dosa,"+
	"lasagne,risotto,pizza,gnocchi,minestrone,tacos,mole,ceviche,arepas,feijoada,"+
	"falafel,shakshuka,couscous,mansaf,tabbouleh,pancakes,baklava,tiramisu,mango lassi,churros", ",")

// unit is v with norm 1, to three decimals, after a name.
func unit(name string, v []float64) string {
	var square float64
	for _, x := range v {
		square += x * x
	}
	text := name
	for _, x := range v {
		text += "," + strconv.FormatFloat(math.Round(x/math.Sqrt(square)*1000)/1000, 'f', -1, 64)
	}
	return text + "\n"
}

func normal(dim int, r *rand.Rand) []float64 {
	v := make([]float64, dim)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// TestExampleVectors: the examples' files are random unit vectors: queries, hypotheses, and dishes of six kinds.
func TestExampleVectors(t *testing.T) {
	var queries, hypotheses, content bytes.Buffer
	r := rng.New(1).Name("examples").Rand()
	for i := range 20 {
		queries.WriteString(unit(fmt.Sprintf("query %d", i+1), normal(5, r)))
	}
	for i := range 10 {
		hypotheses.WriteString(unit(fmt.Sprintf("hypothesis %d", i+1), normal(5, r)))
	}
	content.WriteString("dish,a,b,c,d,e\n")
	for i, name := range dishes {
		v := normal(5, rng.New(2).At(i/5).Rand())
		for j, x := range normal(5, r) {
			v[j] += 0.8 * x
		}
		content.WriteString(unit(name, v))
	}
	check.Golden(t, "../../examples/linear-queries.csv", queries.Bytes())
	check.Golden(t, "../../examples/linear-hypotheses.csv", hypotheses.Bytes())
	check.Golden(t, "../../examples/content.csv", content.Bytes())
}

// TestReadVectors: with and without names and a header, and as an array.
func TestReadVectors(t *testing.T) {
	want := []float64{1, 0, 0.5, -2e-1}
	dir := t.TempDir()
	for name, file := range map[string]struct {
		data  []byte
		names string
	}{
		"plain.csv":   {[]byte("1,0\n0.5,-0.2\n"), "1 2"},
		"named.csv":   {[]byte("north,1,0\n\nsouth,0.5,-2e-1\n"), "north south"},
		"header.csv":  {[]byte("name,first,second\nnorth,1,0\n5,0.5,-.2\n"), "north 5"},
		"pandas.csv":  {[]byte(",0,1\nnorth,1,0\nsouth,0.5,-.2\n"), "north south"},
		"columns.csv": {[]byte("first,second\n1,0\n0.5,-.2\n"), "1 2"},
		"a.npy":       {npy(1, head("<f8", "2, 2"), want), "1 2"},
		"fortran.npy": {npy(1, fortran("<f8", "2, 2"), []float64{1, 0.5, 0, -2e-1}), "1 2"},
		"a.npy.gz":    {packed(string(npy(1, head("<f8", "2, 2"), want))), "1 2"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, file.data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadVectors(path)
		if err != nil || got.Dim != 2 || !slices.Equal(got.Entries, want) || strings.Join(got.Names, " ") != file.names {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestNumberedVectors: numbers of rows are names, and no entries, where the header says so.
func TestNumberedVectors(t *testing.T) {
	for _, head := range []string{",0,1", ",a,b", "Unnamed: 0,a,b", "index,a,b", "Name,0,1"} {
		got := set(t, "v.csv", head+"\n0,1,2\n1,3,4\n")
		if got.Dim != 2 || !slices.Equal(got.Entries, []float64{1, 2, 3, 4}) || !slices.Equal(got.Names, []string{"0", "1"}) {
			t.Errorf("header %q: %v", head, got)
		}
	}
	if got := set(t, "v.csv", "text,image\n0,1\n1,3\n"); got.Dim != 2 {
		t.Errorf("%v has %d entries a vector, want 2", got, got.Dim)
	}
}

// TestVectorFaults: bad files in one line each.
func TestVectorFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "v.csv:1: the file has no vectors",
		"name,a,b\n":                  "v.csv:1: the file has no vectors",
		"1,2\n3\n":                    "v.csv:2: the row has 1 cells, and the first has 2",
		"x,1,2\ny,1,red\n":            `v.csv:2: column 3 is "red", not a number`,
		"x,1,2\ny,1,NaN\n":            "column 3 is",
		"1e9,2\n":                     "column 1 is 1e+09; an entry is of size up to 1e+06",
		"x,1\n,2\n":                   "v.csv:2: the vector's name in the first column is empty",
		strings.Repeat("1,2\n", 1001): "more than 1000 vectors",
	} {
		if _, err := parseVectors(strings.NewReader(text), "v.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, want %q", text, err, want)
		}
	}
	for want, data := range map[string][]byte{
		"there must be 2, vectors × entries. One vector? Save a.reshape(1, -1)": npy(1, head("<f8", "4"), make([]float64, 4)),
		"save a.astype('float64')":            npy(1, head("<f2", "2, 2"), make([]int16, 4)),
		"the array is 1001 × 2":               npy(1, head("<f4", "1001, 2"), make([]float32, 2002)),
		"cut short in row 2 of 2":             npy(1, head("<f4", "2, 2"), make([]float32, 3)),
		"row 1, column 2 is +Inf":             npy(1, fortran("<f8", "2, 2"), []float64{1, 2, math.Inf(1), 4}),
		"something follows":                   npy(1, head("<f4", "2, 2"), make([]float32, 5)),
		"row 1, column 2 is NaN; an entry is": npy(1, head("<f8", "1, 2"), []uint64{0, 0x7ff8000000000001}),
	} {
		if _, err := ParseVectorArray(bytes.NewReader(data), "v.npy"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func set(t *testing.T, name, text string) *VectorSet {
	t.Helper()
	s, err := parseVectors(strings.NewReader(text), name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestVectors: the game of two files, what they cannot be, and the old problem where queries are the unit vectors.
func TestVectors(t *testing.T) {
	x := set(t, "x.csv", "a,1,0\nb,0,1\nis it c?,1,1\n")
	p, err := Vectors(x, nil, 9)
	if err != nil || p.Name != "x" || p.X[0] != "a: yes?" || p.X[2] != "is it c?" || p.Names[1] != "b" || !check.Is[*game.Vectors](p) {
		t.Fatalf("%+v, %v", p, err)
	}
	if MeasuredVectors(p); p.X[0] != "a: its value?" || p.X[2] != "is it c?" {
		t.Errorf("with numbers it asks %v", p.X)
	}
	for _, c := range []struct{ x, z, want string }{
		{"a,1,1\nb,2,2\n", "A,1,1\nB,1,0\n", `z.csv: hypothesis "B" lies outside of the span of the queries`},
		{"a,1,1\nb,2,1\n", "A,1,1\nB,1,1\n", `z.csv: hypotheses "A" and "B" are the same, so that no allocation of answers separates them`},
		{"a,1,1\nb,2,1\n", "A,1,1,1\nB,1,1,2\n", "z.csv: hypotheses have 3 entries, and the queries in x.csv 2"},
		{"a,1,1\na,2,1\n", "A,1,1\nB,1,2\n", `x.csv: vectors 1 and 2 are both called "a"`},
		{"a,1,1\nb,2,1\n", "A,1,1\n", "z.csv: one hypothesis; a game needs at least 2"},
		{"a,0,0\nb,0,0\n", "A,1,0\nB,0,0\n", "z.csv: all queries are 0, so that no answers tell anything"},
		{"a,1,1\nb,2,1\n", "A,0.001,0\nB,0,0\n", "multiply the hypotheses by a number"},
	} {
		if _, err := Vectors(set(t, "x.csv", c.x), set(t, "z.csv", c.z), 9); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	plain, err := Vectors(set(t, "x.csv", "a,1,0\nb,0,1\n"), set(t, "z.csv", "A,1,0\nB,1,1\n"), 9)
	if err != nil || check.Is[*game.Vectors](plain) || &plain.Expects()[0] != &plain.Z[0] || !slices.Equal(plain.Z, []float32{1, 0, 1, 1}) {
		t.Errorf("unit vectors make %+v (%v)", plain, err)
	}
}

// TestVectorInstances: a row is θ; its means must be such as answers allow.
func TestVectorInstances(t *testing.T) {
	p, err := Vectors(set(t, "x.csv", "a,1,0\nb,0,1\nc,1,1\n"), nil, 9)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseInstances(strings.NewReader("0.5,-0.25\n0,1\n"), "theta.csv", p)
	if err != nil || !slices.EqualFunc(got, [][]float64{{0.5, -0.25, 0.25}, {0, 1, 1}}, slices.Equal) {
		t.Errorf("%v, %v", got, err)
	}
	p.Reply = game.Answers{Sigma: 1, Bound: 2}
	if got, err := parseInstances(strings.NewReader("1,1\n"), "theta.csv", p); err != nil || !slices.Equal(got[0], []float64{0.5, 0.5, 1}) {
		t.Errorf("with a bound of 2 %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"1,1.5\n":    `theta.csv:1: the mean answer to "c: yes?" is ⟨x, θ⟩ = 2.5; answers allow means from -2 to 2`,
		"1,1,1\n":    "theta.csv:1: the row has 3 cells, the problem's vectors 2 entries",
		"0,1\n1,x\n": `theta.csv:2: column 2 is "x", not a number`,
	} {
		if _, err := parseInstances(strings.NewReader(text), "theta.csv", p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func FuzzVectors(f *testing.F) {
	f.Add("a,1,0\nb,0,1\nc,1,1\n", "")
	f.Add("name,x,y\na,1,0\nb,0,1\n", "1,1\n2,1\n")
	f.Add("1,1\n2,2\n", "1,0\n0,1\n")
	f.Fuzz(func(t *testing.T, queries, hypotheses string) {
		x, err := parseVectors(strings.NewReader(queries), "x.csv")
		if err != nil || len(x.Entries) > 200 {
			return
		}
		z, err := parseVectors(strings.NewReader(hypotheses), "z.csv")
		if err != nil {
			z = nil
		} else if len(z.Entries) > 200 {
			return
		}
		p, err := Vectors(x, z, 3)
		if err != nil {
			return
		}
		n, s, scores := make([]float32, p.Queries()), make([]float32, p.Queries()), make([]float32, p.Hypotheses())
		n[0], s[0] = 2, 1
		p.Scores(scores, n, s)
		theta := slices.Repeat([]float64{0.5}, p.Queries())
		p.Admit(theta)
		if rho := game.RhoTilde(p).Of(theta); !(rho > 0) || slices.ContainsFunc(scores, func(v float32) bool { return v != v }) {
			t.Fatalf("ρ̃ = %v, scores %v", rho, scores)
		}
	})
}

func FuzzVectorArray(f *testing.F) {
	f.Add(npy(1, head("<f8", "2, 2"), []float64{1, 0, 0, 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := ParseVectorArray(bytes.NewReader(data), "v.npy"); err == nil && len(s.Entries) != len(s.Names)*s.Dim {
			t.Fatalf("%d entries of %d vectors of %d", len(s.Entries), len(s.Names), s.Dim)
		}
	})
}
