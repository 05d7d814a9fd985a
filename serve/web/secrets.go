package web

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"

	"mapo/internal/disk"
)

// Tokens returns those of an environment variable and of the file that a flag names.
func Tokens(env, flag, file string, log *slog.Logger) ([]string, error) {
	var all []string
	for token := range strings.SplitSeq(os.Getenv(env), ",") {
		if token = strings.TrimSpace(token); token != "" {
			all = append(all, token)
		}
	}
	if file != "" {
		text, err := disk.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		WarnReadable(flag, file, log)
		before := len(all)
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				all = append(all, line)
			}
		}
		if len(all) == before {
			return nil, fmt.Errorf("%s: %s has no token: one a line", flag, file)
		}
	}
	for _, token := range all {
		if err := CheckToken(token); err != nil {
			return nil, fmt.Errorf("%s or %s: %w", env, flag, err)
		}
	}
	return all, nil
}

// IsLocal reports whether an address can be reached from this machine alone.
func IsLocal(addr string) (bool, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false, fmt.Errorf("--addr is %q, want an address and a port such as 127.0.0.1:8080", addr)
	}
	if host == "localhost" {
		return true, nil
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback(), nil
}

// WarnReadable warns where everybody on this machine may read a file that holds a secret.
func WarnReadable(flag, path string, log *slog.Logger) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() && info.Mode()&0o004 != 0 && runtime.GOOS != "windows" {
		log.Warn("everybody on this machine can read the secret in a file: chmod o-r "+path, "flag", flag)
	}
}
