package spec

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"mapo/data/dataset"
	"mapo/difficulty"
	"mapo/game"
)

// kind is a way to say what is played.
type kind struct {
	key        string // under problem:
	name       string // for messages
	has        bool   // the spec says so
	load       func(l *loader, budget int, once bool) error
	difficulty string                // by which its levels are where the spec does not say; "": ρ̃
	priors     []string              // averages where the spec does not say; nil: as of tables
	measured   func(p *game.Problem) // has the texts ask for numbers; nil: they do not change
}

// kinds returns all there are.
func (p *problem) kinds() []kind {
	if p == nil {
		return nil
	}
	return []kind{
		{key: "thresholds", name: "thresholds", has: p.Thresholds != nil, load: (*loader).thresholds},
		{
			key: "arms", name: "arms", has: p.Arms != nil, load: (*loader).arms,
			difficulty: difficulty.MAB, priors: []string{"box"}, measured: dataset.Measured,
		},
		{
			key: "vectors", name: "vectors", has: p.Vectors != nil, load: (*loader).vectors,
			priors: []string{"box"}, measured: dataset.MeasuredVectors,
		},
		{key: "table", name: "a table", has: p.Table != "", load: (*loader).table},
		{key: "twentyq", name: "20 questions", has: p.TwentyQ != nil, load: (*loader).twentyq},
		{key: "jester", name: "jester", has: p.Jester != nil, load: (*loader).jester},
		{
			key: "classifiers", name: "classifiers", has: p.Classifiers != nil, load: (*loader).classifiers,
			priors: []string{"models", "votes"},
		},
	}
}

// thresholds sets the problem to thresholds, which need no file.
func (l *loader) thresholds(budget int, once bool) error {
	d := l.raw.Problem.Thresholds.D
	if d < 1 || d > mostD {
		return l.src.at("problem.thresholds.d", "thresholds over d = %d queries; d must be from 1 to %d", d, mostD)
	}
	if l.raw.Problem.Select != nil {
		return l.src.at("problem.select", "select is for tables: remove it, or set thresholds' d")
	}
	l.spec.Problem = dataset.Thresholds(d, budget)
	l.spec.Problem.AskOnce = once
	l.spec.origin = fmt.Sprintf("  thresholds: {d: %d}\n", d)
	return nil
}

// table reads the table and selects from it. Its own faults carry its own file
// and line.
func (l *loader) table(budget int, once bool) error {
	choice, err := l.selection()
	if err != nil {
		return err
	}
	path, t := l.raw.Problem.Table, l.made
	if t == nil {
		if path, err = l.find("problem.table", path); err != nil {
			return err
		}
		if t, err = dataset.ReadTable(path, l.spec.Weights); err != nil {
			return err
		}
	}
	if l.spec.Truth == "" {
		l.spec.Truth = truthOf(t)
	}
	if t.Weights != nil && l.spec.Truth == Majority {
		l.spec.Warnings = append(l.spec.Warnings, path+": weights count where truth is rows; majorities are drawn equally often")
	}
	l.spec.origin = fmt.Sprintf("  table: %s\n", word(path))
	if choice.Queries > 0 {
		l.spec.origin += fmt.Sprintf("  select: {queries: %d, design: %s, seed: %d}\n", choice.Queries, choice.Design, choice.Seed)
	}
	return l.rowsOf(t, dataset.Options{T: budget, AskOnce: once, Select: choice})
}

// selection checks and returns the spec's choice of queries, select: under a
// table.
func (l *loader) selection() (choice dataset.Select, err error) {
	s := l.raw.Problem.Select
	switch {
	case s == nil:
		return choice, nil
	case s.Queries < 1:
		return choice, l.src.at("problem.select", "select keeps %d queries; it must be at least 1, such as select: {queries: 100}", s.Queries)
	case s.Design != "" && !slices.Contains(dataset.Designs, s.Design):
		return choice, l.src.at("problem.select.design", "%s", Unknown("design", s.Design, dataset.Designs))
	}
	choice = dataset.Select{Queries: s.Queries, Design: s.Design, Seed: s.Seed}
	if s.Design == "" {
		choice.Design = dataset.Designs[0]
	}
	return choice, nil
}

// rowsOf makes the game and the prior of a table's rows.
func (l *loader) rowsOf(t *dataset.Table, o dataset.Options) error {
	l.said(t)
	if l.spec.Truth == Rows {
		return l.shares(t, o)
	}
	var warnings []string
	var err error
	l.spec.Problem, l.spec.rows, warnings, err = dataset.Majorities(t, o)
	l.spec.rowPrior = "table"
	l.spec.Warnings = append(l.spec.Warnings, warnings...)
	return err
}

