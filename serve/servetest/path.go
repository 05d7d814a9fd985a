package servetest

import (
	"os"
	"path/filepath"
)

// inModule returns a path of the module as it is from the folder of any package.
func inModule(path string) string {
	for up := "."; ; up = filepath.Join(up, "..") {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			return filepath.Join(up, path)
		}
	}
}
