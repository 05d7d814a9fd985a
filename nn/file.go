package nn

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteFile writes a policy file of net and c (Encode) at path. It is atomic: under whatever goes wrong, path
// holds either what it held before or the whole new file.
func WriteFile(path string, net Net, c Contract) error {
	data, err := Encode(net, c)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return writeAtomic(path, data)
}

// writeAtomic writes a sibling of path, makes it durable and renames it.
func writeAtomic(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()           // the first error is the one to tell
			_ = os.Remove(f.Name()) // a leftover is harmless
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	if d, e := os.Open(dir); e == nil { // the rename itself; not every file system lets a folder be synced
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// ReadFile reads a policy file. Anything but a whole, unchanged one is refused in one line that names path
// and the reason.
func ReadFile(path string) (Net, *Contract, error) {
	f, err := os.Open(path)
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
