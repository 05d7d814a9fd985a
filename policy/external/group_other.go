//go:build !unix

package external

import (
	"os"
	"os/exec"
)

// own does nothing where there are no groups.
func own(*exec.Cmd) {}

// killAll ends a command's process. It may have ended already.
func killAll(p *os.Process) { _ = p.Kill() }
