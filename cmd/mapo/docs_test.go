package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mapo/internal/suite"
)

// The documents whose commands run and whose flags exist.
func documents(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"../../README.md", "../../CONTRIBUTING.md", "../../docs/*.md", "../../docs/decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		paths = append(paths, found...)
	}
	return paths
}

// shown is a command in a document with the output shown under it.
type shown struct {
	line   int
	args   []string
	output []string
}

// commandLine finds a mapo command at a line's start.
var commandLine = regexp.MustCompile(`^(?:\$ )?(?:(?:\./)?mapo|go run \./cmd/mapo) (.*)$`)

// commands are the lines of a document's code blocks, fenced or indented, that
// begin with "$ mapo", "./mapo" or "go run ./cmd/mapo". What follows a line with "$", up to
// the next or the block's end, is its output. "mapo run SPEC" without "$" is a
// synopsis and no command.
func commands(doc string) (out []shown) {
	fence, inBlock := false, false
	for i, line := range strings.Split(doc, "\n") {
		indented := strings.HasPrefix(line, "    ")
		switch {
		case strings.HasPrefix(line, "```"):
			fence = !fence
			inBlock = false
			continue
		case !fence && !indented:
			inBlock = false
			continue
		case !fence:
			line = line[4:]
		}
		m := commandLine.FindStringSubmatch(line)
		switch {
		case m != nil && (strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "./mapo") || strings.HasPrefix(line, "go run")):
			out = append(out, shown{line: i + 1, args: strings.Fields(m[1])})
			inBlock = line[0] == '$'
		case strings.HasPrefix(line, "$ "):
			inBlock = false
		case inBlock && strings.TrimSpace(line) != "":
			out[len(out)-1].output = append(out[len(out)-1].output, line)
		}
	}
	return out
}

// TestDocumentedCommands runs every command that README and docs show, in order,
// in a copy of what they name. Where MAPO_LONG is not set the copied specs are
// small: one level, one rival, a network and a training of a moment ([shrink]);
// the commands themselves are not changed, but for a --scale. A line of output
// that is shown must come out, white space aside, for commands on files that were
// not made small; "…" stands for lines left out.
func TestDocumentedCommands(t *testing.T) {
	long := os.Getenv("MAPO_LONG") != ""
	if testing.Short() {
		t.Skip("runs the program")
	}
	t.Parallel()
	total := 0
	for _, path := range documents(t) {
		doc, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list := commands(string(doc))
		if len(list) == 0 {
			continue
		}
		total += len(list)
		dir := sandbox(t, long)
		for _, c := range list {
			runShown(t, filepath.Base(path), dir, c, long)
		}
	}
	if total < 3 {
		t.Errorf("only %d commands were found in the documents", total)
	}
}

