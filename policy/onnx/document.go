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
//
// FILE is of opset 17, float32, for B states at a time. FILE.json is the policy's contract with one
// more chapter, onnx: file, sha256, opset, inputs and outputs. The tensors are:
//
//   - n and s, [B, |X|]: inputs, the answers to each query and their sum
//   - mask, [B, |X|]: input, true where a query may not be asked; in an ask-once game, where it has
//     been
//   - left, [B]: input of structured and gated policies, the answers left
//   - level, [B]: input of structured policies, log₂ r (0: unknown)
//   - probs, [B, |X|]: output, the probabilities, exactly 0 where masked
//   - decision, [B, |Z|]: output, the distribution from which the policy recommends; ties share it
//     alike
//
// The decision is computed in float32. Hypotheses tie within 10⁻⁵ of the best score by least
// squares, and within a share of 10⁻⁵ of the best by the posterior, whose likelihoods are tables in
// the file.
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

// IsDocument reports whether content is what [Document] returns.
func IsDocument(content []byte) bool {
	var doc struct {
		Format string
		ONNX   struct{ File string }
	}
	return json.Unmarshal(content, &doc) == nil && (doc.Format == nn.Format || doc.Format == nn.FormatRows) && doc.ONNX.File != ""
}
