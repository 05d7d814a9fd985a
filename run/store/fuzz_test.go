package store

import (
	"bytes"
	"errors"
	"os"
	"testing"
)

// FuzzUnseal: any bytes are either refused as corrupt or exactly what seal writes.
func FuzzUnseal(f *testing.F) {
	whole := Seal("a/b", []byte("data"))
	f.Add("a/b", whole)
	f.Add("a/c", whole)
	f.Add("a/b", whole[:len(whole)-1])
	f.Add("", []byte(sealMagic))
	f.Fuzz(func(t *testing.T, name string, blob []byte) {
		data, err := Unseal(name, blob)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("unseal: %v, want ErrCorrupt", err)
			}
			return
		}
		if !bytes.Equal(Seal(name, data), blob) {
			t.Fatalf("unseal took %q for %q", blob, data)
		}
	})
}

// FuzzLoadCheckpoint: any bytes in place of the last checkpoint make the reader fall back to the one
// before, unless they are a sound one.
func FuzzLoadCheckpoint(f *testing.F) {
	s, err := Folder(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	job := KeyOf("train/1", nil)
	for _, iter := range []int{1, 2} {
		if err := SaveCheckpoint(f.Context(), s, job, iter, []byte("sound")); err != nil {
			f.Fatal(err)
		}
	}
	last := checkpointName(job, 2)
	whole := Seal(last, []byte("sound"))
	f.Add(whole)
	f.Add(whole[:sealLen])
	f.Add(Seal(checkpointName(job, 1), []byte("sound")))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, blob []byte) {
		if err := os.WriteFile(s.path(last), blob, 0o666); err != nil {
			t.Fatal(err)
		}
		iter, data, warnings, err := LoadCheckpoint(t.Context(), s, job)
		fell := err == nil && iter == 1 && string(data) == "sound" && len(warnings) == 1
		sound := err == nil && iter == 2 && bytes.Equal(Seal(last, data), blob) && len(warnings) == 0
		if !fell && !sound {
			t.Fatalf("LoadCheckpoint = %d, %q, %q, %v", iter, data, warnings, err)
		}
	})
}
