// Package onnx writes a policy network as an ONNX file, for those who run policies without this
// program:
//
//	model, err := onnx.Model(net, contract)    // the network and all it reads of a state, as a graph
//	data := model.Encode()                       // the bytes of FILE
//	doc, err := onnx.Document(contract, model, "FILE", data) // FILE.json: what to feed it
//
// The graph maps states to probabilities, [B, |X|], for any number B of states; its operators are
// those of opset 17, all of them float32.
//
//   - In: a network of this program, and its contract.
//   - Out: the bytes of a graph, and the document beside it.
//   - It never: reads a graph or runs one.
package onnx
