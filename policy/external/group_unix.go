//go:build unix

package external

import (
	"os"
	"os/exec"
	"syscall"
)

// own gives a command a group of its own, which its children are in, and which a Ctrl-C at the terminal does not reach:
// who started it ends it.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killAll ends the group of a command's process. It may have ended already.
func killAll(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
