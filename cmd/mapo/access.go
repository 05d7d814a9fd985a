package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"mapo/internal/disk"
	"mapo/run"
	"mapo/serve/web"
)

// options checks who may reach the server and how.
func (f *serveFlags) options(c *cobra.Command) (o web.Options, err error) {
	o = web.Options{Insecure: f.insecure, Hosts: f.hosts, MaxBody: int64(f.maxBody), Version: run.Version(), Log: f.logger(c.ErrOrStderr())}
	if o.AskTokens, err = tokens(envAsk, "--ask-token-file", f.askFile, o.Log); err != nil {
		return o, err
	}
	if o.AdminTokens, err = tokens(envAdmin, "--admin-token-file", f.adminFile, o.Log); err != nil {
		return o, err
	}
	for _, text := range f.proxies {
		proxy, err := web.ParseProxy(text)
		if err != nil {
			return o, fmt.Errorf("--trusted-proxy: %w", err)
		}
		o.Proxies = append(o.Proxies, proxy)
	}
	local, err := isLocal(f.addr)
	if err != nil {
		return o, err
	}
	if guarded := len(o.AskTokens)+len(o.AdminTokens) > 0 || f.insecure; !guarded {
		remedy := fmt.Sprintf("set %s or %s (see mapo serve --help), or say --insecure", envAsk, envAdmin)
		switch {
		case !local:
			return o, fmt.Errorf("--addr %s can be reached from other machines: %s", f.addr, remedy)
		case len(f.hosts) > 0:
			return o, fmt.Errorf("--host %s is a name by which others call the server, and without tokens all of them may do everything: %s", f.hosts[0], remedy)
		}
	}
	if o.Rate = f.rate; (!local || len(f.proxies) > 0) && !c.Flags().Changed("rate") {
		o.Rate = remoteRate
	}
	return o, nil
}

// tokens returns those of an environment variable and of the file that a flag names.
func tokens(env, flag, file string, log *slog.Logger) ([]string, error) {
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
		warnReadable(flag, file, log)
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
		if err := web.CheckToken(token); err != nil {
			return nil, fmt.Errorf("%s or %s: %w", env, flag, err)
		}
	}
	return all, nil
}

// isLocal reports whether an address can be reached from this machine alone.
func isLocal(addr string) (bool, error) {
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

// warnReadable warns where everybody on this machine may read a file that holds a secret.
func warnReadable(flag, path string, log *slog.Logger) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() && info.Mode()&0o004 != 0 && runtime.GOOS != "windows" {
		log.Warn("everybody on this machine can read the secret in a file: chmod o-r "+path, "flag", flag)
	}
}
