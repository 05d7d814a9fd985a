package folder

import (
	"os"
	"testing"

	"mapo/internal/suite"
)

func TestMain(m *testing.M) {
	os.Exit(suite.InMemory(m).Run())
}
