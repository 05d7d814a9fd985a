package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"mapo/internal/disk"
)

// part is a download under way: a hidden file beside where it will be, and beside
// that the version that the server named, as resuming one version with another's
// end would make a file that never was.
type part struct {
	File
	folder  string
	file    *os.File
	size    int64  // bytes in it
	total   int64  // what the server says it will be; 0: it did not
	version string // a strong ETag or a date; "": the server named none
}

func (p *part) path() string     { return filepath.Join(p.folder, ".part-"+p.Name) }
func (p *part) versions() string { return filepath.Join(p.folder, ".part-"+p.Name+".version") }

// openPart opens what an earlier download left, or an empty part, for this process
// alone.
func openPart(f File, folder string) (*part, error) {
	p := &part{File: f, folder: folder}
	var err error
	if p.file, err = os.OpenFile(p.path(), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, fmt.Errorf("cannot write in the folder: %w: choose another with --to", err)
	}
	// Where there are no locks, two downloads at once end in a wrong hash, not in a wrong file.
	if err := disk.Lock(p.file); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		_ = p.file.Close() // another has it
		return nil, fmt.Errorf("%s is being fetched by another process: wait for it", filepath.Join(folder, f.Name))
	}
	version, _ := os.ReadFile(p.versions()) // without it, ask begins anew
	p.version = string(version)
	p.size, err = p.file.Seek(0, io.SeekEnd)
	return p, err
}

// close leaves the part for a later download; an empty one is removed.
func (p *part) close() {
	_ = p.file.Close() // synced where it counts, in finish
	if info, err := os.Stat(p.path()); err == nil && info.Size() == 0 {
		_ = os.Remove(p.path())
		_ = os.Remove(p.versions())
	}
}

// restart empties the part.
func (p *part) restart() error {
	p.size, p.total = 0, 0
	return p.file.Truncate(0)
}

// ask asks for what is missing, of the same version; for all of it where the server
// did not say which version it sent.
func (p *part) ask(req *http.Request) error {
	// Bytes as they are: a packed answer could be neither resumed nor measured.
	req.Header.Set("Accept-Encoding", "identity")
	if p.version == "" {
		return p.restart()
	}
	if p.size > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.size))
		req.Header.Set("If-Range", p.version)
	}
	return nil
}

// answer reads the head of the server's answer and makes the part ready for its
// body; whole says that nothing is missing.
func (p *part) answer(resp *http.Response) (whole bool, err error) {
	var from, to int64
	span := resp.Header.Get("Content-Range")
	switch code := resp.StatusCode; {
	case code == http.StatusPartialContent:
		if n, _ := fmt.Sscanf(span, "bytes %d-%d/%d", &from, &to, &p.total); n < 3 || from != p.size {
			return false, errors.Join(errors.New("the server went on at another place"), p.restart())
		}
	case code == http.StatusOK:
		if err := p.restart(); err != nil {
			return false, permanent{err}
		}
		p.total = max(resp.ContentLength, 0)
		if p.version = resp.Header.Get("ETag"); p.version == "" || strings.HasPrefix(p.version, "W/") { // which promises no equal bytes
			p.version = resp.Header.Get("Last-Modified")
		}
		if err := os.WriteFile(p.versions(), []byte(p.version), 0o644); err != nil {
			return false, permanent{err}
		}
	case code == http.StatusRequestedRangeNotSatisfiable:
		// The part may be whole already: a kill came between its end and its check.
		if n, _ := fmt.Sscanf(span, "bytes */%d", &p.total); n == 1 && p.total == p.size {
			return true, nil
		}
		return false, errors.Join(errors.New("the server has less than was fetched before"), p.restart())
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		return false, fmt.Errorf("the server answers %s", resp.Status)
	default:
		return false, permanent{fmt.Errorf("the server answers %s", resp.Status)}
	}
	if p.Size > 0 && p.total > 0 && p.total != p.Size {
		return false, permanent{errors.Join(fmt.Errorf("the server has %d bytes, want %d: it is another file", p.total, p.Size), p.restart())}
	}
	return false, nil
}

// write appends a piece of the body.
func (p *part) write(piece []byte) error {
	most := int64(mostBytes)
	if p.Size > 0 {
		most = p.Size
	}
	if p.size+int64(len(piece)) > most {
		return permanent{errors.Join(fmt.Errorf("the server sends more than %d bytes: it is another file", most), p.restart())}
	}
	n, err := p.file.WriteAt(piece, p.size)
	if p.size += int64(n); err != nil {
		return permanent{fmt.Errorf("cannot write: %w: free some space", err)}
	}
	return nil
}

// finish checks the part and puts it in its place. A part that is wrong is thrown
// away: going on with it could only end wrong again.
func (p *part) finish() error {
	sum, err := p.check()
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", p.Name, err), p.restart())
	}
	place := filepath.Join(p.folder, p.Name)
	if err = p.file.Sync(); err == nil {
		err = os.Rename(p.path(), place)
	}
	if err == nil { // in sha256sum's form: anybody can check it with sha256sum -c
		err = os.WriteFile(place+recordEnd, fmt.Appendf(nil, "%s  %s\n", sum, p.Name), 0o644)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	_ = os.Remove(p.versions()) // the next download overwrites it
	return nil
}

// check returns the part's hash, or what is wrong with it.
func (p *part) check() (string, error) {
	sum, err := sumOf(p.path())
	switch {
	case err != nil:
		return "", err
	case p.size == 0:
		return "", errors.New("the server sent an empty file")
	case p.Size > 0 && p.size != p.Size:
		return "", fmt.Errorf("%d bytes came, want %d: the server sent another file or cut it short; nothing was replaced", p.size, p.Size)
	case p.SHA256 != "" && sum != p.SHA256:
		return "", fmt.Errorf("its sha256 is %s, want %s: these are other bytes than were published; nothing was replaced. If the publisher has changed the file, fetch it by hand and name it in the spec", sum, p.SHA256)
	case p.Check == nil:
		return sum, nil
	}
	if err := p.Check(p.path()); err != nil {
		return "", fmt.Errorf("what came is not the file wanted; nothing was replaced: %w", err)
	}
	return sum, nil
}

// recordEnd ends the name of the file that holds a fetched file's hash.
const recordEnd = ".sha256"

// good reports whether the file at path is the one wanted, by its hash.
func (f File) good(path string) bool {
	want := f.SHA256
	if want == "" {
		text, _ := os.ReadFile(path + recordEnd) // without a record it is not known
		want, _, _ = strings.Cut(string(text), " ")
	}
	sum, err := sumOf(path)
	return err == nil && sum == want
}

// sumOf returns a file's SHA-256 in hex.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
