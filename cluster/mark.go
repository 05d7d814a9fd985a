package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"

	"mapo/flow"
	"mapo/store"
)

// Mark is what all who serve a store must have in common, for their results to be the same bytes. It is made by the
// first who uses the store this way.
type Mark struct {
	ID          string // random: the store itself, by whatever path or address it is reached
	Version     string
	Environment string
}

const markName = "cluster"

// MarkOf reads the store's mark, or makes it, and refuses a program of another version, architecture or kernel.
func MarkOf(ctx context.Context, s store.Store, version string) (Mark, error) {
	own := Mark{rand.Text(), version, strings.Join(flow.Environment(), ", ")}
	data, err := json.Marshal(own)
	if err != nil {
		return own, err
	}
	there, err := s.PutNew(ctx, markName, data)
	if err != nil {
		return own, err
	}
	var m Mark
	if err := json.Unmarshal(there, &m); err != nil {
		return m, fmt.Errorf("cluster: read %s: %w", markName, err)
	}
	if m.Version != own.Version || m.Environment != own.Environment {
		return m, fmt.Errorf("the store is served by mapo %s with %s, and this is mapo %s with %s: results would not be the same bytes; use the same version on a like machine with the same kernel (MAPO_KERNEL), or another --store",
			m.Version, m.Environment, own.Version, own.Environment)
	}
	return m, nil
}

// queue is the name that the store's queues begin with.
func (m Mark) queue() string { return "mapo-" + m.ID[:min(12, len(m.ID))] }

// Version is that of the program's module, or of the commit it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
