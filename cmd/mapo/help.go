package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mapo/data/table"
	"mapo/internal/console"
	"mapo/internal/names"
	"mapo/spec"
)

// examples are the command lines that the help of each command shows.
var examples = map[string][]string{
	"mapo": {
		"mapo play examples/animals.csv",
		"mapo run examples/thresholds.yaml --scale smoke",
		"mapo run --help",
	},
	"mapo run": {
		"mapo run examples/thresholds.yaml --scale smoke",
		"mapo run animals.csv --out runs/animals",
		"mapo run animals.csv --out runs/animals --resume",
	},
	"mapo train": {
		"mapo train examples/thresholds.yaml --max-time 10m",
		"mapo train birds.csv --init animals.safetensors --out birds.safetensors",
	},
	"mapo pretrain": {
		"mapo pretrain examples/family.yaml --out pretrained.safetensors",
		"mapo pretrain family.yaml --out pretrained.safetensors --checkpoint-every 1m",
	},
	"mapo eval": {
		"mapo eval uniform sgbs:0.1 --problem examples/thresholds.yaml --r 8,32",
		"mapo eval mapo.safetensors --problem animals.csv --prior table --csv -",
		"mapo eval information:0.03 uniform --problem animals.csv --flip 0,0.1,0.2 --svg noise.svg",
	},
	"mapo inspect": {
		"mapo inspect examples/animals.csv",
		"mapo inspect mapo.safetensors",
		"mapo inspect --machine",
	},
	"mapo init":    {"mapo init animals.csv", "mapo init animals.csv -o animals.yaml"},
	"mapo certify": {"mapo certify examples/tiny.yaml"},
	"mapo play": {
		"mapo play animals.csv",
		"mapo play animals.csv --given known.csv",
		"mapo play mapo.safetensors --seed 7",
		"mapo play uncertainty --problem animals.csv",
	},
	"mapo serve": {
		"mapo serve animals.csv",
		"mapo serve mapo.safetensors",
		"mapo serve animals=runs/a/policies/mapo.safetensors birds=runs/b/policies/mapo.safetensors",
		"mapo serve mapo.safetensors --addr 0.0.0.0:8080 --ask-token-file tokens",
		"mapo serve mapo.safetensors --mcp",
	},
	"mapo table review": {
		"mapo table review mapo-sessions.db",
		"mapo table review mapo-sessions.db accept 7",
		"mapo table review mapo-sessions.db accept 8 --as 'Does it swim well?' --yes penguin,seal --no cat",
		"mapo table review mapo-sessions.db reject 9",
		"mapo table review mapo-sessions.db restore a:0123456789abcdef --policy animals",
	},
	"mapo export":        {"mapo export mapo.safetensors --onnx mapo.onnx"},
	"mapo data":          {"mapo data import survey.xlsx -o table.csv", "mapo data fetch jester", "mapo data tabulate answers.csv -o table.csv"},
	"mapo data pool":     {"mapo data pool --out predictions.csv --truth truth.csv --items 60 --models 5"},
	"mapo recommend":     {"mapo recommend pool.yaml --labels labels.csv", "mapo recommend mapo.safetensors --labels labels.csv --explore 0.2"},
	"mapo data fetch":    {"mapo data fetch twentyq --yes"},
	"mapo data tabulate": {"mapo data tabulate answers.csv -o table.csv --smooth 2"},
	"mapo step":          {"mapo step --list my.yaml --store shared", "mapo step train 0123abcd --store shared"},
	"mapo bench":         {"mapo bench --queries 100 --json"},
	"mapo worker":        {"mapo worker --temporal 127.0.0.1:7233 --store shared"},
	"mapo runs": {
		"mapo runs list --temporal 127.0.0.1:7233",
		"mapo runs status mapo-animals-0123abcd --temporal 127.0.0.1:7233",
	},
	"mapo cancel":  {"mapo cancel mapo-animals-0123abcd --temporal 127.0.0.1:7233"},
	"mapo version": {"mapo version"},
}

// explain completes the help of root and all commands below: texts are filled to the terminal's width, and each
// command has its examples.
func explain(root *cobra.Command) {
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", console.UsualWidth)))
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		long := c.Long
		if long == "" {
			long = c.Short
		}
		width := min(console.Width(console.Terminal(c.OutOrStdout())), 100)
		fmt.Fprintf(c.OutOrStdout(), "%s\n\n%s", console.Reflowed(long, width), c.UsageString())
	})
	each(root, func(c *cobra.Command) {
		if lines := examples[c.CommandPath()]; lines != nil {
			c.Example = "  " + strings.Join(lines, "\n  ")
		}
	})
}

// addHelp adds the command help to root.
func addHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = topic
		}
	}
}

// topic returns a fault where the arguments of mapo help name no command.
func topic(c *cobra.Command, args []string) error {
	named, rest, err := c.Root().Find(args)
	if err != nil {
		return unknownCommand(c.Root(), firstWord(args))
	}
	if word := firstWord(rest); word != "" && named.HasSubCommands() {
		return unknownCommand(named, word)
	}
	return nil
}

// each calls do for c and all commands below.
func each(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, below := range c.Commands() {
		each(below, do)
	}
}

// unknownCommand returns a fault where the words of a command line name no command of c, with the
// nearest that there is.
func unknownCommand(c *cobra.Command, word string) error {
	var known []string
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			known = append(known, below.Name())
		}
	}
	return hint(c, errors.New(spec.Unknown("command", word, known)))
}

// unknownFlag returns a fault that names the nearest flag of c, nil where none is near.
func unknownFlag(c *cobra.Command, name string) error {
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	near, ok := names.Near(name, known)
	if !ok {
		return nil
	}
	return fmt.Errorf("unknown flag --%s; did you mean --%s?", name, near)
}

// builtByRun finds the programs that go run makes: in a temporary folder, or in a cache by their content.
var builtByRun = regexp.MustCompile(`[/\\](go-build\d*[/\\].*|[0-9a-f]{64}-d[/\\][^/\\]*)$`)

// self returns how this program was called, as a shell takes it.
func self() string {
	if !builtByRun.MatchString(os.Args[0]) {
		return table.Shell(os.Args[0])
	}
	if _, err := os.Stat("cmd/mapo"); err != nil { // below the module's root
		return "go run mapo/cmd/mapo"
	}
	return "go run ./cmd/mapo"
}

// file returns a path as a shell takes it for an argument and no flag.
func file(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return table.Shell(path)
}
