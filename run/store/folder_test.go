package store_test

import (
	"testing"

	"mapo/run/store"
	"mapo/run/store/storetest"
)

func TestFolder(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() store.Store {
		dir := t.TempDir()
		return func() store.Store {
			s, err := store.Folder(dir)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	})
}
