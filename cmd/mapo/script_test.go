package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/xuri/excelize/v2"

	"mapo/internal/check"
	"mapo/internal/suite"
)

func TestMain(m *testing.M) {
	testscript.Main(suite.InMemory(m), map[string]func(){"mapo": mapo})
}

// TestScript runs the commands as a user does: testdata/script, one file a
// subject.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: check.Updating(),
		Setup: func(env *testscript.Env) error {
			env.Setenv("MAPO_DATA", "")
			env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "data"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"gzip": gzipFile, "policy": policyFile, "cut": cutFile, "append": appendFile, "bomb": bombFile, "serve": serveFolder, "workbook": workbook, "told": toldFile,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root": // permissions mean nothing to root
				return os.Geteuid() == 0, nil
			case "full": // a device that is always full
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// gzipFile is "gzip FILE": it makes FILE.gz beside it.
func gzipFile(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(errors.Join(err, z.Close()))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".gz"), b.Bytes(), 0o666))
}

// workbook is "workbook FILE": a workbook with a table on each of two sheets.
func workbook(ts *testscript.TestScript, _ bool, args []string) {
	f := excelize.NewFile()
	_, err := f.NewSheet("Notes")
	ts.Check(err)
	for _, sheet := range f.GetSheetList() {
		for i, row := range [][]any{{"object", "a", "b"}, {"x", 1, 0}, {"y", 0, 1}} {
			ts.Check(f.SetSheetRow(sheet, fmt.Sprintf("A%d", i+1), &row))
		}
	}
	ts.Check(errors.Join(f.SaveAs(ts.MkAbs(args[0])), f.Close()))
}

// cutFile is "cut FILE N": only the first N bytes are left.
func cutFile(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// appendFile is "append FILE TEXT".
func appendFile(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteString(args[1])
	ts.Check(errors.Join(err, f.Close()))
}

// bombFile is "bomb FILE TEXT": a small gzip file of a header and TEXT 32 million
// times.
func bombFile(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	z := gzip.NewWriter(f)
	_, err = z.Write([]byte("object,a\n"))
	part := []byte(strings.Repeat(strings.ReplaceAll(args[1], `\n`, "\n"), 1<<20))
	for range 32 {
		if err == nil {
			_, err = z.Write(part)
		}
	}
	ts.Check(errors.Join(err, z.Close(), f.Close()))
}
