package policies

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
	"mapo/internal/names"
	"mapo/policy/decision"
	"mapo/policy/external"
	"mapo/policy/nn"
	"mapo/policy/stopping"
	"mapo/serve/wire"
)

// policySuffix ends a policy file's name; what is before it is the policy's id.
const Suffix = ".safetensors"

// Policy is a policy file at work. It is read-only and may be used
// concurrently.
type Policy struct {
	ID       string // the name it was given, else the file's base name
	Contract *nn.Contract

	open   func() (*Policy, error) // opens it again
	retire func()                  // ends its program once no caller asks it; nil: it has none

	Untrained bool // whether it needs no training

	Table    *table.Table                          // whose rows are its hypotheses; nil: they are not rows
	like     func() [][]int                        // the rows of table that each hypothesis stands for
	onTable  func(t *table.Table) (*Policy, error) // the same policy on another table; nil: it does not learn
	base     *Policy                               // of a learned version: the policy as its files gave it; else nil
	Version  int                                   // of its learned table; 0: nothing was learned yet
	Games    int                                   // that it is learned from
	learning bool                                  // whether it learns from games

	problem *game.Problem // Contract.Problem
	form    wire.Form     // of its answers
	Game    *play.Game
	stop    float64                 // the probability at which its games end unless a request says otherwise; 0: never
	Play    string                  // see playOf
	Finder  func() *finder          // of its objects, made when one is first looked for
	index   map[string]int          // a question's text → its index; ambiguous where two share it
	Page    func() (encoded, error) // the reply that has the contract, made when it is first asked for
}

const ambiguous = -1

// decisionVersion is part of the hash of every policy without training: it changes when what such policies ask or
// recommend does. What changes in one of them alone is its [rival.Revision].
const decisionVersion = 1

// OpenStopping opens a policy as [Open] does, but its games end when the recommendation has the
// probability stop (0: never), whatever the file says. Majorities have no probability, so that only
// 0 is allowed for them.
func OpenStopping(path string, stop float64) (*Policy, error) {
	p, err := Open(path)
	if err != nil {
		return nil, err
	}
	if p.stop = stop; stop > 0 && p.Game.Rows == nil {
		return nil, fmt.Errorf("%s: stop is %g; only games over the rows of a table have a probability to stop at, and these hypotheses are majorities", path, stop)
	}
	return p, nil
}

// Open reads the policy file at path. Its games end as the file says.
func Open(path string) (*Policy, error) {
	id := strings.TrimSuffix(filepath.Base(path), Suffix)
	if !strings.HasSuffix(path, Suffix) {
		return nil, fmt.Errorf("%s: want a policy file (%s), as mapo train and mapo run write them", path, Suffix)
	}
	if !utf8.ValidString(id) || id == "" {
		return nil, fmt.Errorf("%q: the file's base name is the policy's id: give it a name in UTF-8", path)
	}
	net, contract, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	loss, err := game.ParseLoss(contract.Loss)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	policy, err := decision.With(contract.Problem, loss, nn.Policy(contract.Problem, net), contract.Decision)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: was it written by a later version?", path, err)
	}
	if _, err := stopping.New(contract.Problem, contract.Stopping); err != nil {
		return nil, fmt.Errorf("%s: %w: was it written by a later version?", path, err)
	}
	served := newPolicy(id, contract, policy)
	served.stop = stopping.Probability(contract.Stopping)
	return served, nil
}

// indexOf returns the index of each text, by [table.Fold]; ambiguous where two share one.
func indexOf(texts []string) map[string]int {
	index := make(map[string]int, len(texts))
	for i, text := range texts {
		if _, twice := index[table.Fold(text)]; twice {
			i = ambiguous
		}
		index[table.Fold(text)] = i
	}
	return index
}

// ReadFile reads a policy file as [nn.ReadFile] does. Where there is no such file, the error says
// which commands write one.
func ReadFile(path string) (nn.Net, *nn.Contract, error) {
	net, contract, err := nn.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		remedy := "mapo train and mapo run write policy files"
		if near, ok := names.NearFile(path); ok {
			remedy = fmt.Sprintf("did you mean %s?", near)
		}
		err = fmt.Errorf("%s: there is no such file; %s", path, remedy)
	}
	return net, contract, err
}

// Given returns the policy as its files gave it.
func (p *Policy) Given() *Policy {
	if p.base != nil {
		return p.base
	}
	return p
}

// Learns reports whether the policy can learn from games: it needs no training, and plays over the rows of a table.
func (p *Policy) Learns() bool { return p.Given().onTable != nil }

