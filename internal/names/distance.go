package names

// Distance returns how many letters are added, dropped, changed, or swapped with the next, as in optimal string
// alignment, and most+1 where they are more than most. Costs O(len(a)·most).
func Distance(a, b []rune, most int) int {
	if n := len(a) - len(b); max(n, -n) > most {
		return most + 1
	}
	// Three rows of the table whose cell [i][j] is of the first i and j letters. Cells off the diagonal by more than most
	// are more than most; only those next to the others are read.
	width := len(b) + 1
	buffer := make([]int, 3*width)
	before, last, now := buffer[:width], buffer[width:2*width], buffer[2*width:]
	for j := range last {
		last[j] = min(j, most+1)
	}
	passed := 0 // the least of the last row
	for i, x := range a {
		from, to := max(0, i-most), min(len(b), i+most+1)
		now[from] = most + 1
		if from == 0 {
			now[0] = min(i+1, most+1)
		}
		least := now[from]
		for j := from; j < to; j++ {
			y := b[j]
			d := min(last[j+1], now[j]) + 1
			if x == y {
				d = min(d, last[j])
			} else {
				d = min(d, last[j]+1)
			}
			if i > 0 && j > 0 && x == b[j-1] && y == a[i-1] {
				d = min(d, before[j-1]+1)
			}
			now[j+1] = min(d, most+1)
			least = min(least, d)
		}
		if to < len(b) {
			now[to+1] = most + 1
		}
		if least > most && passed > most { // a swap reaches back over one row
			return most + 1
		}
		before, last, now, passed = last, now, before, least
	}
	return last[len(b)]
}
