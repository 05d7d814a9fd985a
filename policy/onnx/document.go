package onnx

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"mapo/policy/nn"
)

// fileJSON is what the document beside an ONNX file says of it.
type fileJSON struct {
	File    string     `json:"file"`
	SHA256  string     `json:"sha256"`
	Opset   int        `json:"opset"`
	Inputs  []portJSON `json:"inputs"`
	Outputs []portJSON `json:"outputs"`
}

type portJSON struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Shape   []any  `json:"shape"` // the name of the free dimension, then sizes
	Meaning string `json:"meaning"`
}

// Document returns the JSON document beside an ONNX file: the policy's contract as in its policy file, and under "onnx" the
// file's name and checksum and what its inputs mean.
func Document(c *nn.Contract, g *Graph, file string, data []byte) ([]byte, error) {
	contract, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	onnx, err := json.Marshal(fileJSON{file, hex.EncodeToString(sum[:]), Opset, ports(g.Inputs), ports(g.Outputs)})
	if err != nil {
		return nil, err
	}
	joined := append(bytes.TrimSuffix(contract, []byte("}")), `,"onnx":`...)
	joined = append(append(joined, onnx...), '}')
	var out bytes.Buffer
	if err := json.Indent(&out, joined, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func ports(list []Port) []portJSON {
	var out []portJSON
	for _, p := range list {
		j := portJSON{p.Name, map[Type]string{Float: "float32", Bool: "bool"}[p.Type], []any{Batch}, p.Doc}
		for _, s := range p.Shape {
			j.Shape = append(j.Shape, s)
		}
		out = append(out, j)
	}
	return out
}
