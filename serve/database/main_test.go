package database

import (
	"os"
	"testing"

	"mapo/serve/dbtest"
)

func TestMain(m *testing.M) {
	os.Exit(dbtest.Run(m, map[string]func(args []string){"tables": makeTablesAndDie, "builder": builder, "teller": teller}))
}
