package names_test

import (
	"os"
	"path/filepath"
	"testing"

	"mapo/internal/names"
)

func TestNear(t *testing.T) {
	known := []string{"uniform", "information", "information:0.03", "sgbs:0.1", "flip:0.8", "lambda-pol", "run", "table"}
	for word, want := range map[string]string{
		"unifrom":                  "uniform",
		"informaton":               "information",
		"informaton:0.05":          "information:0.05",
		"informaton:0.05+votes":    "information:0.05+votes",
		"sgb":                      "sgbs:0.1",
		"flp:0.7":                  "flip:0.7",
		"Lambda_Pol":               "lambda-pol",
		"rnu":                      "run",
		"tabel":                    "table",
		"luck":                     "",
		"":                         "",
		"a word that is not known": "",
	} {
		if got, ok := names.Near(word, known); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", word, got, ok, want)
		}
	}
}

// TestNearFile: a file is near where its ending alone differs or few letters of its name do; a folder never is.
func TestNearFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x.yaml", "animals.csv", "mapo.safetensors", "mapo", "a.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "birds"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"x.yml":           "x.yaml",
		"animals.cvs":     "animals.csv",
		"anmals.csv":      "animals.csv",
		"animals.xlsx":    "animals.csv",
		"animals":         "animals.csv",
		"mapo.safetensor": "mapo.safetensors",
		"b.csv":           "",
		"bird":            "",
		"none.csv":        "",
		"none/x.yml":      "",
	} {
		if want != "" {
			want = filepath.Join(dir, want)
		}
		if got, ok := names.NearFile(filepath.Join(dir, name)); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, ok, want)
		}
	}
	t.Chdir(dir)
	if got, ok := names.NearFile("x.yml"); got != "x.yaml" || !ok {
		t.Errorf("in the folder itself: %q, %v", got, ok)
	}
}
