package dataset_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"strconv"
	"strings"

	"mapo/data/dataset"
	"mapo/data/table"
)

// readPets reads a format of one's own: an object a line, "penguin: swims 0.98, flies 0.02". The first line says which questions
// there are. A fault is one line: where it is, the value, the rule.
func readPets(r io.Reader, name string) (*table.Table, error) {
	var objects, questions []string
	var shares [][]float64
	lines := bufio.NewScanner(r) // it bounds a line at 64 KiB; a reader of files is bounded in all, too
	for at := 1; lines.Scan(); at++ {
		object, cells, ok := strings.Cut(lines.Text(), ": ")
		if !ok {
			return nil, fmt.Errorf("%s:%d: %q has no colon; a line is OBJECT: QUESTION SHARE, …", name, at, lines.Text())
		}
		var row []float64
		for i, cell := range strings.Split(cells, ", ") {
			question, text, _ := strings.Cut(cell, " ")
			share, err := strconv.ParseFloat(text, 64)
			if err != nil || !(share >= 0 && share <= 1) {
				return nil, fmt.Errorf("%s:%d: %s %s is %q; a share is from 0 to 1", name, at, object, question, text)
			}
			if at == 1 {
				questions = append(questions, question)
			} else if i >= len(questions) || questions[i] != question {
				return nil, fmt.Errorf("%s:%d: question %d is %q; line 1 says which there are", name, at, i+1, question)
			}
			row = append(row, share)
		}
		objects, shares = append(objects, object), append(shares, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return table.New(name, objects, questions, shares, nil)
}

// Read a format of one's own as a table, and make the problem whose hypotheses are its rows.
func ExampleRows() {
	t, err := readPets(strings.NewReader("penguin: swims 0.98, flies 0.02\nparrot: swims 0.01, flies 0.95\n"), "pets.txt")
	if err != nil {
		log.Fatal(err)
	}
	p, _, err := dataset.Rows(t, dataset.RowOptions{Options: dataset.Options{T: 2, AskOnce: true}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Names, p.X, p.T)
	_, err = readPets(strings.NewReader("penguin: swims 98\n"), "pets.txt")
	fmt.Println(err)
	// Output:
	// [penguin parrot] [swims flies] 2
	// pets.txt:1: penguin swims is "98"; a share is from 0 to 1
}
