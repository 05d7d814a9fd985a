package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	mostWords   = 40 // of any sentence
	mostColumns = 100
)

// block is a paragraph, list item or comment: its words, and the line of each.
type block struct {
	words []string
	lines []int
}

// add appends the words of a line.
func (b *block) add(text string, line int) {
	for _, word := range strings.Fields(text) {
		b.words, b.lines = append(b.words, word), append(b.lines, line)
	}
}

// retired holds the phrases that are not used any more.
type retired struct {
	phrases []phrase
	allowed *regexp.Regexp // texts that contain a phrase and are right
}

type phrase struct {
	pattern *regexp.Regexp
	better  string
}

// parseRetired reads lines "phrase → better", and "! text" for allowed texts.
func parseRetired(text string) (*retired, error) {
	out, allowed := &retired{}, []string{}
	for _, line := range lines(text) {
		if rest, ok := strings.CutPrefix(line, "! "); ok {
			allowed = append(allowed, regexp.QuoteMeta(strings.TrimSpace(rest)))
			continue
		}
		old, better, ok := strings.Cut(line, " → ")
		if !ok {
			return nil, fmt.Errorf("retired.txt: %q is not \"phrase → better\"", line)
		}
		pattern := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(strings.TrimSpace(old)) + `\b`)
		out.phrases = append(out.phrases, phrase{pattern, strings.TrimSpace(better)})
	}
	if len(allowed) > 0 {
		out.allowed = regexp.MustCompile(`(?i)\b(?:` + strings.Join(allowed, "|") + `)\b`)
	}
	return out, nil
}

// in returns the findings of the phrases in a block. A phrase may go over the end of a line.
func (r *retired) in(b block) (list []finding) {
	text := strings.Join(b.words, " ")
	if r.allowed != nil {
		text = r.allowed.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("_", len(s)) })
	}
	for _, p := range r.phrases {
		for _, at := range p.pattern.FindAllStringIndex(text, -1) {
			list = append(list, finding{b.lines[wordAt(b.words, at[0])], "retired", fmt.Sprintf("%q: write %s", text[at[0]:at[1]], p.better)})
		}
	}
	return list
}

// wordAt returns which word has the byte of the words joined by blanks.
func wordAt(words []string, at int) int {
	for i, word := range words {
		if at -= len(word) + 1; at < 0 {
			return i
		}
	}
	return len(words) - 1
}

// sentence is a run of words, with the line where it begins.
type sentence struct {
	line, words int
	begin       string
}

// notEnds are words with a full stop that do not end a sentence.
var notEnds = []string{"e.g.", "i.e.", "App.", "Eq.", "Fig.", "Alg.", "cf.", "al.", "vs.", "no.", "p.", "min.", "St."}

// sentences splits a block. A sentence ends at a word with a full stop, question or exclamation mark, and at the end
// of the block.
func sentences(b block) (list []sentence) {
	begin := 0
	for i, word := range b.words {
		bare := strings.TrimRight(word, `)"'*_”’]`)
		ends := bare != "" && strings.ContainsRune(".!?", rune(bare[len(bare)-1])) && !strings.HasSuffix(bare, "...") &&
			!slices.Contains(notEnds, strings.TrimLeft(bare, "(["))
		if !ends && i+1 < len(b.words) {
			continue
		}
		s := sentence{line: b.lines[begin], begin: strings.Join(b.words[begin:min(begin+6, i+1)], " ")}
		for _, w := range b.words[begin : i+1] {
			if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				s.words++
			}
		}
		list, begin = append(list, s), i+1
	}
	return list
}

// tooLong returns the findings of sentences with too many words.
func tooLong(list []sentence) (found []finding) {
	for _, s := range list {
		if s.words > mostWords {
			found = append(found, finding{s.line, "sentence", fmt.Sprintf("%d words, at most %d: %s …", s.words, mostWords, s.begin)})
		}
	}
	return found
}
