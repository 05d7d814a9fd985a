package main

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	codeSpan   = regexp.MustCompile("`[^`]*`")
	linkTarget = regexp.MustCompile(`\]\([^)]*\)`)
	bareURL    = regexp.MustCompile(`https?://\S+`)
	remark     = regexp.MustCompile(`<!--.*?-->`)
	bullet     = regexp.MustCompile(`^\s*(?:[-*+]|\d+\.)\s+`)
	decimal    = regexp.MustCompile(`(?:^|[^0-9])(\.\d+)`)
)

// checkMarkdown returns the findings of a document.
func checkMarkdown(source string, retired *retired) (list []finding) {
	var d document
	for i, line := range strings.Split(source, "\n") {
		d.read(line, i+1)
	}
	d.end()
	list = d.found
	var all []sentence
	for _, b := range d.blocks {
		list = append(list, retired.in(b)...)
		all = append(all, sentences(b)...)
	}
	for _, b := range d.cells {
		list = append(list, retired.in(b)...)
	}
	return append(list, tooLong(all)...)
}

// document is what was read of a Markdown text.
type document struct {
	found  []finding
	blocks []block // of prose
	cells  []block // rows of tables: not made of sentences
	open   block
	fence  bool
	list   bool // in a list, where indented lines are prose
}

// end closes the open block.
func (d *document) end() {
	if len(d.open.words) > 0 {
		d.blocks = append(d.blocks, d.open)
	}
	d.open = block{}
}

// read takes the next line.
func (d *document) read(line string, at int) {
	if strings.HasPrefix(strings.TrimSpace(line), "```") {
		d.fence = !d.fence
		d.end()
		return
	}
	trimmed := strings.TrimSpace(line)
	indented := strings.HasPrefix(line, "    ") && !d.list && len(d.open.words) == 0
	if d.fence || indented && trimmed != "" {
		return
	}
	bare := strip(line)
	for _, m := range decimal.FindAllStringSubmatch(bare, -1) {
		d.found = append(d.found, finding{at, "decimal", fmt.Sprintf("%s: write 0%s", m[1], m[1])})
	}
	switch {
	case trimmed == "":
		d.end()
	case strings.HasPrefix(trimmed, "|"):
		d.end()
		var cells block
		cells.add(bare, at)
		d.cells = append(d.cells, cells)
	case strings.HasPrefix(trimmed, "#"):
		d.end()
		d.list = false
		d.open.add(strings.TrimLeft(bare, "# "), at)
		d.end()
	default:
		d.prose(line, bare, at)
	}
}

// prose takes a line of a paragraph or a list.
func (d *document) prose(line, bare string, at int) {
	if wide := utf8.RuneCountInString(bareURL.ReplaceAllString(linkTarget.ReplaceAllString(line, "]"), "")); wide > mostColumns {
		d.found = append(d.found, finding{at, "columns", fmt.Sprintf("%d, at most %d", wide, mostColumns)})
	}
	if mark := bullet.FindString(line); mark != "" {
		d.end()
		d.list = true
		bare = bullet.ReplaceAllString(bare, "")
	} else if !strings.HasPrefix(line, " ") && len(d.open.words) == 0 {
		d.list = false
	}
	d.open.add(bare, at)
}

// strip returns a line without what is not prose: a code span is one word, a link its text.
func strip(line string) string {
	line = codeSpan.ReplaceAllString(line, "code")
	line = remark.ReplaceAllString(line, "")
	line = linkTarget.ReplaceAllString(line, "]")
	return bareURL.ReplaceAllString(line, "link")
}
