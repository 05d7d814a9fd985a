package learn

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"mapo/data/dataset"
	"mapo/data/table"
)

// Game is a game as a line of a file of games has it.
type Game struct {
	Truth   string `json:"truth"`             // what was thought of, the name of an object; "": it was not told
	Guess   string `json:"recommendation"`    // what was recommended at the end; "": nothing
	History []Told `json:"history"`           // the answers that count, in order
	Policy  string `json:"policy,omitempty"`  // its name and hash
	Played  string `json:"played,omitempty"`  // when, by RFC 3339
	Session string `json:"session,omitempty"` // of a server
	Guessed *bool  `json:"guessed,omitempty"` // whether the last guess was right; null: there was none

	Proposed bool   `json:"-"` // whether the truth is an object that is only proposed
	Client   string `json:"-"` // where the game came from; "": not known
	Capped   bool   `json:"-"` // whether only a share of the client's games counts
	Exempt   bool   `json:"-"` // whether the client is never set aside
}

// Told is one answer: 1 for yes, −1 for no, ±0.5 for probably and probably not, null for don't know.
type Told struct {
	Query  string   `json:"query"`
	Answer *float64 `json:"answer"`
}

const (
	mostLine  = 4 << 20 // bytes of a line
	mostGames = 10_000_000
)

// Games calls each with every game, the oldest first, until it returns an error.
type Games func(each func(*Game) error) error

// FromFile returns the games of a file, as [ReadGames] reads it, or of an export of sessions.
func FromFile(r io.Reader, name string) Games {
	return func(each func(*Game) error) error {
		in := bufio.NewReaderSize(r, 64<<10)
		head, _ := in.Peek(in.Size()) // what is wrong is met again
		first, _, _ := bytes.Cut(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("\n"))
		if dataset.IsExport(first) {
			return readExport(in, name, each)
		}
		return ReadGames(in, name, func(_ int, g *Game) error { return each(g) })
	}
}

// ReadGames calls each with every game of a file of games, one JSON object a line, and the number of its line. name
// stands for the file in errors, which are one line with a remedy.
func ReadGames(r io.Reader, name string, each func(line int, g *Game) error) error {
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 64<<10), mostLine)
	line := 0
	for scan.Scan() {
		if line++; line > mostGames {
			return fmt.Errorf("%s:%d: a file of games has at most %d lines; split it", name, line, mostGames)
		}
		text := scan.Text()
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // Windows' editors put it first
		}
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		var g *Game
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		err := d.Decode(&g)
		if err == nil && g == nil {
			err = errors.New("null")
		}
		if err != nil {
			return fmt.Errorf("%s:%d: not a game: %w; a game is a line such as {\"truth\": \"penguin\", \"history\": [{\"query\": \"Does it fly?\", \"answer\": -1}]}", name, line, err)
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s:%d: text follows the game; write one game a line", name, line)
		}
		if err := each(line, g); err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	switch err := scan.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s:%d: the line is longer than %s; write one game a line", name, line+1, table.Size(mostLine))
	case err != nil:
		return fmt.Errorf("%s:%d: %w", name, line+1, err)
	}
	return nil
}

// names finds objects and questions of a vocabulary by their names.
type names struct {
	of        string // the table, for messages
	objects   map[string]int
	questions map[string]int
	merged    map[string][]int // by the name of a hypothesis of several objects, "A or B or C or 2 more"
}

func namesOf(t *table.Table, v *Vocabulary) *names {
	n := &names{of: t.Name, objects: map[string]int{}, questions: map[string]int{}, merged: map[string][]int{}}
	for k, name := range v.Objects {
		n.objects[table.Fold(name.Text)] = k
	}
	for i, name := range v.Questions {
		n.questions[table.Fold(name.Text)] = i
	}
	for _, rows := range dataset.Alike(t) {
		if len(rows) > 1 {
			var all []string
			for _, row := range rows {
				all = append(all, t.Objects[row])
			}
			n.merge(t, dataset.Either(all), rows)
		}
	}
	names, rows := dataset.Merged(t)
	for k, name := range names {
		n.merge(t, name, rows[k])
	}
	return n
}

// merge notes the objects that a hypothesis of that name stands for, rows of t.
func (n *names) merge(t *table.Table, name string, rows []int) {
	var list []int
	for _, row := range rows {
		if k, ok := n.objects[table.Fold(t.Objects[row])]; ok {
			list = append(list, k)
		}
	}
	if len(list) == len(rows) {
		n.merged[table.Fold(name)] = list
	}
}

// rows returns the objects that a truth names: one, or all of "A or B", as
// hypotheses are called in a game that stand for several.
func (n *names) rows(truth string) ([]int, error) {
	if k, ok := n.objects[table.Fold(truth)]; ok {
		return []int{k}, nil
	}
	if rows, ok := n.merged[table.Fold(truth)]; ok {
		return rows, nil
	}
	var rows []int
	for part := range strings.SplitSeq(truth, " or ") {
		k, ok := n.objects[table.Fold(part)]
		if !ok {
			return nil, fmt.Errorf("the truth %q is not an object of %s; correct the name, or add the object to the table first", truth, n.of)
		}
		rows = append(rows, k)
	}
	return rows, nil
}
