package folder

import (
	"mapo/policy/nn"
	"mapo/run"
)

// WritePolicy writes p, a trained policy, as a policy file.
func WritePolicy(f *run.Flow, path string, p *run.Policy, ladder *run.Ladder) error {
	return policyFile(f, path, p, ladder, nn.WriteFile)
}

// CreatePolicy is WritePolicy where path must not be there yet: else its error wraps [fs.ErrExist].
func CreatePolicy(f *run.Flow, path string, p *run.Policy, ladder *run.Ladder) error {
	return policyFile(f, path, p, ladder, nn.CreateFile)
}

func policyFile(f *run.Flow, path string, p *run.Policy, ladder *run.Ladder, write func(string, nn.Net, nn.Contract) error) error {
	net, _, err := nn.Decode(p.Net.File)
	if err != nil {
		return err
	}
	return write(path, net, run.Contract(f, p, ladder))
}
