package spec

import (
	"reflect"

	"mapo/pretrain"
)

// LoadFamily reads and checks the FAMILY at path: what `mapo pretrain` is told, as a YAML map of [pretrain.Config]'s keys. What it
// leaves out is [pretrain.Default]'s. Errors have the file and line.
func LoadFamily(path string) (pretrain.Config, error) {
	c := pretrain.Default()
	text, err := read(path)
	if err != nil {
		return c, err
	}
	src, err := parse(path, text)
	if err != nil {
		return c, err
	}
	if err := src.decode("", src.root, reflect.ValueOf(&c)); err != nil {
		return c, err
	}
	if key, err := c.Check(); err != nil {
		return c, src.at(key, "%v", err)
	}
	return c, nil
}
