package web

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestMovedTable: what is learned belongs to names. A table with its rows and columns in another order, an object and a
// question more, and other shares, takes over what the games say; at a start and on SIGHUP.
func TestMovedTable(t *testing.T) {
	t.Parallel()
	table, who := shortCross(t)
	policy := idOf(table)
	p := newProcess(t, mapoProgram(t), fastDB(t), table, "--learn", "--learn-every", "1", "--stop", "off")
	p.start()
	counts := ledger{}
	v := &visitor{addr: p.addr}
	defer v.close()
	for i := range 20 {
		answers := map[string]float64{}
		end, err := v.session(policy, i, func(question string) int {
			answers[question] = float64(1 - 2*(i%2))
			return 1 - 2*(i%2)
		})
		must(t, err)
		must(t, v.tell(end.ID, who.objects[i%5]))
		counts.add(who.objects[i%5], answers)
	}
	sameShares(t, settled(t, p, policy, 20), readPeople(t, table), counts)
	moved := rewritten(t, table, func(lines [][]string) [][]string {
		slices.Reverse(lines[1:])
		for _, line := range lines {
			slices.Reverse(line[1:])
		}
		return lines
	})
	p.kill()
	v.close()
	p.start()
	sameShares(t, pageOf(t, p.addr, policy), moved, counts)
	larger := rewritten(t, table, func(lines [][]string) [][]string {
		lines = slices.Insert(lines, 3, slices.Clone(lines[2]))
		lines[3][0] = "a new object"
		for i := range lines {
			share := "0.3"
			if i == 0 {
				share = "a new question?"
			} else if i == 5 {
				lines[i][2] = "0.9"
			}
			lines[i] = slices.Insert(lines[i], 4, share)
		}
		lines[3][7] = "0.45"
		return lines
	})
	must(t, p.cmd.Process.Signal(syscall.SIGHUP))
	p.says("policy changed")
	sameShares(t, pageOf(t, p.addr, policy), larger, counts)
	answers := map[string]float64{}
	end, err := v.session(policy, 30, func(question string) int { answers[question] = 1; return 1 })
	must(t, err)
	must(t, v.tell(end.ID, "a new object"))
	counts.add("a new object", answers)
	sameShares(t, settled(t, p, policy, 21), larger, counts)
	sameCounts(t, countsIn(t, besideDB(t, p.db), policy), counts)
}

// rewritten changes a table's file, and reads it.
func rewritten(t testing.TB, path string, change func(lines [][]string) [][]string) *people {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	lines, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	must(t, err)
	var text strings.Builder
	w := csv.NewWriter(&text)
	must(t, w.WriteAll(change(lines)))
	must(t, os.WriteFile(path, []byte(text.String()), 0o600))
	return readPeople(t, path)
}
