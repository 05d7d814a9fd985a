package nn

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mapo/internal/disk"
)

// maxFile bounds the policy files that are read: 64 million weights.
const maxFile = 256 << 20

// entry is one tensor in a safetensors header.
type entry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// noHash stands in a file for its hash while the hash is computed. The digits follow hashKey, which a text
// in the contract cannot imitate: its quotes would be escaped twice.
var noHash = strings.Repeat("0", 2*sha256.Size)

const hashKey = `\"hash\":\"`

// Encode makes a policy file of net and c; it sets c's Format, Arch and Hash. The same net and contract give
// the same bytes.
//
// The file is an 8-byte little-endian length, a JSON header of that length (tensor names, shapes and
// offsets; under __metadata__ the contract), and the f32 weights. Hash is the SHA-256 of all these bytes
// with the 64 digits of the hash themselves set to 0, so no bit of a file can change unnoticed.
func Encode(net Net, c Contract) ([]byte, error) {
	t, ok := net.(tensored)
	if !ok {
		return nil, fmt.Errorf("nn: a policy file cannot hold a network %q", net.Arch())
	}
	if c.Problem != nil {
		if shares := SharesOf(c.Problem); shares > MostShares {
			return nil, fmt.Errorf("nn: a policy file holds at most %d shares, and this table has %d", MostShares, shares)
		}
	}
	c.Format, c.Arch, c.Hash = c.format(), net.Arch(), noHash
	head, err := header(t, c)
	if err != nil {
		return nil, err
	}
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	data = append(data, head...)
	for i, v := range net.Params() {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("nn: parameter %d of %s is %v", i, c.Name, v)
		}
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("nn: a policy file of %d bytes is above the limit of %d", len(data), maxFile)
	}
	at, err := placeOf(data[:8+len(head)], noHash)
	if err != nil {
		return nil, fmt.Errorf("nn: %s: %w", c.Name, err)
	}
	sum := sha256.Sum256(data)
	hex.Encode(data[at:], sum[:])
	if _, _, err := Decode(data); err != nil { // what cannot be read back must not be written
		return nil, err
	}
	return data, nil
}

// header returns the JSON header of a file of t with contract c, padded with spaces to a multiple of 8.
func header(t tensored, c Contract) ([]byte, error) {
	contract, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("nn: contract of %s: %w", c.Name, err)
	}
	all := map[string]any{"__metadata__": map[string]string{"contract": string(contract), "format": c.Format}}
	at := 0
	for _, x := range t.tensors() {
		n := 4
		for _, s := range x.shape {
			n *= s
		}
		all[x.name] = entry{"F32", x.shape, [2]int{at, at + n}}
		at += n
	}
	head, err := json.Marshal(all) // keys in order
	if err != nil {
		return nil, fmt.Errorf("nn: header: %w", err)
	}
	return append(head, bytes.Repeat([]byte(" "), -len(head)&7)...), nil
}

// Decode reads what Encode wrote. Any other bytes are refused with the reason.
func Decode(data []byte) (Net, *Contract, error) {
	net, c, err := decode(data)
	if err != nil {
		return nil, nil, fmt.Errorf("not a sound policy file: %w", err)
	}
	return net, c, nil
}

