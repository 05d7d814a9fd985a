package num

// countByteRows is how many rows of bytes can be added up in bytes.
const countByteRows = 255

func runCountOnes(dst []float32, rows []int32, t *Table) {
	width := t.wide()
	for ; len(rows) > 0; rows = rows[min(len(rows), countByteRows):] {
		for c := 0; c < width; c += countColumns {
			countOnesAVX2(&dst[c], &t.bytes[c], &rows[0], min(len(rows), countByteRows), width)
		}
	}
}
