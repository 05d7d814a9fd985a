package cluster

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"mapo/internal/num"
	"mapo/run/store"
)

// Identity is what all who serve a store must have in common, for their results to be the same bytes. It is made by the
// first who uses the store this way.
type Identity struct {
	ID          string // random: the store itself, by whatever path or address it is reached
	Version     string // of mapo
	Build       string // see buildOf
	Environment string // kernel, precision and architecture
}

// String names the program that has made it.
func (m Identity) String() string {
	return fmt.Sprintf("mapo %s (%s) with %s", m.Version, m.Build, m.Environment)
}

const identityName = "cluster"

// ErrNoIdentity is wrapped by the error of [Find] for a store that has served no run on a cluster.
var ErrNoIdentity = errors.New("the store has served no run on a cluster")

// Find reads the store's identity, and refuses a program of another version, build, architecture or kernel.
func Find(ctx context.Context, s store.Store, version string) (Identity, error) {
	data, err := s.Get(ctx, identityName)
	if errors.Is(err, fs.ErrNotExist) {
		return Identity{}, ErrNoIdentity
	}
	if err != nil {
		return Identity{}, err
	}
	own, err := ownIdentity(version)
	if err != nil {
		return own, err
	}
	return own.like(data)
}

// IdentityOf does as Find, and makes the identity where there is none.
func IdentityOf(ctx context.Context, s store.Store, version string) (Identity, error) {
	own, err := ownIdentity(version)
	if err != nil {
		return own, err
	}
	data, err := json.Marshal(own)
	if err != nil {
		return own, err
	}
	there, err := s.PutNew(ctx, identityName, data)
	if err != nil {
		return own, err
	}
	return own.like(there)
}

// ownIdentity returns this program's, for a store that has none.
func ownIdentity(version string) (Identity, error) {
	build, err := buildOf()
	return Identity{rand.Text(), version, build, strings.Join(num.Environment(), ", ")}, err
}

// like reads the identity that a store has and refuses one of another program than own.
func (own Identity) like(data []byte) (Identity, error) {
	var m Identity
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("cluster: read %s: %w", identityName, err)
	}
	if m.String() != own.String() {
		return m, fmt.Errorf("the store is served by %v, and this is %v: results would not be the same bytes; use the same program on a like machine with the same kernel (MAPO_KERNEL), or another --store", m, own)
	}
	return m, nil
}

// queue returns the name that the store's queues begin with.
func (m Identity) queue() string { return "mapo-" + m.ID[:min(12, len(m.ID))] }

// buildOf tells programs of one version apart whose results may differ: by the compiler, and where the source is not
// what a commit holds, so that the version says little, by a hash of the program itself.
func buildOf() (string, error) {
	if info, ok := debug.ReadBuildInfo(); ok && committed(info) {
		return runtime.Version(), nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("cluster: find the program: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("cluster: read the program: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("cluster: read the program: %w", err)
	}
	return "uncommitted source, program " + hex.EncodeToString(h.Sum(nil)[:6]), nil
}

// committed reports whether the program's version names its source: a module's release, or a commit without changes.
func committed(info *debug.BuildInfo) bool {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return !strings.HasSuffix(v, "+dirty")
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.modified" {
			return s.Value == "false"
		}
	}
	return false
}