// said adds what the reader of a table assumed, in the words of import.
func (l *loader) said(t *dataset.Table) {
	for _, text := range t.Notes {
		l.spec.Notes = append(l.spec.Notes, "assumed: "+text)
	}
	l.spec.Warnings = append(l.spec.Warnings, t.Warnings...)
}

// find returns a data file's absolute path, as the resolved spec is stored elsewhere.
func (l *loader) find(key, file string) (string, error) { return l.located(key, file, dataset.Find) }

// located returns the absolute path of what find finds.
func (l *loader) located(key, file string, find func(file, folder string) (string, error)) (string, error) {
	path, err := find(file, l.folder)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		if l.src.root == nil {
			return "", err
		}
		return "", l.src.at(key, "%v", err)
	}
	return path, nil
}

// twentyq is 20 Questions as written; what it leaves out is App. I's.
type twentyq struct {
	Folder  string  `yaml:"folder"`  // where mapo data fetch puts it, unless it is given
	Queries *int    `yaml:"queries"` // how many are kept; 100 where omitted
	Design  string  `yaml:"design"`  // rho-star, the default, or balanced
	Seed    *uint64 `yaml:"seed"`    // of the draw; 1 where omitted
}

// What a problem of 20 Questions or Jester that does not say so means.
const (
	twentyqFolder  = "twentyq" // where mapo data fetch puts it
	twentyqQueries = 100
	defaultSeed    = 1
)

// twentyq reads the release and draws its queries from the design of App. I.
func (l *loader) twentyq(budget int, once bool) error {
	q := *l.raw.Problem.TwentyQ
	if q.Folder == "" {
		q.Folder = twentyqFolder
	}
	choice := dataset.Select{Queries: twentyqQueries, Design: "rho-star", Seed: defaultSeed}
	if q.Queries != nil {
		choice.Queries = *q.Queries
	}
	if q.Seed != nil {
		choice.Seed = *q.Seed
	}
	if q.Design != "" {
		choice.Design = q.Design
	}
	switch {
	case l.raw.Problem.Select != nil:
		return l.src.at("problem.select", "select is for tables: write twentyq: {folder: %s, queries: %d}", word(q.Folder), choice.Queries)
	case choice.Queries < 1:
		return l.src.at("problem.twentyq.queries", "twentyq keeps %d queries; it must be at least 1", choice.Queries)
	case !slices.Contains(dataset.Designs, choice.Design):
		return l.src.at("problem.twentyq.design", "%s", Unknown("design", choice.Design, dataset.Designs))
	}
	path, err := l.located("problem.twentyq.folder", q.Folder, dataset.FindFolder)
	if err != nil {
		return fmt.Errorf("%w; mapo data fetch twentyq gets it", err)
	}
	if l.spec.Truth == "" {
		l.spec.Truth = Rows // its cells are shares of people
	}
	t, warnings, err := dataset.ReadTwentyQ(path, l.spec.Truth == Rows)
	if err != nil {
		return err
	}
	l.spec.Warnings = append(l.spec.Warnings, warnings...)
	l.spec.origin = fmt.Sprintf("  twentyq: {folder: %s, queries: %d, design: %s, seed: %d}\n", word(path), choice.Queries, choice.Design, choice.Seed)
	return l.rowsOf(t, dataset.Options{Name: "twentyq", T: budget, AskOnce: once, Select: choice})
}

// jester is Jester as written: one file or a list of them, and either how 𝒵 is
// made by k-means or a table of it.
type jester struct {
	File       ast.Node `yaml:"file"`       // or a list of files: CSV, or the published .zip or .xls
	Clusters   *int     `yaml:"clusters"`   // hypotheses that k-means makes, 2 to 1,000; 10 where omitted
	Seed       *uint64  `yaml:"seed"`       // of k-means; 1 where omitted
	Restarts   *int     `yaml:"restarts"`   // of k-means, 1 to 1,000; 10 where omitted
	Hypotheses string   `yaml:"hypotheses"` // or a table of them
}

// Bounds of k-means: what no machine would finish is a slip.
const (
	mostClusters = 1000
	mostRestarts = 1000
)

