package dataset

import (
	"fmt"
	"path/filepath"
	"strings"

	"mapo/data/table"
)

// clean drops columns on which all rows agree, then columns that repeat an
// earlier one, and merges rows that are now equal. The three counted warnings
// begin with the file and when.
func (r *reduced) clean(when string) (*reduced, []string) {
	out := &reduced{t: r.t}
	var constant, repeated int
	var firstConstant, firstRepeated string
	seen := make(map[string]int)
	for _, col := range r.cols {
		key := r.column(col)
		switch at, ok := seen[key]; {
		// All bytes alike: every object gives the same answer.
		case strings.Count(key, key[:1]) == len(key):
			if constant == 0 {
				firstConstant = table.Quote(r.t.Queries[col])
			}
			constant++
		case ok:
			if repeated == 0 {
				firstRepeated = fmt.Sprintf("%s repeats %s", table.Quote(r.t.Queries[col]), table.Quote(r.t.Queries[at]))
			}
			repeated++
		default:
			seen[key] = col
			out.cols = append(out.cols, col)
		}
	}
	merged, example := out.merge(r)
	var warnings []string
	warn := func(n int, one, many, first string) {
		if n > 0 {
			if n > 1 {
				one, first = fmt.Sprintf(many, n), "the first: "+first
			}
			warnings = append(warnings, fmt.Sprintf("%s: %s%s (%s)", r.t.Name, when, one, first))
		}
	}
	warn(constant, "dropped 1 query on which all objects agree", "dropped %d queries on which all objects agree", firstConstant)
	warn(repeated, "dropped 1 query that repeats another", "dropped %d queries that repeat another", firstRepeated)
	warn(merged, "merged 1 object into another with the same answers", "merged %d objects into others with the same answers", example)
	return out, warnings
}

// Merged returns the hypotheses of a table's majorities ([Majorities]) that stand for several
// objects each: their names, "A / B", and the rows that each stands for.
func Merged(t *table.Table) (names []string, rows [][]int) {
	r, _ := whole(t).clean("")
	for k, like := range r.like {
		if len(like) > 1 {
			names, rows = append(names, r.name(k)), append(rows, like)
		}
	}
	return names, rows
}

// column returns the answers of all rows to one query, a byte each.
func (r *reduced) column(col int) string {
	key := make([]byte, len(r.rows))
	for k, row := range r.rows {
		key[k] = r.z(row, col)
	}
	return string(key)
}

// merge fills out's rows from r's, one for each pattern over out's columns, and
// returns how many objects lost a row of their own and an example.
func (out *reduced) merge(r *reduced) (merged int, example string) {
	seen := make(map[string]int)
	key := make([]byte, len(out.cols))
	for k, row := range r.rows {
		for i, col := range out.cols {
			key[i] = r.z(row, col)
		}
		like := []int{row}
		if r.like != nil {
			like = r.like[k]
		}
		at, ok := seen[string(key)]
		if !ok {
			seen[string(key)] = len(out.rows)
			out.rows, out.like = append(out.rows, row), append(out.like, append([]int(nil), like...))
			continue
		}
		if merged == 0 {
			example = fmt.Sprintf("%s is like %s", table.Quote(r.t.Objects[row]), table.Quote(r.t.Objects[out.rows[at]]))
		}
		merged++
		out.like[at] = append(out.like[at], like...)
	}
	return merged, example
}

// Base returns a file's name without its folder and without endings such as .csv,
// .json, .gz and .yaml.
func Base(path string) string {
	name := filepath.Base(path)
	for {
		cut := name
		for _, ext := range []string{".gz", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".npy", ".yaml", ".yml"} {
			if len(cut) > len(ext) && strings.EqualFold(cut[len(cut)-len(ext):], ext) {
				cut = cut[:len(cut)-len(ext)]
			}
		}
		if cut == name {
			return name
		}
		name = cut
	}
}