// Learned returns the policy on a learned table: a version of it, learned from so many games.
func (p *Policy) Learned(t *table.Table, version, games int) (*Policy, error) {
	one, err := p.onTable(t)
	if err != nil {
		return nil, err
	}
	one.ID, one.open, one.base, one.learning = p.ID, p.open, p, true
	one.Version, one.Games = version, games
	return one, nil
}

// Twin reports whether p is the same version of the same base.
func (p *Policy) Twin(other *Policy) bool {
	return p.Version == other.Version && p.base == other.base
}

// Problem returns what the policy plays. It must not be changed.
func (p *Policy) Problem() *game.Problem { return p.problem }

// Asks returns the policy that asks and recommends in its games.
func (p *Policy) Asks() game.Policy { return p.Game.Policy }

// Hash returns the content hash of the policy's file, 64 hex digits.
func (p *Policy) Hash() string { return p.Contract.Hash }

// Query returns the index of the query, or of the item, with that text; spellings that Unicode's NFC makes one are one.
func (p *Policy) Query(text string) (int, error) {
	one, many := p.noun()
	switch i, ok := p.index[table.Fold(text)]; {
	case !ok:
		return 0, fmt.Errorf("no %s reads %q: texts match exactly, but for Unicode normalisation; indices from 0 to %d will do, too", one, text, p.Game.Questions()-1)
	case i == ambiguous:
		return 0, fmt.Errorf("several %s read %q: give the index", many, text)
	default:
		return i, nil
	}
}

// Masked returns mask in order and without repetitions, which is how it is kept.
func (p *Policy) Masked(mask []int) ([]int, error) {
	d := p.Game.Questions()
	for _, i := range mask {
		if i < 0 || i >= d {
			one, many := p.noun()
			return nil, fmt.Errorf("the mask names %s %d; there are %s 0 to %d", one, i, many, d-1)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(mask))), nil
}

// Spends reports whether "don't know" uses up an answer.
func (p *Policy) Spends() bool { return p.Contract.DontKnow == nn.DontKnowSpends }

// playOf returns a fingerprint of what a game depends on, except for the policy itself: a session
// goes on under another file exactly where it is the same. A policy without training has the first
// half of its hash instead.
func playOf(p *game.Problem, spends bool) string {
	h := sha256.New()
	write := func(v any) { _ = json.NewEncoder(h).Encode(v) } // strings and numbers into a hash: no error
	write(p.X)
	write(p.Names)
	write([]any{p.T, p.AskOnce, spends})
	for _, z := range p.Bits() {
		h.Write([]byte{byte(z)})
	}
	k := kindOf(p)
	for _, v := range k.play {
		write(v)
	}
	wire.FormOf(p).Hash(write)
	k.end(h)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// OwnStop returns the probability at which games end that the contract speaks of; 0: they have all their answers.
func (p *Policy) OwnStop() float64 { return stopping.Probability(p.Contract.Stopping) }

// named splits NAME=PATH, which says the id of a policy. A word that names a file is a path; the
// name is then "".
func named(word string) (id, path string) {
	id, path, ok := strings.Cut(word, "=")
	if _, err := os.Stat(word); !ok || err == nil || strings.ContainsAny(id, `/\`) || strings.HasPrefix(word, external.Prefix) {
		return "", word
	}
	return id, path
}

// mostID is how many bytes a name given to a policy may have.
const mostID = 100

// checkID returns an error unless id can stand in an address and in a log.
func checkID(id string) error {
	inID := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r) }
	if id == "" || id[0] == '.' || len(id) > mostID || strings.ContainsFunc(id, func(r rune) bool { return !inID(r) }) {
		return fmt.Errorf("the name %q must have 1 to %d letters, digits, -, _ or ., and not begin with a dot", id, mostID)
	}
	return nil
}

// OpenAll opens several policies, each PATH or NAME=PATH. The id is the name, else the file's
// base name; two of one id are an error.
func OpenAll(paths []string, open Opener) ([]*Policy, error) {
	if len(paths) == 0 {
		return nil, errors.New("no policy file is given")
	}
	var all []*Policy
	from := map[string]string{}
	for _, word := range paths {
		id, path := named(word)
		p, err := open(path)
		if err != nil {
			return nil, err
		}
		if path != word {
			if err := checkID(id); err != nil {
				return nil, fmt.Errorf("%s: %w", word, err)
			}
			p.ID = id
		}
		p.open = func() (*Policy, error) { return open(path) }
		if other, ok := from[p.ID]; ok {
			return nil, fmt.Errorf("%s and %s would both be the policy %q: give one another name, as in NAME=%s", other, path, p.ID, path)
		}
		from[p.ID] = path
		all = append(all, p)
	}
	return all, nil
}
