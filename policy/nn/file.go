package nn

import (
	"fmt"
	"io"

	"mapo/internal/disk"
)

// WriteFile writes a policy file of net and c (Encode) at path. It is atomic: under whatever goes wrong, path
// holds either what it held before or the whole new file. A link at path is replaced, and what it leads to stays.
func WriteFile(path string, net Net, c Contract) error {
	data, err := Encode(net, c)
	if err == nil {
		err = disk.Replace(path, data)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// ReadFile reads a policy file. Anything but a whole, unchanged one is refused in one line that names path
// and the reason.
func ReadFile(path string) (Net, *Contract, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, nil, err // names the path
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, nil, err
	}
	net, c, err := Decode(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return net, c, nil
}
