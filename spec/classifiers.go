package spec

import (
	"fmt"
	"reflect"

	"mapo/data/dataset"
)

// classifiers are as written, or their file alone.
type classifiers struct {
	File    string   `yaml:"file"`    // predictions, a row an item, a column a model
	Classes []string `yaml:"classes"` // all there are; those that are predicted where omitted
	Sample  *int     `yaml:"sample"`  // the most cells, 2 to 100,000; at most 2,000 queries where omitted
	Seed    *uint64  `yaml:"seed"`    // of the sample; 1 where omitted
}

// Bounds of sample:, in items.
const (
	leastSample = 2
	mostSample  = 100_000
)

// Pool is what a game over the items of a pool was made of.
type Pool struct {
	*dataset.Predictions
	Made *dataset.Made
}

// classifiers reads predictions and makes the game of finding the model that is right most often.
func (l *loader) classifiers(budget int, once bool) error {
	const key = "problem.classifiers"
	raw, err := l.classifiersAs(key)
	if err != nil {
		return err
	}
	switch {
	case raw.File == "":
		return l.src.at(key, "classifiers have no file: write classifiers: predictions.csv or classifiers: {file: predictions.csv, classes: [cat, dog]}")
	case l.raw.Problem.Select != nil:
		return l.src.at("problem.select", "select is for tables: remove it, or write classifiers: {file: %s, sample: 1000}", word(raw.File))
	case once || l.has("ask-once") || l.has("problem.ask-once"):
		at := "ask-once"
		if l.has("problem.ask-once") {
			at = "problem.ask-once"
		}
		return l.src.at(at, "ask-once is for questions that could be repeated; an item of a pool has one label: remove it")
	case l.raw.Answers != nil:
		return l.src.at("answers", "the answers are the classes of items: remove answers")
	}
	o := dataset.PoolOptions{T: budget, Seed: defaultSeed}
	if raw.Seed != nil {
		o.Seed = *raw.Seed
	}
	if raw.Sample != nil {
		if o.Most = *raw.Sample; o.Most < leastSample || o.Most > mostSample {
			return l.src.at(key+".sample", "sample is %d items; it must be from %d to %d", o.Most, leastSample, mostSample)
		}
	}
	path, err := l.find(key, raw.File)
	if err != nil {
		return err
	}
	t, err := dataset.ReadPredictions(path, raw.Classes)
	if err != nil {
		return err
	}
	made, err := t.Problem(o)
	if err != nil {
		return err
	}
	if l.raw.Budget == nil {
		made.T = min(made.T, len(made.Texts()))
	}
	l.spec.Problem, l.spec.Pool = made.Problem, &Pool{t, made}
	l.spec.Notes, l.spec.Warnings = made.Notes, made.Warnings
	l.spec.origin = fmt.Sprintf("  classifiers: {file: %s, ", word(path))
	if raw.Classes != nil {
		l.spec.origin += fmt.Sprintf("classes: %s, ", words(raw.Classes))
	}
	l.spec.origin += fmt.Sprintf("sample: %d, seed: %d}\n", max(made.Most, leastSample), o.Seed)
	return nil
}

// classifiersAs reads both forms.
func (l *loader) classifiersAs(key string) (raw classifiers, err error) {
	node := l.raw.Problem.Classifiers
	if file, _, ok := scalarText(node); ok {
		return classifiers{File: file}, nil
	}
	return raw, l.src.decode(key, node, reflect.ValueOf(&raw).Elem())
}
