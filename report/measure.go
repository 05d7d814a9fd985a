package report

import (
	"context"
	"time"

	"mapo/judge"
)

// Measure carries out an evaluation and returns its results.csv rows, with the time that each part took.
func Measure(ctx context.Context, e *judge.Evaluation, players []judge.Player) (rows []Row, err error) {
	searched := map[string]time.Duration{}
	begin := time.Now()
	for m, err := range e.Run(ctx, players) {
		if err != nil {
			return nil, err
		}
		took := time.Since(begin)
		begin = time.Now()
		if m.Draft {
			searched[m.Player] = took
			continue
		}
		for _, w := range m.Worst {
			row := RowOf(WorstCase, m.Player, e.P, e.Loss, w.Estimate)
			row.Level, row.Seconds = w.Level, (searched[m.Player]+took).Seconds()/float64(len(m.Worst))
			rows = append(rows, row)
		}
		for _, a := range m.Averages {
			row := RowOf(Average, m.Player, e.P, a.Loss, a.Estimate)
			row.Prior, row.Seconds = a.Prior, took.Seconds()/float64(len(m.Averages))
			rows = append(rows, row)
		}
		for _, in := range m.Instances {
			row := RowOf(Instance, m.Player, e.P, in.Loss, in.Estimate)
			row.Instance, row.Seconds = in.Index, took.Seconds()/float64(len(m.Instances))
			rows = append(rows, row)
		}
	}
	return rows, nil
}
