//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mapo/internal/check"
)

// advised is a command that the message of a refused file names, and when it is right.
var advised = regexp.MustCompile(`(mapo data (?:import|tabulate) .*? -o \S+)(?: if (.*?))?(?:, or mapo|$)`)

// TestAdvisedCommands pastes each command that the message of a refused file names into a shell. Each reads the file, and
// advised.golden has the tables.
func TestAdvisedCommands(t *testing.T) {
	files, err := filepath.Glob("../../data/table/testdata/*/*.*")
	if err != nil || len(files) < 50 {
		t.Fatal(files, err)
	}
	dir := t.TempDir()
	paste := func(command string) (out string, fault error) {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		text, err := cmd.CombinedOutput()
		return string(text), err
	}
	var got bytes.Buffer
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(file)), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		why, fault := paste("mapo data import " + filepath.Base(file))
		if fault == nil {
			continue
		}
		_, list, _ := strings.Cut(strings.TrimSpace(why), " Run: ")
		for list != "" {
			m := advised.FindStringSubmatchIndex(list)
			if m == nil {
				t.Fatalf("%s: no command in %q", file, list)
			}
			command := list[m[2]:m[3]]
			when, end := "", m[3]
			if m[4] >= 0 {
				when, end = list[m[4]:m[5]], m[5]
			}
			fmt.Fprintf(&got, "== %s\n# %s\n", command, when)
			list = strings.TrimPrefix(list[end:], ", or ")
			said, fault := paste(command)
			if fault != nil {
				t.Errorf("%s: %s", command, said)
				continue
			}
			_, out, _ := strings.Cut(command, " -o ")
			table, err := os.ReadFile(filepath.Join(dir, out))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s%s", said, table)
			beside, err := filepath.Glob(filepath.Join(dir, out+".*ed")) // .imported or .tabulated
			if err != nil || len(beside) != 1 {
				t.Fatal(beside, err)
			}
			if err := errors.Join(os.Remove(filepath.Join(dir, out)), os.Remove(beside[0])); err != nil {
				t.Fatal(err)
			}
		}
	}
	check.Golden(t, "testdata/advised.golden", got.Bytes())
}
