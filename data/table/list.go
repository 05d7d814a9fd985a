package table

import (
	"regexp"
	"slices"
	"strings"
)

// listMark separates the values of a cell that holds a list, and ends each. No file holds it: control characters become blanks.
const listMark = "\x1f"

// lists makes one column of values of each column of lists in brackets, and of each set of columns that hold a list together.
func (r *reader) lists(g *grid) {
	for col := 1; col < len(g.rows[0]); col++ {
		r.brackets(g, col)
	}
	var keep []int
	for col := 0; col < len(g.rows[0]); {
		n := 1
		if col > 0 {
			n = max(r.together(g, col), 1)
		}
		keep = append(keep, col)
		if n > 1 {
			head := g.rows[0]
			r.assume("columns %s to %s hold one set of values: each is one question, and 0 where it is not there", Quote(head[col]), Quote(head[col+n-1]))
			head[col] = numbered.FindStringSubmatch(head[col])[1]
			for _, row := range g.rows[1:] {
				row[col] = list(row[col : col+n])
			}
		}
		col += n
	}
	if len(keep) < len(g.rows[0]) {
		g.keep(keep)
	}
}

// list makes the cell of a list.
func list(values []string) string {
	var b strings.Builder
	b.WriteString(listMark)
	for _, v := range values {
		if v != "" {
			b.WriteString(v + listMark)
		}
	}
	return b.String()
}

// brackets reads a column of lists such as ['red', 'small'] or [5, 10].
func (r *reader) brackets(g *grid, col int) {
	some := false
	for _, row := range g.rows[1:] {
		if strings.ContainsAny(row[col], "[{(") && r.numbers.parse(row[col]).both { // beside 0 and 1
			return
		}
		some = some || inBrackets(row[col])
	}
	if !some {
		return
	}
	r.assume("column %s holds lists in brackets: each value is one question, and 0 where it is not in the list", Quote(g.rows[0][col]))
	for _, row := range g.rows[1:] {
		switch cell := row[col]; {
		case codes.MatchString(cell):
			row[col] = list(strings.Split(strings.Trim(strings.NewReplacer(" ", "", ",", "", "/", "", "&", "", "|", "").Replace(cell), "()"), ""))
		case inBrackets(cell):
			row[col] = list(items(cell[1 : len(cell)-1]))
		case r.numbers.parse(cell).kind != isMissing:
			row[col] = list([]string{cell})
		}
	}
}

// inBrackets reports whether a cell is a list.
func inBrackets(cell string) bool {
	n := len(cell)
	return n > 1 && (cell[0] == '[' && cell[n-1] == ']' || cell[0] == '{' && cell[n-1] == '}') || codes.MatchString(cell)
}

// codes are states in brackets, as NEXUS and DELTA have them: (12) or (1,2).
var codes = regexp.MustCompile(`^\([0-9](?:[ ,/&|]?[0-9])+\)$`)

// items returns the values of a list: between commas, semicolons or bars outside of quotes, without their quotes.
func items(text string) (out []string) {
	quote, from := rune(0), 0
	add := func(to int) {
		s := strings.TrimSpace(text[from:to])
		if n := len(s); n > 1 && (s[0] == '\'' || s[0] == '"') && s[n-1] == s[0] {
			s = strings.TrimSpace(s[1 : n-1])
		}
		out = append(out, s)
	}
	for i, c := range text {
		switch {
		case c == quote:
			quote = 0
		case quote != 0:
		case (c == '\'' || c == '"') && strings.TrimSpace(text[from:i]) == "":
			quote = c
		case c == ',' || c == ';' || c == '|':
			add(i)
			from = i + 1
		}
	}
	add(len(text))
	return out
}

// numbered is a header that ends in a number.
var numbered = regexp.MustCompile(`^(.*\pL.*?)[\s_.:#-]*[0-9]+$`)

// items of questionnaires are named by a number, and their answers are on a scale.
var (
	itemNames  = words("q question item frage f v var x statement aussage pregunta s t")
	scaleWords = regexp.MustCompile(`(?i)^(?:(?:(?:strongly|somewhat|slightly|fully|completely|mostly|partly|tend to|very|extremely|rather|not at all|not) )?` +
		`(?:agree|disagree|likely|unlikely|satisfied|dissatisfied|important|often|good|bad|poor|fair|low|high)|neither\b.*|neutral|undecided|never|always|sometimes|rarely|seldom|usually|medium|moderate|average|excellent|` +
		`(?:stimme|trifft) .*|(?:eher|sehr|völlig|teils).*|nie|immer|manchmal|selten|oft|häufig|(?:pas |plutôt |tout à fait )*d.accord|jamais|toujours|souvent|parfois|rarement|(?:muy |totalmente )?(?:de acuerdo|en desacuerdo)|nunca|siempre|a veces)$`)
)

// together returns how many columns from col on hold a list together: their names differ in a number, and they have texts,
// none twice in a row, and blanks only behind the last.
func (r *reader) together(g *grid, col int) (n int) {
	stem := func(name string) string {
		if m := numbered.FindStringSubmatch(name); m != nil && !itemNames[lower(m[1])] {
			return lower(m[1])
		}
		return ""
	}
	name := stem(g.rows[0][col])
	for n = 0; name != "" && col+n < len(g.rows[0]) && stem(g.rows[0][col+n]) == name; n++ {
	}
	if n < 2 {
		return 0
	}
	shared := map[string]int{} // how often each value occurs
	for _, row := range g.rows[1:] {
		cells := row[col : col+n]
		for k, cell := range cells {
			switch v := r.numbers.parse(cell); {
			case cell == "":
			case v.kind != isText, strings.Contains(cell, listMark), scaleWords.MatchString(cell),
				k > 0 && cells[k-1] == "", slices.Contains(cells[:k], cell):
				return 0
			default:
				shared[lower(cell)]++
			}
		}
	}
	if len(shared) < 2 {
		return 0
	}
	return n
}
