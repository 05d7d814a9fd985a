package table

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// kind is what a cell holds.
type kind uint8

const (
	isText kind = iota
	isMissing
	isNumber
	isApprox // about a number, below or above one, or between two
	isCount
	isWord // yes or no, in some language
	isDate
	isFault // an error that a spreadsheet shows in place of a value
	isAbsent
	kinds
)

// value is a cell as understood.
type value struct {
	kind    kind
	percent bool   // a number or a range written with %
	num     string // a number in Go's notation; the lower end of a range
	high    string // the upper end of a range; "": the largest that a share can be
	count   Count
	yes     bool
	both    bool // 0 and 1, such as (01)
	direct  bool // a word, or a missing value, that is understood without asking
}

// absent stands for a cell that a table in long form does not name. No file holds it: control characters become blanks.
const absent = "\x00"

// missingWords are cells without a value; those of true need no asking.
var missingWords = map[string]bool{
	"": true, "na": true, "n/a": true, "#n/a": true, "nan": true, "?": true, "null": true, ".": false, "..": false, ":": false,
	"-": false, "–": false, "—": false, "--": false, "...": false, "#nv": false, "#nd": false, "nd": false, "n.d.": false, "n.a.": false, "unknown": false, "unk": false,
	"don't know": false, "don’t know": false, "dont know": false, "no answer": false, "not applicable": false,
	"k.a.": false, "k. a.": false, "keine angabe": false, "weiß nicht": false, "weiss nicht": false, "unbekannt": false,
	"nsp": false, "ne sait pas": false, "inconnu": false, "no sabe": false, "desconocido": false, "ns/nc": false,
}

// yesWords and noWords answer a question; the languages are those of spreadsheets' users in Europe, and some beside.
var (
	yesWords = words("yes true ja sí si sì oui sim tak ano áno da igen evet kyllä jah jā taip ναι да так はい 是 wahr vrai verdadero vero verdadeiro prawda waar sant sand ✓ ✔ ☑ ✅ ✔️")
	noWords  = words("no false nein nee nej nei non não nie ne nu nem hayır hayir ei nē όχι нет ні いいえ 否 falsch faux falso fałsz onwaar usant usann falsk ✗ ✘ ☐ ❌ ✖")
	letters  = map[string][2]string{"y": {"y", "n"}, "n": {"y", "n"}, "t": {"t", "f"}, "f": {"t", "f"}, "j": {"j", "n"}, "o": {"o", "n"}, "s": {"s", "n"}}
)

// words returns the set of the words in a list.
func words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[norm.NFC.String(w)] = true
	}
	return out
}

var (
	bothShape  = regexp.MustCompile(`^(?:[({]\s*(?:0\s*[,/&|]?\s*1|1\s*[,/&|]?\s*0)\s*[)}]|0\s*[&|]\s*1|1\s*[&|]\s*0)$`)
	countShape = regexp.MustCompile(`^([0-9]+)\s*(?:/|\bof\b|\bvon\b|\bsur\b)\s*([0-9]+)$`)
	aboutShape = regexp.MustCompile(`^(?:~|≈|∼|±|about |approx\. ?|approx |ca\. ?|ca |circa |etwa |env\. ?|environ )\s*(.+)$`)
	limitShape = regexp.MustCompile(`^(<=|>=|<|>|≤|≥|⩽|⩾)\s*(.+)$`)
	rangeShape = regexp.MustCompile(`^([^\s%-][^%]*?)\s*(%?)\s*(?:-|–|—|−|\bto\b|\bbis\b|\bà\b)\s*(\S+?)\s*(%?)$`)
	dateShape  = regexp.MustCompile(`^(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|\d{4}/\d{1,2}/\d{1,2})(?:[ T]\d{1,2}:\d{2}.*)?$|^\d{1,2}:\d{2}(?::\d{2})?$`)
	monthShape = regexp.MustCompile(`^(?:\d{1,2}[-. ]+)?(\p{L}{3,9})\.?(?:[-. ]+\d{2,4})?$`)
)

// months are their names as spreadsheets shorten them.
var months = words("jan feb mar mär mrz apr may mai jun jul aug sep sept oct okt ott nov dec dez dic déc janv févr mars avr juin juil août ene abr ago gen mag giu lug set out fev maj mei maa januar februar märz april juni juli january february march june july august september october november december oktober dezember")

// spreadsheetFaults begin what a spreadsheet shows in place of a value.
var spreadsheetFaults = []string{"#div/0", "#ref", "#value", "#name", "#num", "#null", "#wert", "#bezug", "#zahl", "#valeur", "#nom", "#error", "#spill", "#calc", "####"}

