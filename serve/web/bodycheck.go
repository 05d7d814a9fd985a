package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"mapo/serve/policies"
	"mapo/serve/wire"
)

const (
	mostDepth  = 8   // of lists and objects in each other; requests need 3
	mostNumber = 100 // characters of a number
	mostKeys   = 32  // of an object; no request has as many
)

// checkBody refuses a body of JSON that has more than b allows, or an object with a key twice, which encoding/json would read as
// something else. Whether the text is JSON at all is for the decoder to say.
func checkBody(b policies.Bounds, body []byte) error {
	if !utf8.Valid(body) {
		return wire.Refuse(http.StatusBadRequest, "the body is not UTF-8")
	}
	if !json.Valid(body) {
		return nil
	}
	values, around := 0, [][]string{} // the keys of each object and list around
	for at := 0; at < len(body); {
		token := body[at : at+tokenLength(body[at:])]
		at += len(token)
		isKey := false
		switch token[0] {
		case ' ', '\t', '\r', '\n', ',', ':':
			continue
		case '}', ']':
			around = around[:len(around)-1]
			continue
		case '{', '[':
			if len(around) == mostDepth {
				return wire.Refuse(http.StatusBadRequest, "the body's lists and objects are nested more than %d deep; requests need 3", mostDepth)
			}
			around = append(around, nil)
		case '"':
			text := string(token[1 : len(token)-1])
			if strings.Contains(text, `\`) {
				_ = json.Unmarshal(token, &text) // it is valid
			}
			if len(text) > b.Text {
				return wire.Refuse(http.StatusRequestEntityTooLarge, "the body has a text of more than %d bytes; no text of the policies served is longer", b.Text)
			}
			if isKey = bytes.HasPrefix(bytes.TrimLeft(body[at:], " \t\r\n"), []byte(":")); isKey {
				keys := &around[len(around)-1]
				if err := checkKey(*keys, text); err != nil {
					return err
				}
				*keys = append(*keys, text)
			}
		default:
			if len(token) > mostNumber {
				return wire.Refuse(http.StatusRequestEntityTooLarge, "the body has a number of more than %d characters", mostNumber)
			}
		}
		if isKey {
			continue
		}
		if values++; values > b.Values {
			return wire.Refuse(http.StatusRequestEntityTooLarge, "the body has more than %d values; a whole game of the policies served has no more", b.Values)
		}
	}
	return nil
}

// checkKey refuses a key that an object has already, or that is one too many.
func checkKey(keys []string, key string) error {
	for _, other := range keys {
		if strings.EqualFold(other, key) { // as encoding/json matches them: ſ is an s
			return wire.Refuse(http.StatusBadRequest, "the key %q stands twice", wire.Shortened(key))
		}
	}
	if len(keys) == mostKeys {
		return wire.Refuse(http.StatusRequestEntityTooLarge, "the body has an object of more than %d keys; no request has as many", mostKeys)
	}
	return nil
}

// tokenLength returns how many bytes of valid JSON the first text, number or word has, or 1.
func tokenLength(body []byte) int {
	n := 1
	switch {
	case body[0] == '"':
		for ; body[n] != '"'; n++ {
			if body[n] == '\\' {
				n++
			}
		}
		return n + 1
	case strings.IndexByte("{}[],: \t\r\n", body[0]) < 0:
		for n < len(body) && strings.IndexByte("{}[],: \t\r\n", body[n]) < 0 {
			n++
		}
	}
	return n
}
