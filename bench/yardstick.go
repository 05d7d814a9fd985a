package bench

// Record is how good a training's policy was judged to be after so much of it.
type Record struct {
	Work          float64 // environment steps played, the adversary's included
	Seconds       float64 // of training
	Worst, Lo, Hi float64 // judged worst case with its 95 % interval
}

// Ratio is what two trainings needed for one worst case. One that never reached it
// has its last record here: all that it spent.
type Ratio struct {
	Worst                  float64
	Yardstick, Ours        Record
	YardstickDid, OursDoes bool // whether each reached it
}

// Work returns how many times the steps the yardstick needed; a bound where one of the
// two never got there, from below if that was the yardstick.
func (r Ratio) Work() float64 { return r.Yardstick.Work / r.Ours.Work }

// Seconds returns the same in time.
func (r Ratio) Seconds() float64 { return r.Yardstick.Seconds / r.Ours.Seconds }

// Ratios compares a training with a yardstick, both in the order of their work. Each worst
// case that the yardstick was the first to reach is compared with our first record
// that is not higher, then those of ours that it never reached. Records stand at
// geometric intervals, so a ratio is right within their factor; nothing between
// them is made up.
func Ratios(yardstick, ours []Record) []Ratio {
	if len(yardstick) == 0 || len(ours) == 0 {
		return nil
	}
	var out []Ratio
	for _, y := range lowest(yardstick) {
		o, ok := first(ours, y.Worst)
		out = append(out, Ratio{y.Worst, y, o, true, ok})
	}
	for _, o := range lowest(ours) {
		if y, ok := first(yardstick, o.Worst); !ok {
			out = append(out, Ratio{o.Worst, y, o, false, true})
		}
	}
	return out
}

// lowest returns the records below all before them.
func lowest(records []Record) (out []Record) {
	for _, r := range records {
		if len(out) == 0 || r.Worst < out[len(out)-1].Worst {
			out = append(out, r)
		}
	}
	return out
}

// first returns the first record of at most that worst case, or the last of all.
func first(records []Record, worst float64) (Record, bool) {
	for _, r := range records {
		if r.Worst <= worst {
			return r, true
		}
	}
	return records[len(records)-1], false
}
