package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/policy/rival"
)

// completed returns what a shell is offered for the last of words, without descriptions, and the directive.
func completed(t *testing.T, words ...string) (offered []string, directive string) {
	t.Helper()
	var out, said strings.Builder
	if code := execute(append([]string{"__complete"}, words...), &out, &said); code != 0 {
		t.Fatalf("mapo __complete %q: code %d, %s", words, code, said.String())
	}
	for line := range strings.Lines(out.String()) {
		text, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		offered = append(offered, text)
	}
	return offered[:len(offered)-1], offered[len(offered)-1]
}

const (
	wordsOnly = ":4" // no files
	byEnding  = ":8" // files with the endings offered
)

// TestComplete: a shell is offered commands, flags, presets, policies by name, and files by their endings.
func TestComplete(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"animals.csv", "spec.yaml", "mapo.safetensors", "notes.txt", "folder/birds.csv"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	information := []string{"information", "information:0.03"}
	for _, c := range []struct {
		words     string
		want      []string // among what is offered, all of it where exact
		exact     bool
		directive string
	}{
		{"", []string{"run", "play", "eval", "completion", "help"}, false, wordsOnly},
		{"pl", []string{"play"}, true, wordsOnly},
		{"data ", []string{"fetch", "import", "tabulate", "pool"}, false, wordsOnly},
		{"run --sc", []string{"--scale"}, true, wordsOnly},
		{"run ", []string{"yaml", "csv"}, false, byEnding},
		{"run spec.yaml ", nil, true, wordsOnly},
		{"run spec.yaml --scale ", []string{"smoke", "desk", "paper"}, true, wordsOnly},
		{"run spec.yaml --workers ", nil, true, wordsOnly},
		{"eval inf", information, true, wordsOnly},
		{"eval uniform inf", information, true, wordsOnly},
		{"eval ", append(rival.Names(), "folder/", "mapo.safetensors"), true, wordsOnly},
		{"eval uniform --problem ", []string{"yaml", "yml", "csv", "gz"}, false, byEnding},
		{"eval uniform --prior fl", []string{"flip:0.8"}, false, wordsOnly},
		{"export inst", []string{"instant:0", "instant:0.7"}, true, wordsOnly},
		{"play an", []string{"animals.csv"}, true, wordsOnly},
		{"play folder/", []string{"safetensors", "csv"}, false, byEnding},
		{"serve a=folder/", []string{"a=folder/birds.csv"}, true, wordsOnly},
		{"serve a=m", []string{"a=mapo.safetensors"}, true, wordsOnly},
		{"inspect ", []string{"safetensors", "yaml", "csv"}, false, byEnding},
		{"play fold", []string{"folder/"}, true, ":6"}, // no space after it
	} {
		got, directive := completed(t, strings.Split(c.words, " ")...)
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%q: %q is not among %q", c.words, want, got)
			}
		}
		if c.exact && len(got) != len(c.want) || directive != c.directive {
			t.Errorf("%q: %q and %s, want %q and %s", c.words, got, directive, c.want, c.directive)
		}
	}
}

// TestEveryCommandCompletes: no command offers any file where it reads none or only some.
func TestEveryCommandCompletes(t *testing.T) {
	for path := range arguments {
		if c, rest, err := command().Find(strings.Fields(path)[1:]); err != nil || len(rest) > 0 || c.CommandPath() != path {
			t.Errorf("there is no command %s", path)
		}
	}
	for _, c := range command().Commands() {
		if c.ValidArgsFunction == nil && !c.HasSubCommands() {
			t.Errorf("%s completes nothing", c.CommandPath())
		}
	}
}

// bashAsks makes the script of mapo completion bash complete a line as the Tab key does. The function that splits the
// line is the package bash-completion's, which may be missing.
const bashAsks = `set -u
source <(mapo completion bash)
compopt() { :; } # it is for the Tab key alone
_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}; }
COMP_WORDS=(mapo "$@") COMP_CWORD=$# COMP_LINE="mapo $*" COMP_TYPE=9
COMP_POINT=${#COMP_LINE}
__start_mapo
printf '%s\n' "${COMPREPLY[@]}"
`

// TestCompletionScripts: the scripts load in the shells that are here, and bash completes by its own.
func TestCompletionScripts(t *testing.T) {
	for shell, check := range map[string]string{"bash": "-n", "zsh": "-n", "fish": "--no-execute"} {
		script, err := exec.Command("mapo", "completion", shell).Output()
		if err != nil || !strings.Contains(string(script), "__complete") {
			t.Fatalf("mapo completion %s: %v\n%.200s", shell, err, script)
		}
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("%s is not here", shell)
			continue
		}
		path := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(path, script, 0o666); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.Command(shell, check, path).CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s %s: %v\n%s", shell, check, err, said)
		}
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	for words, want := range map[string]string{
		"eval uncer":           "uncertainty",
		"run spec.yaml --scal": "--scale",
		"tab":                  "table",
	} {
		cmd := exec.Command("bash", append([]string{"-c", bashAsks, "bash"}, strings.Fields(words)...)...)
		said, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(said)); err != nil || got != want {
			t.Errorf("mapo %s and Tab: %q, want %q (%v)", words, got, want, err)
		}
	}
}
