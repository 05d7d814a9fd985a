package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
)

// MarkRow is one line of yardstick.csv: a worst case, [WorstCase], of a policy as it was after so much training.
type MarkRow struct {
	Row             // Seconds are the training's until then
	Iteration int   // of the training
	Work      int64 // environment steps played by then, the adversary's included
}

// markHeader is yardstick.csv's first line.
var markHeader = []string{"policy", "loss", "level", "iteration", "work", "mean", "lo", "hi", "confidence", "games", "seconds"}

// WriteMarks writes rows as yardstick.csv, in the order given and with numbers as in results.csv; seconds, the
// only field that may differ between equal runs, come last.
func WriteMarks(w io.Writer, rows []MarkRow) error {
	out := csv.NewWriter(w)
	if err := out.Write(markHeader); err != nil {
		return fmt.Errorf("report: write the yardstick: %w", err)
	}
	for i, row := range rows {
		if err := row.check(); err != nil {
			return fmt.Errorf("report: yardstick row %d: %w", i+1, err)
		}
		line := []string{
			row.Policy, row.Loss, nonzero(row.Level), strconv.Itoa(row.Iteration), strconv.FormatInt(row.Work, 10),
			number(row.Mean), number(row.Lo), number(row.Hi), nonzero(row.Confidence), strconv.Itoa(row.Games),
			number(math.Round(row.Seconds*1000) / 1000),
		}
		if err := out.Write(line); err != nil {
			return fmt.Errorf("report: write the yardstick: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("report: write the yardstick: %w", err)
	}
	return nil
}
