package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mapo/run"
	"mapo/serve/web"
)

// options checks who may reach the server and how.
func (f *serveFlags) options(c *cobra.Command) (o web.Options, err error) {
	o = web.Options{Insecure: f.insecure, Hosts: f.hosts, MaxBody: int64(f.maxBody), Version: run.Version(), Log: f.logger(c.ErrOrStderr())}
	if o.AskTokens, err = web.Tokens(envAsk, "--ask-token-file", f.askFile, o.Log); err != nil {
		return o, err
	}
	if o.AdminTokens, err = web.Tokens(envAdmin, "--admin-token-file", f.adminFile, o.Log); err != nil {
		return o, err
	}
	for _, text := range f.proxies {
		proxy, err := web.ParseProxy(text)
		if err != nil {
			return o, fmt.Errorf("--trusted-proxy: %w", err)
		}
		o.Proxies = append(o.Proxies, proxy)
	}
	local, err := web.IsLocal(f.addr)
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
