package learn

import (
	"fmt"
	"io"
	"strconv"

	"mapo/data/dataset"
	"mapo/data/table"
)

// readExport calls each with the games of an export of sessions, in the order of their first turns that
// count.
func readExport(r io.Reader, name string, each func(*Game) error) error {
	games, list := map[string]*Game{}, []*Game(nil)
	lines := []int(nil) // where each game begins
	err := dataset.EachTurn(r, name, func(t *dataset.Turn) error {
		g := games[t.Session]
		if g == nil {
			if len(list) == mostGames {
				return fmt.Errorf("a file has at most %d sessions; split it", mostGames)
			}
			g = &Game{Session: t.Session}
			games[t.Session], list, lines = g, append(list, g), append(lines, t.Line)
		}
		g.Truth, g.Guess, g.Policy = t.Truth, t.Recommendation, t.Policy+" "+t.Hash
		if t.Guessed != nil {
			g.Guessed = t.Guessed
			return nil
		}
		told := Told{Query: t.Text}
		if t.Answer != "" {
			value, err := strconv.ParseFloat(t.Answer, 64)
			if err != nil {
				return fmt.Errorf("the answer is %s; tables learn from answers 1, 0.5, -0.5 and -1", table.Quote(t.Answer))
			}
			told.Answer = &value
		}
		g.History = append(g.History, told)
		return nil
	})
	if err != nil {
		return err
	}
	for k, g := range list {
		if err := each(g); err != nil {
			return fmt.Errorf("%s:%d: %w", name, lines[k], err)
		}
	}
	return nil
}