// jester reads the users who rated all jokes and makes 𝒵 of them, or takes it from
// a table (App. J).
func (l *loader) jester(budget int, once bool) error {
	if l.raw.Problem.Select != nil {
		return l.src.at("problem.select", "select is for tables: remove it, Jester keeps all %d jokes", dataset.Jokes)
	}
	files, err := l.jesterFiles()
	if err != nil {
		return err
	}
	how, err := l.clusters()
	if err != nil {
		return err
	}
	hypotheses := ""
	if file := l.raw.Problem.Jester.Hypotheses; file != "" || l.has("problem.jester.hypotheses") {
		if hypotheses, err = l.find("problem.jester.hypotheses", file); err != nil {
			return err
		}
	}
	r, err := dataset.ReadJester(files...)
	if err != nil {
		return err
	}
	l.spec.rows, l.spec.rowPrior, l.spec.Warnings = r.Users, "users", r.Warnings
	l.spec.Notes = []string{fmt.Sprintf("Jester: %d of %d users rated all %d jokes.", len(r.Users), r.All, dataset.Jokes)}
	l.spec.origin = fmt.Sprintf("  jester: {file: %s, ", words(files))
	o := dataset.Options{T: budget, AskOnce: once}
	if hypotheses != "" {
		l.spec.origin += fmt.Sprintf("hypotheses: %s}\n", word(hypotheses))
		return l.given(r, o, hypotheses)
	}
	l.spec.origin += fmt.Sprintf("clusters: %d, seed: %d, restarts: %d}\n", how.Clusters, how.Seed, how.Restarts)
	return l.clustered(r, o, how)
}

// jesterFiles returns the files of ratings as found.
func (l *loader) jesterFiles() ([]string, error) {
	const key = "problem.jester.file"
	node := l.raw.Problem.Jester.File
	if node == nil {
		return nil, l.src.at("problem.jester", "jester needs a file of ratings, such as jester: {file: jester_dataset_1_1.zip}")
	}
	list := []ast.Node{node}
	if seq, ok := node.(*ast.SequenceNode); ok {
		list = seq.Values
	}
	if len(list) == 0 {
		return nil, l.src.at(key, "the list of files is empty: name at least one")
	}
	var out []string
	for _, n := range list {
		file, _, ok := scalarText(n)
		if !ok {
			return nil, l.src.at(key, "%s is %s, want a file or a list of files", key, show(n))
		}
		path, err := l.find(key, file)
		if err != nil {
			return nil, fmt.Errorf("%w; mapo data fetch jester gets jester_dataset_1_1.zip and jester_dataset_1_2.zip", err)
		}
		out = append(out, path)
	}
	return out, nil
}

// clusters checks and returns the settings of k-means.
func (l *loader) clusters() (how dataset.Cluster, err error) {
	raw := l.raw.Problem.Jester
	const key = "problem.jester"
	if raw.Hypotheses != "" && (raw.Clusters != nil || raw.Seed != nil || raw.Restarts != nil) {
		return how, l.src.at(key+".hypotheses", "hypotheses are given, so there is nothing to cluster: drop clusters, seed and restarts, or hypotheses")
	}
	how = dataset.Cluster{Seed: defaultSeed}.WithDefaults()
	if raw.Seed != nil {
		how.Seed = *raw.Seed
	}
	if raw.Clusters != nil {
		if how.Clusters = *raw.Clusters; how.Clusters < 2 || how.Clusters > mostClusters {
			return how, l.src.at(key+".clusters", "clusters is %d; it must be from 2 to %d", how.Clusters, mostClusters)
		}
	}
	if raw.Restarts != nil {
		if how.Restarts = *raw.Restarts; how.Restarts < 1 || how.Restarts > mostRestarts {
			return how, l.src.at(key+".restarts", "restarts is %d; it must be from 1 to %d", how.Restarts, mostRestarts)
		}
	}
	return how, nil
}

// clustered sets the problem to one with 𝒵 by k-means.
func (l *loader) clustered(r *dataset.Ratings, o dataset.Options, how dataset.Cluster) error {
	if len(r.Users) < how.Clusters {
		return l.src.at("problem.jester.clusters", "%d clusters of %d users: lower it, or give more files", how.Clusters, len(r.Users))
	}
	c := dataset.Clusters(r.Users, how)
	p, warning, err := r.Problem(o, c)
	if err != nil {
		return err
	}
	if warning != "" {
		l.spec.Warnings = append(l.spec.Warnings, warning)
	}
	l.spec.Problem = p
	l.spec.Notes = append(l.spec.Notes, fmt.Sprintf("k-means (App. J), %d clusters, seed %d: the best of %d starts has a mean gap of %.4g between the best jokes and the best cluster, the worst %.4g.",
		how.Clusters, how.Seed, how.Restarts, c.Gap, c.Worst))
	return nil
}

// given sets the problem to one with 𝒵 from a table.
func (l *loader) given(r *dataset.Ratings, o dataset.Options, path string) error {
	t, err := dataset.ReadTable(path, "")
	if err != nil {
		return err
	}
	l.said(t)
	p, warnings, err := r.ProblemOf(o, t)
	if err != nil {
		return err
	}
	l.spec.Problem, l.spec.Warnings = p, append(l.spec.Warnings, warnings...)
	l.spec.Notes = append(l.spec.Notes, fmt.Sprintf("The hypotheses given have a mean gap of %.4g between the best jokes and the best hypothesis (App. J's objective).", dataset.MeanGap(r.Users, p)))
	return nil
}
