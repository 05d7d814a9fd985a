package names

import (
	"os"
	"path/filepath"
	"strings"
)

// Near returns the known word that was perhaps meant by word: the one at the least edit distance, where that is at most
// a third of its letters (at least 2 may differ in a word of 4 or more). What follows a colon or a plus sign is an
// argument: it is not compared, and "informaton:0.05" becomes "information:0.05" where "information:0.03" is known.
func Near(word string, known []string) (string, bool) {
	if len(word) > longest {
		return "", false
	}
	head, number, rule := parts(word)
	near, least := "", -1
	for _, k := range known {
		name, example, _ := parts(k)
		most := tolerance(name)
		d := Distance(letters(head), letters(name), most)
		if d > most {
			continue
		}
		if d *= 2; (number == "") != (example == "") {
			d++ // among equals the one that has an argument as word has
		}
		if least >= 0 && d >= least {
			continue
		}
		if number != "" && example != "" {
			example = number
		}
		near, least = name+example+rule, d
	}
	return near, least >= 0
}

// parts splits a name into what is before a colon, from the colon on, and from a plus sign on.
func parts(word string) (head, number, rule string) {
	if at := strings.IndexByte(word, '+'); at >= 0 {
		word, rule = word[:at], word[at:]
	}
	if at := strings.IndexByte(word, ':'); at >= 0 {
		word, number = word[:at], word[at:]
	}
	return word, number, rule
}

// tolerance returns how many letters may be mistyped in a word.
func tolerance(word string) int {
	most := max(len(word)/3, 1)
	if len(word) >= 4 {
		most = max(most, 2)
	}
	return most
}

// letters makes lambda_Pol-reg and lambda_pol_reg the same word.
func letters(s string) []rune {
	return []rune(strings.ReplaceAll(strings.ToLower(s), "_", "-"))
}

// NearFile returns the file that was perhaps meant by the path of one that does not exist. It is in the same folder, and
// its name differs in the fewest letters: before the ending in at most a third of them. A spec is not meant where data are named.
func NearFile(path string) (string, bool) {
	folder, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(folder))
	if err != nil || len(name) > longest {
		return "", false
	}
	near, least := "", len(name)+longest
	stem, ending, _ := strings.Cut(name, ".")
	for _, e := range entries {
		known, other, _ := strings.Cut(e.Name(), ".")
		most := len(known) / 3
		if e.IsDir() || known == "" || ending != "" && (other == "" || isSpec(ending) != isSpec(other)) || Distance(letters(stem), letters(known), most) > most {
			continue
		}
		if d := Distance(letters(name), letters(e.Name()), least); d < least {
			near, least = e.Name(), d
		}
	}
	if near == "" {
		return "", false
	}
	return folder + near, true
}

// isSpec reports whether a file with that ending is a spec.
func isSpec(ending string) bool { return ending == "yaml" || ending == "yml" }
