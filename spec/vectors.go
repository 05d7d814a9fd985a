package spec

import (
	"fmt"

	"mapo/data/dataset"
	"mapo/game"
)

// vectors are as written: files of the queries and of the hypotheses.
type vectors struct {
	Queries    string `yaml:"queries"`    // a file, a row a vector, up to 1,000 of 100 entries
	Hypotheses string `yaml:"hypotheses"` // likewise; the queries where omitted
}

// vectors sets the problem to a linear bandit over files of vectors.
func (l *loader) vectors(budget int, once bool) error {
	const key = "problem.vectors"
	raw := l.raw.Problem.Vectors
	switch {
	case raw.Queries == "":
		return l.src.at(key, "vectors have no file of queries: write vectors: {queries: queries.csv} or vectors: {queries: queries.csv, hypotheses: items.csv}")
	case l.raw.Problem.Select != nil:
		return l.src.at("problem.select", "select is for tables: remove it, or shorten the file of queries")
	}
	path, err := l.find(key+".queries", raw.Queries)
	if err != nil {
		return err
	}
	x, err := dataset.ReadVectors(path)
	if err != nil {
		return err
	}
	var z *dataset.VectorSet
	l.spec.origin = fmt.Sprintf("  vectors: {queries: %s}\n", word(path))
	if raw.Hypotheses != "" || l.has(key+".hypotheses") {
		of, err := l.find(key+".hypotheses", raw.Hypotheses)
		if err != nil {
			return err
		}
		if z, err = dataset.ReadVectors(of); err != nil {
			return err
		}
		l.spec.origin = fmt.Sprintf("  vectors: {queries: %s, hypotheses: %s}\n", word(path), word(of))
	}
	p, err := dataset.Vectors(x, z, budget)
	if err != nil {
		return err
	}
	p.AskOnce = once
	l.spec.Problem = p
	if _, flips := game.ParsePrior(p, defaultPriors[0]); flips {
		l.spec.Notes = append(l.spec.Notes, "The queries are the unit vectors and the hypotheses 0 and 1: this is a problem without vectors.")
	}
	return nil
}
