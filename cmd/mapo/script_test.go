package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mapo": main})
}

// TestScript runs the commands as a user does: testdata/script, one file a
// subject.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("MAPO_DATA", "")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			// Permissions mean nothing to root.
			return cond == "root" && os.Geteuid() == 0, nil
		},
	})
}