// longestValue is the most bytes of a cell that is anything but text.
const longestValue = 100

// parse says what a cell holds.
func (n *numerals) parse(cell string) value {
	if cell == absent {
		return value{kind: isAbsent}
	}
	if len(cell) > longestValue || strings.Contains(cell, listMark) {
		return value{kind: isText}
	}
	low := strings.ToLower(norm.NFC.String(cell))
	if sure, ok := missingWords[low]; ok {
		return value{kind: isMissing, direct: sure}
	}
	if v, ok := n.share(cell); ok {
		return v
	}
	if bothShape.MatchString(low) {
		return value{kind: isCount, count: Count{0, 1}, both: true, direct: true}
	}
	if m := countShape.FindStringSubmatch(low); m != nil {
		k, err1 := strconv.Atoi(m[1])
		of, err2 := strconv.Atoi(m[2])
		if err1 != nil || err2 != nil || max(k, of) > maxCount {
			return value{kind: isText}
		}
		return value{kind: isCount, count: Count{k, of}, direct: strings.Contains(low, "/")}
	}
	switch {
	case yesWords[low]:
		return value{kind: isWord, yes: true, direct: low == "yes" || low == "true"}
	case noWords[low]:
		return value{kind: isWord, direct: low == "no" || low == "false"}
	case isDay(low):
		return value{kind: isDate}
	}
	for _, f := range spreadsheetFaults {
		if strings.HasPrefix(low, f) {
			return value{kind: isFault}
		}
	}
	return n.approx(low)
}

// share reads a number, with or without %.
func (n *numerals) share(cell string) (value, bool) {
	bare, percent := strings.CutSuffix(cell, "%")
	if !percent {
		bare, percent = strings.CutSuffix(cell, "％")
	}
	if percent {
		bare = strings.TrimSpace(bare)
	}
	num, ok := n.number(bare)
	return value{kind: isNumber, num: num, percent: percent}, ok
}

// approx reads "~80%", "<5%", ">90%" and "60-70%"; anything else is text.
func (n *numerals) approx(low string) value {
	if m := aboutShape.FindStringSubmatch(low); m != nil {
		if v, ok := n.share(m[1]); ok {
			return value{kind: isApprox, num: v.num, high: v.num, percent: v.percent}
		}
		low = m[1]
	}
	if m := limitShape.FindStringSubmatch(low); m != nil {
		if v, ok := n.share(m[2]); ok {
			if strings.ContainsAny(m[1], "<≤⩽") {
				return value{kind: isApprox, num: "0", high: v.num, percent: v.percent}
			}
			return value{kind: isApprox, num: v.num, percent: v.percent}
		}
	}
	if m := rangeShape.FindStringSubmatch(low); m != nil {
		from, ok1 := n.number(m[1])
		to, ok2 := n.number(m[3])
		if ok1 && ok2 && scaled(from, false) <= scaled(to, false) {
			return value{kind: isApprox, num: from, high: to, percent: m[2] != "" || m[4] != ""}
		}
	}
	return value{kind: isText}
}

// isDay reports whether a cell, in lower case, is a date or a time of day.
func isDay(low string) bool {
	if dateShape.MatchString(low) {
		return true
	}
	m := monthShape.FindStringSubmatch(low)
	return m != nil && m[1] != low && months[m[1]]
}

// largest returns the largest number that a cell holds, as written.
func (v value) largest() (float64, bool) {
	if v.percent || v.kind != isNumber && v.kind != isApprox {
		return 0, false
	}
	return scaled(cmp.Or(v.high, v.num), false), true
}

// shareOf returns the share that a number or a range stands for; percent is what numbers without % are.
func (v value) shareOf(percent bool) float64 {
	percent = percent || v.percent
	if v.kind == isNumber {
		return scaled(v.num, percent)
	}
	if v.high == "" {
		v.high = "1"
		if percent {
			v.high = strconv.Itoa(mostPercent)
		}
	}
	return scaled(v.between(), percent)
}

// between returns the middle of a range in Go's notation.
func (v value) between() string {
	// The middle of 0.6 and 0.7 is 0.65, and not its neighbour among binary fractions.
	return strconv.FormatFloat((scaled(v.num, false)+scaled(v.high, false))/2, 'g', 12, 64)
}

// middle returns the middle of a range of measurements; one without an upper end stands for its lower.
func (v value) middle() float64 {
	v.high = cmp.Or(v.high, v.num)
	return scaled(v.between(), v.percent)
}