// sandbox is a folder with the files that commands name.
func sandbox(t *testing.T, long bool) string {
	t.Helper()
	dir := t.TempDir()
	files, err := filepath.Glob("../../examples/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "examples"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, ".yaml") && !long {
			data = []byte(shrink(string(data)))
		}
		if err := os.WriteFile(filepath.Join(dir, "examples", filepath.Base(file)), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shrink makes a spec one that runs in a moment.
func shrink(spec string) string {
	var out []string
	skip := false // the lines of a block that is replaced
	for line := range strings.SplitSeq(spec, "\n") {
		if !strings.HasPrefix(line, " ") {
			key, _, _ := strings.Cut(line, ":")
			skip = slices.Contains([]string{"levels", "train", "evaluate"}, key)
		}
		if !skip {
			out = append(out, line)
		}
	}
	return strings.Join(append(out,
		"levels: [32]",
		"train: {preset: smoke, mlp: {hidden: [8]}, N: 8, M: 4, L: 2, pi: 2, pi_hat: 2}",
		"evaluate: {rivals: [uniform], priors: [noiseless], games: 50}", ""), "\n")
}

// runShown runs one command and compares what it prints.
func runShown(t *testing.T, doc, dir string, c shown, long bool) {
	t.Helper()
	limit, args := suite.Patience, slices.Clone(c.args)
	if long {
		limit = time.Hour
	} else if at := slices.Index(args, "--scale"); at >= 0 && at+1 < len(args) {
		args[at+1] = "smoke"
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "mapo", args...)
	cmd.Dir = dir
	var said, faults strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &faults
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		t.Errorf("%s:%d: mapo %s: %v\n%s", doc, c.line, strings.Join(args, " "), err, faults.String())
		return
	}
	t.Logf("%s:%d: mapo %s: %.1f s", doc, c.line, strings.Join(args, " "), time.Since(begin).Seconds())
	small := slices.ContainsFunc(c.args, func(a string) bool { return strings.HasSuffix(a, ".yaml") })
	if small && !long {
		return
	}
	rest := words(said.String())
	for _, line := range c.output {
		if strings.TrimSpace(line) == "…" {
			continue
		}
		_, after, ok := strings.Cut(rest, words(line))
		if !ok {
			t.Errorf("%s:%d: mapo %s does not print %q (next); it prints\n%s", doc, c.line, strings.Join(args, " "), line, said.String())
			return
		}
		rest = after
	}
}

// TestReadmeBuildsFirst: the first command that the README shows builds the program that the second one starts, and works
// as it stands.
func TestReadmeBuildsFirst(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(doc), "\n    ")
	build, play, _ := strings.Cut(block, "\n    ")
	play, _, _ = strings.Cut(play, "\n")
	if fence := strings.Index(string(doc), "```"); fence < strings.Index(string(doc), build) {
		t.Error("a block of code is before the first command")
	}
	before, _, ok := strings.Cut(build, " -o mapo ./cmd/mapo")
	if !ok || !strings.HasPrefix(play, "./mapo play ") {
		t.Fatalf("the first commands are %q and %q", build, play)
	}
	cmd := exec.Command("sh", "-c", before+` -o "$0" ./cmd/mapo && "$0" `+strings.TrimPrefix(play, "./mapo "), filepath.Join(t.TempDir(), "mapo"))
	cmd.Dir = "../.."
	if said, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(said), "Think of one of these ") {
		t.Errorf("%s; %s: %v\n%.300s", build, play, err, said)
	}
}

// words is text with single spaces.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	flagName = regexp.MustCompile(`(?:^|[\s\[(|])--([a-z][a-z-]*)`)
	subName  = regexp.MustCompile(`^[a-z]+`)
)

// flagFaults is what a document says of commands that the program does not have:
// a `mapo COMMAND` that there is not, and a --flag that COMMAND does not take. A
// flag in a code span of its own belongs to the command named before it in the
// line, else to any.
func flagFaults(root *cobra.Command, doc string) (faults []string, seen int) {
	fence := false
	for i, line := range strings.Split(doc, "\n") {
		if strings.HasPrefix(line, "```") {
			fence = !fence
			continue
		}
		var spans []string
		if fence || strings.HasPrefix(line, "    ") {
			spans = []string{strings.TrimSpace(line)}
		} else {
			for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
				spans = append(spans, m[1])
			}
		}
		var command *cobra.Command
		for _, span := range spans {
			if m := commandLine.FindStringSubmatch(span); m != nil {
				name := subName.FindString(m[1])
				if command = child(root, name); command == nil && name != "" {
					faults = append(faults, where(i, "there is no command mapo "+name))
				}
			} else if (fence || strings.HasPrefix(line, "    ")) && command == nil {
				continue // another program's, or a file's text
			}
			for _, m := range flagName.FindAllStringSubmatch(span, -1) {
				seen++
				if !takes(root, command, m[1]) {
					faults = append(faults, where(i, "there is no flag --"+m[1]+" there"))
				}
			}
		}
	}
	return faults, seen
}

// where is a fault with its line, counted from 0.
func where(i int, text string) string {
	return "line " + strconv.Itoa(i+1) + ": " + text
}

