package table

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// markUTF8 is the byte-order mark of UTF-8.
var markUTF8 = []byte("\xef\xbb\xbf")

// marks16 are the byte-order marks of the other encodings, the longer first where one begins another.
var marks16 = []struct {
	mark, name string
	encoding   encoding.Encoding
}{
	{"\xff\xfe\x00\x00", "UTF-32", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)},
	{"\x00\x00\xfe\xff", "UTF-32", utf32.UTF32(utf32.BigEndian, utf32.UseBOM)},
	{"\xff\xfe", "UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
	{"\xfe\xff", "UTF-16", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
}

// decode returns the file's text as UTF-8 without byte-order mark.
func (r *reader) decode(data []byte) ([]byte, error) {
	if r.Encoding != "" {
		e, err := htmlindex.Get(r.Encoding)
		if err != nil {
			return nil, fmt.Errorf("--encoding is %s, which is not known; it is a name such as utf-8, windows-1252, iso-8859-2, macintosh or shift_jis", Quote(r.Encoding))
		}
		return r.convert(data, &encoding.Decoder{Transformer: unicode.BOMOverride(e.NewDecoder())}, r.Encoding)
	}
	data = bytes.TrimPrefix(data, markUTF8)
	if e, name := marked(data); e != nil {
		r.assume("the text is %s", name)
		return r.convert(data, e.NewDecoder(), name)
	}
	at := Invalid(data)
	if at < 0 {
		return data, nil
	}
	for i, c := range data {
		if undefined(c) && !validAt(data, i) {
			return nil, r.fault(lineOf(data, i), "byte 0x%02x is neither UTF-8 nor Windows-1252 text. Name its encoding with --encoding.", c)
		}
	}
	r.assume("the text is Windows-1252: line %d is not UTF-8 (--encoding says otherwise)", lineOf(data, at))
	return r.convert(data, charmap.Windows1252.NewDecoder(), "Windows-1252")
}

// undefined reports whether Windows-1252 has no character for a byte.
func undefined(c byte) bool { return bytes.IndexByte([]byte("\x81\x8d\x8f\x90\x9d"), c) >= 0 }

// validAt reports whether the byte at i belongs to a character in UTF-8.
func validAt(data []byte, i int) bool {
	for from := max(0, i-utf8.UTFMax+1); from <= i; from++ {
		if c, n := utf8.DecodeRune(data[from:]); c != utf8.RuneError && from+n > i {
			return true
		}
	}
	return false
}

// marked returns the encoding that a file begins by naming, or that its zero bytes show.
func marked(data []byte) (encoding.Encoding, string) {
	for _, m := range marks16 {
		if bytes.HasPrefix(data, []byte(m.mark)) {
			return m.encoding, m.name
		}
	}
	// Without a mark, every second byte of Western UTF-16 is zero.
	var zeros [2]int
	head := data[:min(len(data), 1024)]
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch {
	case 4*zeros[1] > len(head):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "UTF-16 without a byte-order mark"
	case 4*zeros[0] > len(head):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "UTF-16 without a byte-order mark"
	}
	return nil, ""
}

// convert decodes data, and refuses what the encoding does not know.
func (r *reader) convert(data []byte, d *encoding.Decoder, name string) ([]byte, error) {
	out, err := d.Bytes(data)
	if err != nil {
		return nil, r.fault(1, "the text is not %s: %v. Name its encoding with --encoding.", name, err)
	}
	out = bytes.TrimPrefix(out, markUTF8)
	if at := bytes.IndexRune(out, utf8.RuneError); at >= 0 {
		return nil, r.fault(lineOf(out, at), "the line has a character that is not %s. Name its encoding with --encoding.", name)
	}
	return out, nil
}

// Invalid returns the first byte that is not UTF-8, or −1.
func Invalid(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for at := 0; ; {
		c, n := utf8.DecodeRune(text[at:])
		if c == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
}

// lineOf returns the line of the byte at.
func lineOf(text []byte, at int) int { return 1 + bytes.Count(text[:at], []byte("\n")) }
