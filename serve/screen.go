package serve

import (
	"bytes"
	"encoding/json"
	"net/http"
	"unicode/utf8"
)

const (
	mostDepth  = 8   // of lists and objects in each other; requests need 3
	mostNumber = 100 // characters of a number
	mostKeys   = 32  // of an object; no request has as many
)

// screen reads a body of JSON once, as it comes, and keeps it without the spaces
// between its values. It refuses what is larger than [bounds] allow and an object
// with a key twice, which encoding/json would read as something else. Whether the
// text is JSON at all is for the decoder to say: a text that is not stays one.
// Memory and time follow from what was kept, never from what is still to come.
type screen struct {
	bounds
	raw    bool // not JSON: all is kept as it is
	kept   []byte
	values int

	around []level  // the lists and objects around
	keys   [][]byte // of those objects, the innermost last
	isKey  bool     // whether a key of the innermost is next, or is being read
	length int      // of the text or word that is being read
	text   bool     // whether a text is being read
	start  int      // of it, in kept
	escape bool     // whether its last character is a backslash
	hex    int      // digits of \uXXXX to come
	spaced bool     // whether spaces were left out since the last character kept
}

// level is a list or an object.
type level struct {
	object bool
	first  int // of its keys
}

// Write reads on. An error is a [Fault].
func (s *screen) Write(data []byte) (int, error) {
	if s.raw {
		s.kept = append(s.kept, data...)
		return len(data), nil
	}
	for i, c := range data {
		if err := s.next(c); err != nil {
			return i, err
		}
	}
	return len(data), nil
}

// next reads one character.
func (s *screen) next(c byte) (err error) {
	if s.text {
		return s.inText(c)
	}
	switch c {
	case ' ', '\t', '\r', '\n':
		s.spaced = true
		return nil
	case '"':
		if !s.isKey {
			err = s.value()
		}
		s.text, s.start, s.length, s.escape, s.hex = true, len(s.kept), 0, false, 0
	case '{', '[':
		err = s.open(c == '{')
	case '}', ']':
		if n := len(s.around) - 1; n >= 0 {
			s.keys, s.around = s.keys[:s.around[n].first], s.around[:n]
		}
		s.isKey = false
	case ',':
		s.isKey = len(s.around) > 0 && s.around[len(s.around)-1].object
	case ':':
		s.isKey = false
	default:
		err = s.word()
	}
	s.kept, s.spaced = append(s.kept, c), false
	return err
}

// value counts one more value.
func (s *screen) value() error {
	if s.values++; s.values > s.bounds.values {
		return fault(http.StatusRequestEntityTooLarge, "the body has more than %d values; a whole game of the policies served has no more", s.bounds.values)
	}
	return nil
}

// open enters a list or an object.
func (s *screen) open(object bool) error {
	if len(s.around) == mostDepth {
		return fault(http.StatusBadRequest, "the body's lists and objects are nested more than %d deep; requests need 3", mostDepth)
	}
	s.around = append(s.around, level{object, len(s.keys)})
	s.isKey = object
	return s.value()
}

// word reads a character of a number, true, false or null, or of what is not JSON.
func (s *screen) word() error {
	if n := len(s.kept); n > 0 && !bytes.ContainsRune([]byte(`{}[],:"`), rune(s.kept[n-1])) {
		if !s.spaced {
			if s.length++; s.length > mostNumber {
				return fault(http.StatusRequestEntityTooLarge, "the body has a number of more than %d characters", mostNumber)
			}
			return nil
		}
		s.kept = append(s.kept, ' ') // two words are not one
	}
	s.length = 1
	return s.value()
}

// inText reads a character of a text.
func (s *screen) inText(c byte) error {
	s.kept = append(s.kept, c)
	switch {
	case s.hex > 0:
		s.hex--
		return nil
	case s.escape:
		s.escape = false
		if c == 'u' {
			s.hex = 4
		}
		return nil
	case c == '"':
		s.text = false
		return s.ended()
	}
	s.escape = c == '\\'
	if s.length++; s.length > s.bounds.text {
		return fault(http.StatusRequestEntityTooLarge, "the body has a text of more than %d bytes; no text of the policies served is longer", s.bounds.text)
	}
	return nil
}

// ended checks a text that has ended.
func (s *screen) ended() error {
	text := s.kept[s.start:]
	if !utf8.Valid(text) {
		return fault(http.StatusBadRequest, "the body is not UTF-8")
	}
	if !s.isKey {
		return nil
	}
	s.isKey = false
	name := text[1 : len(text)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		var plain string
		if !json.Valid(text) {
			return nil // as the decoder will say
		}
		_ = json.Unmarshal(text, &plain) // it is valid
		name = []byte(plain)
	}
	own := s.keys[s.around[len(s.around)-1].first:]
	for _, key := range own {
		if bytes.EqualFold(key, name) { // as encoding/json matches them: ſ is an s
			return fault(http.StatusBadRequest, "the key %q stands twice", shortened(string(name)))
		}
	}
	if len(own) == mostKeys {
		return fault(http.StatusRequestEntityTooLarge, "the body has an object of more than %d keys; no request has as many", mostKeys)
	}
	s.keys = append(s.keys, name)
	return nil
}
