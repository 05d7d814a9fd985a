package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mapo/internal/num"
	"mapo/run"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "The version, the commit it was built from, and the kernel in use",
		Long: "version prints what a report of a fault should name: the version, the commit, the version of Go and\n" +
			"the kernel, on which the last digits of results depend.",
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "version  %s\ncommit   %s\ngo       %s, %s/%s\nkernel   %s\n",
				run.Version(), commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH, num.Kernel())
			return err
		},
	}
}

// commit returns the commit that the program was built from, as far as the build says.
func commit() string {
	settings := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	text := settings["vcs.revision"]
	switch {
	case text == "":
		return "unknown"
	case settings["vcs.modified"] == "true":
		text += ", changed"
	}
	if at := settings["vcs.time"]; at != "" {
		text += ", " + at
	}
	return text
}
