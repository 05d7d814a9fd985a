package names

// Distance returns how many letters are added, dropped, changed, or swapped with the next, as in optimal string
// alignment. It stops counting above most, and returns more than most then.
func Distance(a, b []rune, most int) int {
	if n := len(a) - len(b); max(n, -n) > most {
		return most + 1
	}
	// Three rows of the table whose cell [i][j] is of the first i and j letters.
	width := len(b) + 1
	buffer := make([]int, 3*width)
	before, last, now := buffer[:width], buffer[width:2*width], buffer[2*width:]
	for j := range last {
		last[j] = j
	}
	for i, x := range a {
		now[0] = i + 1
		least := now[0]
		for j, y := range b {
			d := min(last[j+1], now[j]) + 1
			if x == y {
				d = min(d, last[j])
			} else {
				d = min(d, last[j]+1)
			}
			if i > 0 && j > 0 && x == b[j-1] && y == a[i-1] {
				d = min(d, before[j-1]+1)
			}
			now[j+1] = d
			least = min(least, d)
		}
		if least > most+1 { // a swap reaches back over one row
			return most + 1
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
