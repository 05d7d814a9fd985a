package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mapo/internal/disk"
	"mapo/policy/nn"
	"mapo/policy/onnx"
	"mapo/policy/rival"
	"mapo/serve/policies"
)

// shipment holds the flags of `mapo export`.
type shipment struct {
	onnx    string
	problem string
	verify  bool // refused
}

func exportCommand() *cobra.Command {
	var s shipment
	c := &cobra.Command{
		Use:   "export POLICY --onnx FILE",
		Short: "A trained policy as ONNX, for other runtimes",
		Long: `export writes a trained policy as an ONNX file (opset 17, float32, any number of states at a time), and
beside it FILE.json with the policy's contract and the meaning of inputs and outputs. The outputs are the
probabilities of the next query, and the distribution over hypotheses from which the policy recommends.
With --problem, POLICY is instant or instant:0, whose weights come with the program.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return s.export(c, list[0]) },
	}
	c.Flags().StringVar(&s.onnx, "onnx", "", "the ONNX file to write")
	c.Flags().StringVar(&s.problem, "problem", "", "of the policy instant: what is played, a SPEC or a table")
	c.Flags().BoolVar(&s.verify, "verify", false, "")
	_ = c.Flags().MarkHidden("verify") // the flag is there; it is refused with what to do instead
	return c
}

// export runs `mapo export`.
func (s *shipment) export(c *cobra.Command, path string) error {
	switch {
	case s.verify:
		return errors.New("--verify: mapo has no runtime for ONNX any more; leave it out, and run the file in onnxruntime: pip install onnxruntime")
	case s.onnx == "":
		return hint(c, errors.New("--onnx is missing: name the file to write"))
	}
	net, contract, err := s.open(c.Context(), path)
	if err != nil {
		return err
	}
	graph, err := onnx.Model(net, contract)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	data := graph.Encode()
	if err := s.writeBoth(contract, graph, data); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s, %d bytes; inputs and contract in %s\n", s.onnx, contract.Arch, len(data), s.beside())
	return err
}

// open returns the network and the contract of a policy file or, with --problem, of a policy by name.
func (s *shipment) open(ctx context.Context, path string) (nn.Net, *nn.Contract, error) {
	if s.problem != "" {
		return s.named(ctx, path)
	}
	if disk.IsFolder(path) {
		return nil, nil, fmt.Errorf("%s is a folder: name a policy file (%s) in it", path, policySuffix)
	}
	net, contract, err := policies.ReadFile(path)
	switch {
	case err != nil && !strings.HasSuffix(path, policySuffix):
		return nil, nil, fmt.Errorf("%s: ONNX export is for trained policies, and this is not a policy file (%s); mapo train and mapo run write them, and --problem TABLE.csv takes the policy instant", path, policySuffix)
	}
	return net, contract, err
}

// named opens a policy whose weights come with the program: as its policy file would be read.
func (s *shipment) named(ctx context.Context, name string) (nn.Net, *nn.Contract, error) {
	if isCommand(name) {
		return nil, nil, fmt.Errorf("%s is a program, which has no network: with --problem, export is for instant", name)
	}
	served, err := (&source{problem: s.problem}).open(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	defer served.Close()
	policy := served.Asks()
	net := rival.Network(policy)
	if net == nil {
		return nil, nil, fmt.Errorf("%s has no network: with --problem, export is for instant", name)
	}
	contract := *served.Contract
	_, contract.Decision, _ = strings.Cut(fmt.Sprint(policy), "+")
	file, err := nn.Encode(net, contract)
	if err != nil {
		return nil, nil, err
	}
	return nn.Decode(file)
}

// beside returns the document's file.
func (s *shipment) beside() string { return s.onnx + ".json" }

// writeBoth makes both files, or says why not before it has touched any.
func (s *shipment) writeBoth(contract *nn.Contract, graph *onnx.Graph, data []byte) error {
	doc, err := onnx.Document(contract, graph, filepath.Base(s.onnx), data)
	if err != nil {
		return err
	}
	const not = "was not written by mapo export"
	file, beside := disk.Output{Flag: "--onnx", Path: s.onnx}, disk.Output{Flag: "--onnx", Path: s.beside()}
	if err := file.Replaceable(not, onnx.IsGraph); err != nil {
		return err
	}
	if err := beside.Replaceable(not, onnx.IsDocument); err != nil {
		return err
	}
	if err := file.Write(data); err != nil {
		return err
	}
	return beside.Write(doc)
}
