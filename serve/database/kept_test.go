package database

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// TestSweepReadsIndexes: what sweeps and counts read does not grow with the sessions that are kept for good.
func TestSweepReadsIndexes(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, explain := opened(t, open), "EXPLAIN QUERY PLAN "
		db, err := sqlOf(s).db.BeginTx(t.Context(), nil)
		must(t, err)
		defer db.Rollback()
		if _, ok := s.(*postgresStore); ok {
			explain = "EXPLAIN "
			_, err = db.Exec(`SET LOCAL enable_seqscan = off`) // the tables are empty
			must(t, err)
		}
		for query, index := range map[string]string{
			strings.NewReplacer("$1", "7", "$2", "9").Replace(sweepOpen.find): "mapo_turns_unanswered",
			strings.NewReplacer("$1", "7", "$2", "9").Replace(sweepAny.find):  "mapo_sessions_touched",
			`SELECT COUNT(*) FROM mapo_turns WHERE step = 1 AND outcome = ''`: "mapo_turns_unanswered",
		} {
			rows, err := db.Query(explain + query)
			must(t, err)
			plan := planOf(t, rows)
			if !strings.Contains(plan, index) || strings.Contains(strings.ToUpper(plan), "SORT") || strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%s: %s", query, plan)
			}
		}
	})
}

// planOf is the last column of each row, a line each.
func planOf(t *testing.T, rows *sql.Rows) string {
	t.Helper()
	defer rows.Close()
	columns, err := rows.Columns()
	must(t, err)
	var text strings.Builder
	for rows.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		must(t, rows.Scan(cells...))
		fmt.Fprintln(&text, *cells[len(cells)-1].(*any))
	}
	must(t, rows.Err())
	return text.String()
}