func decode(data []byte) (Net, *Contract, error) {
	if len(data) < 8 {
		return nil, nil, fmt.Errorf("it has %d bytes and ends within the header's length", len(data))
	}
	if disk.IsPointer(data) {
		return nil, nil, errors.New("it is " + disk.Pointer)
	}
	if len(data) > maxFile {
		return nil, nil, fmt.Errorf("it has %d bytes, more than the limit of %d", len(data), maxFile)
	}
	n := binary.LittleEndian.Uint64(data)
	if n > uint64(len(data)-8) {
		return nil, nil, fmt.Errorf("its header should have %d bytes, but only %d follow", n, len(data)-8)
	}
	head, body := data[8:8+n], data[8+n:]
	c, err := contractOf(head)
	if err != nil {
		return nil, nil, err
	}
	net, err := empty(c.Arch, c.Problem, len(body)/4)
	if err != nil {
		return nil, nil, err
	}
	want, err := header(net, *c)
	if err != nil {
		return nil, nil, err
	}
	if len(body) != 4*len(net.Params()) {
		return nil, nil, fmt.Errorf("its weights have %d bytes, want %d: cut short or added to", len(body), 4*len(net.Params()))
	}
	if err := checkHash(data, 8+int(n), c.Hash); err != nil {
		return nil, nil, err
	}
	if err := sameTensors(head, want); err != nil {
		return nil, nil, err
	}
	for i := range net.Params() {
		v := math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, nil, fmt.Errorf("weight %d is %v", i, v)
		}
		net.Params()[i] = v
	}
	if !Bounded(net) {
		return nil, nil, errors.New("its weights are so large that what they give is not a number")
	}
	return net, c, nil
}

// contractOf finds the contract in a header.
func contractOf(head []byte) (*Contract, error) {
	var meta struct {
		Metadata map[string]string `json:"__metadata__"`
	}
	if err := json.Unmarshal(head, &meta); err != nil {
		return nil, fmt.Errorf("its header is not JSON: %w", err)
	}
	text, ok := meta.Metadata["contract"]
	if !ok {
		return nil, errors.New("its metadata holds no contract: was it written by another program?")
	}
	var f struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return nil, fmt.Errorf("its contract is not JSON: %w", err)
	}
	if f.Format != Format && f.Format != FormatRows {
		return nil, fmt.Errorf("its format is %q, this program reads %q and %q", f.Format, Format, FormatRows)
	}
	c := new(Contract)
	if err := json.Unmarshal([]byte(text), c); err != nil {
		return nil, fmt.Errorf("its contract: %w", err)
	}
	if want := c.format(); f.Format != want {
		return nil, fmt.Errorf("its format is %q, and what its contract holds is of %q", f.Format, want)
	}
	return c, nil
}

// placeOf finds where the hash stands in a header. It must stand there once: otherwise it is not clear which
// digits to leave out.
func placeOf(head []byte, hash string) (int, error) {
	key := []byte(hashKey + hash)
	at := bytes.Index(head, key)
	if len(hash) != len(noHash) || at < 0 || at != bytes.LastIndex(head, key) {
		return 0, errors.New("its contract has no hash, or more than one")
	}
	return at + len(hashKey), nil
}

// checkHash compares the hash that the contract names with that of the file, whose header ends at head.
func checkHash(data []byte, head int, hash string) error {
	at, err := placeOf(data[:head], hash)
	if err != nil {
		return err
	}
	h := sha256.New()
	h.Write(data[:at])
	h.Write([]byte(noHash))
	h.Write(data[at+len(noHash):])
	if got := hex.EncodeToString(h.Sum(nil)); got != hash {
		return fmt.Errorf("its content has the hash %.12s…, its contract says %.12s…: changed or damaged since it was written", got, hash)
	}
	return nil
}

// sameTensors compares the names, shapes and offsets in two headers.
func sameTensors(got, want []byte) error {
	var g, w map[string]json.RawMessage
	if err := json.Unmarshal(got, &g); err != nil {
		return err
	}
	if err := json.Unmarshal(want, &w); err != nil {
		return err
	}
	for name := range w {
		var a, b entry
		if name == "__metadata__" {
			continue
		}
		if g[name] == nil || json.Unmarshal(g[name], &a) != nil || json.Unmarshal(w[name], &b) != nil {
			return fmt.Errorf("tensor %s is missing or unreadable", name)
		}
		if a.DType != b.DType || !slices.Equal(a.Shape, b.Shape) || a.Offsets != b.Offsets {
			return fmt.Errorf("tensor %s is %s %v at %v, want %s %v at %v", name, a.DType, a.Shape, a.Offsets, b.DType, b.Shape, b.Offsets)
		}
	}
	if len(g) != len(w) {
		return fmt.Errorf("it holds %d tensors, want %d", len(g)-1, len(w)-1)
	}
	return nil
}
