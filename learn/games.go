package learn

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"mapo/table"
)

// Game is a game as a line of a file of games has it.
type Game struct {
	Truth   string `json:"truth"`             // what was thought of, the name of an object; "": it was not told
	Guess   string `json:"recommendation"`    // what was recommended at the end; "": nothing
	History []Told `json:"history"`           // the answers that count, in order
	Policy  string `json:"policy,omitempty"`  // its name and hash
	Played  string `json:"played,omitempty"`  // when, by RFC 3339
	Session string `json:"session,omitempty"` // of a server
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
		text := strings.TrimSpace(scan.Text())
		if text == "" {
			continue
		}
		var g Game
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&g); err != nil {
			return fmt.Errorf("%s:%d: not a game: %w; a game is a line such as {\"truth\": \"penguin\", \"history\": [{\"query\": \"Does it fly?\", \"answer\": -1}]}", name, line, err)
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s:%d: text follows the game; write one game a line", name, line)
		}
		if err := each(line, &g); err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	if err := scan.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", name, line+1, err)
	}
	return nil
}

// names finds objects and queries of a table by their names.
type names struct {
	t       *table.Table
	objects map[string]int
	queries map[string]int
}

func namesOf(t *table.Table) *names {
	n := &names{t: t, objects: map[string]int{}, queries: map[string]int{}}
	for k, name := range t.Objects {
		n.objects[table.Fold(name)] = k
	}
	for i, name := range t.Queries {
		n.queries[table.Fold(name)] = i
	}
	return n
}

// rows returns the objects that a truth names: one, or all of "A or B", as rows with equal shares are called in a game.
func (n *names) rows(truth string) ([]int, error) {
	if k, ok := n.objects[table.Fold(truth)]; ok {
		return []int{k}, nil
	}
	var rows []int
	for part := range strings.SplitSeq(truth, " or ") {
		k, ok := n.objects[table.Fold(part)]
		if !ok {
			return nil, fmt.Errorf("the truth %q is not an object of %s; correct the name, or add the object to the table first", truth, n.t.Name)
		}
		rows = append(rows, k)
	}
	return rows, nil
}
