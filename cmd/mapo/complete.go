package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mapo/policy/decision"
	"mapo/policy/rival"
	"mapo/spec"
)

// Endings of the files that commands read, as a shell completes them.
var (
	tables    = []string{"csv", "tsv", "gz"}
	specs     = slices.Concat([]string{"yaml", "yml"}, tables)
	trained   = []string{strings.TrimPrefix(policySuffix, ".")}
	playables = slices.Concat(trained, specs)
	yamls     = []string{"yaml", "yml"}
)

// nothingElse says that a flag or an argument has no file for its value.
var nothingElse = cobra.NoFileCompletions

// arguments complete those of commands; those of others are words of their own or none.
var arguments = map[string]cobra.CompletionFunc{
	"mapo run":           one(files(specs...)),
	"mapo train":         one(files(specs...)),
	"mapo certify":       one(files(specs...)),
	"mapo pretrain":      one(files(yamls...)),
	"mapo inspect":       one(files(playables...)),
	"mapo init":          one(files(tables...)),
	"mapo play":          one(policyFiles(playables...)),
	"mapo serve":         policyFiles(playables...),
	"mapo eval":          policyFiles(trained...),
	"mapo export":        one(policyFiles(trained...)),
	"mapo recommend":     one(files(playables...)),
	"mapo step":          one(files(specs...)),
	"mapo data import":   one(anyFile),
	"mapo data tabulate": one(files(tables...)),
	"mapo table learn":   one(files(tables...)),
	"mapo table review":  one(files("db")),
	"mapo data fetch":    one(oneOf("jester", "twentyq")),
}

// values complete those of flags, by their names or by those of one command. Flags with a number have none, and others have files.
var values = map[string]cobra.CompletionFunc{
	"mapo bench --policy": oneOf("mlp", "structured"),
	"scale":               oneOf(spec.Scales...),
	"prior":               oneOf("table", "noiseless", "flip:0.8", "box", "users"),
	"decision":            oneOf(decision.Names()...),
	"stop":                oneOf(spec.Off, "0.95"),
	"learn":               oneOf(learnTable, learnLabelling),
	"set-aside":           oneOf("on", "off"),
	"problem":             files(specs...),
	"init":                files(trained...),
	"given":               files(tables...),
	"labels":              files(tables...),
	"answers":             files(tables...),
	"theta":               files(tables...),
}

// completes makes a shell complete the arguments and flags of root and all commands below.
func completes(root *cobra.Command) {
	each(root, func(c *cobra.Command) {
		if c.ValidArgsFunction == nil && !c.HasSubCommands() {
			c.ValidArgsFunction = nothingElse
		}
		if complete := arguments[c.CommandPath()]; complete != nil {
			c.ValidArgsFunction = complete
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			complete := values[c.CommandPath()+" --"+f.Name]
			if complete == nil {
				complete = values[f.Name]
			}
			if complete == nil && isNumber(f) {
				complete = nothingElse
			}
			if complete != nil {
				_ = c.RegisterFlagCompletionFunc(f.Name, complete) // the flag exists, and has no other yet
			}
		})
	})
}

// isNumber reports whether a flag's value is a number, a list of numbers, a time or a size.
func isNumber(f *pflag.Flag) bool {
	kind := f.Value.Type()
	return kind != "string" && kind != "strings" && kind != "stringSlice" && kind != "bool"
}

// oneOf completes words that are known.
func oneOf(known ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)
}

// files completes files with one of the endings.
func files(endings ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(endings, cobra.ShellCompDirectiveFilterFileExt)
}

// anyFile leaves it to the shell to complete files.
func anyFile(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// one completes the first argument only.
func one(first cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, before []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(before) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return first(c, before, text)
	}
}

// policyFiles completes policies by name beside files with one of the endings, also behind NAME=. A path is the shell's to
// complete: it knows ~.
func policyFiles(endings ...string) cobra.CompletionFunc {
	return func(c *cobra.Command, before []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
		name, path, named := strings.Cut(text, "=")
		if !named {
			name, path = "", text
		} else {
			name += "="
		}
		if !named && strings.ContainsRune(path, filepath.Separator) {
			return files(endings...)(c, before, text)
		}
		found := beside(path, endings)
		if !named {
			found = append(found, rival.Names()...)
		}
		how := cobra.ShellCompDirectiveNoFileComp
		var all []cobra.Completion
		for _, f := range found {
			if strings.HasPrefix(f, path) {
				all = append(all, name+f)
			}
		}
		if len(all) == 1 && strings.HasSuffix(all[0], "/") {
			how |= cobra.ShellCompDirectiveNoSpace
		}
		return all, how
	}
}

// beside returns the folders, with a slash, and the files with one of the endings that are in the folder of path.
func beside(path string, endings []string) (found []string) {
	folder, _ := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(folder))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasPrefix(name, "."):
		case e.IsDir():
			found = append(found, folder+name+"/")
		case slices.Contains(endings, strings.TrimPrefix(filepath.Ext(name), ".")):
			found = append(found, folder+name)
		}
	}
	return found
}