func child(root *cobra.Command, name string) *cobra.Command {
	for _, c := range root.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// takes reports whether command or one under it, or where it is nil any, has the
// flag.
func takes(root, command *cobra.Command, flag string) bool {
	if command == nil {
		return takes(root, root, flag) || slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool {
			return !c.DisableFlagParsing && takes(root, c, flag)
		}) || ofWorker(flag)
	}
	if command.DisableFlagParsing {
		return flag == "help" || ofWorker(flag)
	}
	below := command != root && slices.ContainsFunc(command.Commands(), func(c *cobra.Command) bool { return takes(root, c, flag) })
	return flag == "help" || flag == "version" && command == root || command.Flags().Lookup(flag) != nil || below
}

// ofWorker reports whether mapo-worker, to which some commands pass their flags on,
// defines it.
func ofWorker(flag string) bool {
	files, err := filepath.Glob("../mapo-worker/*.go")
	return err == nil && slices.ContainsFunc(files, func(name string) bool {
		source, err := os.ReadFile(name)
		return err == nil && strings.Contains(string(source), `, "`+flag+`", `)
	})
}

// TestDocumentedFlags: every command and flag that a document or a help text names
// exists, and every command is in a document.
func TestDocumentedFlags(t *testing.T) {
	root, all, total := command(), "", 0
	root.InitDefaultCompletionCmd()
	for _, path := range documents(t) {
		doc, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		faults, seen := flagFaults(root, string(doc))
		for _, fault := range faults {
			t.Errorf("%s: %s", filepath.Base(path), fault)
		}
		total += seen
		all += string(doc)
	}
	if total < 10 {
		t.Errorf("only %d flags were found in the documents", total)
	}
	for _, c := range root.Commands() {
		if !strings.Contains(all, "`mapo "+c.Name()) && !c.Hidden {
			t.Errorf("no document tells of mapo %s", c.Name())
		}
		help := c.Long
		c.Flags().VisitAll(func(f *pflag.Flag) { help += " " + f.Usage })
		for _, m := range flagName.FindAllStringSubmatch(help, -1) {
			if !takes(root, c, m[1]) {
				t.Errorf("the help of mapo %s names --%s, which it does not take", c.Name(), m[1])
			}
		}
	}
}

// TestFlagFaults: what is not there is found.
func TestFlagFaults(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{"`mapo run SPEC [--scale smoke] [--resume]`, and `--exact` does not belong to it", "line 1: there is no flag --exact there"},
		{"try `mapo fly --scale x`", "line 1: there is no command mapo fly"},
		{"a\n```\n$ mapo eval uniform --problem s.yaml --resume\n```\n", "line 3: there is no flag --resume there"},
		{"the flag `--reusme`", "line 1: there is no flag --reusme there"},
		{"    go run ./cmd/mapo run s.yaml --outt x\n", "line 1: there is no flag --outt there"},
		{"    go test --anything\n", ""},
		{"`mapo run SPEC --out DIR` and `--resume`; `mapo --version`", ""},
	} {
		faults, _ := flagFaults(command(), c.doc)
		if got := strings.Join(faults, "; "); got != c.want {
			t.Errorf("%q: got %q, want %q", c.doc, got, c.want)
		}
	}
}

// TestCommands: what is taken for a command, and what for its output.
func TestCommands(t *testing.T) {
	got := commands("text\n\n    go run ./cmd/mapo run a.yaml\n    go test ./...\n\n```\n$ mapo inspect b.csv\nout  1\n…\n$ ls\nx\n```\n`mapo run`\n```\nmapo run SPEC [--out DIR]\n```\n")
	want := []shown{{3, []string{"run", "a.yaml"}, nil}, {7, []string{"inspect", "b.csv"}, []string{"out  1", "…"}}}
	if len(got) != 2 || !slices.Equal(got[0].args, want[0].args) || got[0].line != 3 || !slices.Equal(got[1].args, want[1].args) || len(got[0].output) > 0 || !slices.Equal(got[1].output, want[1].output) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
