package folder

import (
	"os"
	"testing"

	"mapo/internal/suite"
)

func TestMain(m *testing.M) {
	suite.InMemory()
	os.Exit(m.Run())
}
