package web

import (
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/wire"
)

func TestObjects(t *testing.T) {
	o := policies.NewObjects([]string{"cat", "Pingüin", "sea lion", "Polish", "polish", "black or white bear"})
	for text, want := range map[string][]int{
		"cat": {0}, " CAT ": {0}, "pinguin": {1}, "sea  Lion": {2}, "polish": {4}, "Polish": {3}, "POLISH": nil, "black or white bear": {5},
		"cat or sea lion": {0, 2}, "cat or cat": {0}, "cat or dog": nil, "dog": nil, "": nil,
	} {
		if got, ok := o.Find(text); !slices.Equal(got, want) || ok != (want != nil) {
			t.Errorf("%q is %v, %v; want %v", text, got, ok, want)
		}
	}
	if got := o.Complete("p", 2); !slices.Equal(got, []string{"Pingüin", "Polish"}) {
		t.Errorf("p is completed to %q", got)
	}
	if got, err := o.Indices("yes", []string{"CAT", "sea lion", "cat"}); err != nil || !slices.Equal(got, []int{0, 2}) {
		t.Errorf("indices are %v, %v", got, err)
	}
}

// TestUnknownObject: an unknown name is refused in one line, with those that may be meant, in words and as a list.
func TestUnknownObject(t *testing.T) {
	o := policies.NewObjects([]string{"cat", "bat", "penguin", "emperor penguin"})
	for text, want := range map[string]struct {
		reason  string
		nearest []string
	}{
		"pengin":                  {`"pengin" is not an object of the table; did you mean "penguin"? Try again.`, []string{"penguin"}},
		"hat":                     {`"hat" is not an object of the table; did you mean "bat" or "cat"? Try again.`, []string{"bat", "cat"}},
		"unicorn":                 {`"unicorn" is not an object of the table. Try again.`, nil},
		strings.Repeat("x", 1000): {`…" is not an object of the table. Try again.`, nil},
	} {
		var f *wire.Fault
		if err := o.Unknown(text, "Try again."); !errors.As(err, &f) || f.Status != http.StatusUnprocessableEntity || !strings.HasSuffix(f.Reason, want.reason) || !slices.Equal(f.Nearest, want.nearest) {
			t.Errorf("%q: %+v", text, f)
		}
	}
	s := server(t, Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	told := s.problem(o.Unknown("hat", "Try again."))
	var u *unknownName
	if !errors.As(told, &u) || u.Status != http.StatusUnprocessableEntity || !reflect.DeepEqual(u.Nearest, []string{"bat", "cat"}) || u.ContentType("application/json") != "application/problem+json" {
		t.Errorf("the problem is %#v", told)
	}
}
