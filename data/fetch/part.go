package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mapo/internal/filelock"
)

// part is a download under way: a hidden file beside where it will be, and beside
// that what the server called its version.
type part struct {
	folder, name string
	file         *os.File
	size         int64 // bytes in it
	total        int64 // what the server says it will be; 0: it did not
	version      version
}

// version is what a server says a file's version is; resuming one version with
// another's end would make a file that never was.
type version struct {
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last-modified,omitempty"`
}

func (p *part) path() string   { return filepath.Join(p.folder, ".part-"+p.name) }
func (p *part) header() string { return filepath.Join(p.folder, ".part-"+p.name+".json") }

// openPart opens what an earlier download left, or an empty part, for this process
// alone.
func openPart(folder, name string) (*part, error) {
	p := &part{folder: folder, name: name}
	var err error
	if p.file, err = os.OpenFile(p.path(), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, fmt.Errorf("cannot write in the folder: %w: choose another with --to", err)
	}
	// Where there are no locks, two downloads at once end in a wrong hash, not in a wrong file.
	if err := filelock.Take(p.file); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		_ = p.file.Close() // another has it
		return nil, fmt.Errorf("%s is being fetched by another process: wait for it", filepath.Join(folder, name))
	}
	text, err := os.ReadFile(p.header())
	if err != nil || json.Unmarshal(text, &p.version) != nil || p.version == (version{}) {
		return p, p.restart()
	}
	p.size, err = p.file.Seek(0, io.SeekEnd)
	return p, err
}

// close leaves the part for a later download; an empty one is removed.
func (p *part) close() {
	_ = p.file.Close() // synced where it counts, in finish
	if info, err := os.Stat(p.path()); err == nil && info.Size() == 0 {
		p.remove()
	}
}

func (p *part) remove() {
	_ = os.Remove(p.path())   // leftovers are found and
	_ = os.Remove(p.header()) // overwritten by the next download
}

// restart empties the part.
func (p *part) restart() error {
	p.size, p.total = 0, 0
	if err := p.file.Truncate(0); err != nil {
		return err
	}
	_, err := p.file.Seek(0, io.SeekStart)
	return err
}

// ask asks for what is missing, of the same version; for all of it where the server
// did not say which version it sent.
func (p *part) ask(req *http.Request) error {
	// Bytes as they are: a packed answer could be neither resumed nor measured.
	req.Header.Set("Accept-Encoding", "identity")
	if p.version == (version{}) {
		return p.restart()
	}
	if p.size == 0 {
		return nil
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.size))
	if p.version.ETag != "" {
		req.Header.Set("If-Range", p.version.ETag)
	} else {
		req.Header.Set("If-Range", p.version.LastModified)
	}
	return nil
}

// answer reads the head of the server's answer and makes the part ready for its
// body; whole says that nothing is missing.
func (p *part) answer(resp *http.Response, f File) (whole bool, err error) {
	switch code := resp.StatusCode; {
	case code == http.StatusPartialContent && p.size > 0:
		from, total, ok := contentRange(resp.Header.Get("Content-Range"))
		if !ok || from != p.size {
			return false, errors.Join(errors.New("the server went on at another place"), p.restart())
		}
		p.total = total
	case code == http.StatusOK:
		if err := p.restart(); err != nil {
			return false, err
		}
		p.total = max(resp.ContentLength, 0)
		p.version = version{strong(resp.Header.Get("ETag")), resp.Header.Get("Last-Modified")}
		text, err := json.Marshal(p.version)
		if err == nil {
			err = os.WriteFile(p.header(), text, 0o644)
		}
		if err != nil {
			return false, permanent{err}
		}
	case code == http.StatusRequestedRangeNotSatisfiable && p.size > 0:
		// The part may be whole already: a kill came between its end and its check.
		if _, total, ok := contentRange(resp.Header.Get("Content-Range")); ok && total == p.size {
			p.total = total
			return true, nil
		}
		return false, errors.Join(errors.New("the server has less than was fetched before"), p.restart())
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return false, fmt.Errorf("the server answers %s", resp.Status)
	default:
		return false, permanent{fmt.Errorf("the server answers %s", resp.Status)}
	}
	if f.Size > 0 && p.total > 0 && p.total != f.Size {
		return false, permanent{errors.Join(fmt.Errorf("the server has %d bytes, want %d: it is another file", p.total, f.Size), p.restart())}
	}
	return false, nil
}

// strong returns tag where it promises equal bytes, else "".
func strong(tag string) string {
	if strings.HasPrefix(tag, "W/") {
		return ""
	}
	return tag
}

// contentRange reads "bytes 5-9/10" and "bytes */10".
func contentRange(text string) (from, total int64, ok bool) {
	text, has := strings.CutPrefix(text, "bytes ")
	span, size, cut := strings.Cut(text, "/")
	total, err := strconv.ParseInt(size, 10, 64)
	if !has || !cut || err != nil || total < 0 {
		return 0, 0, false
	}
	if span == "*" {
		return 0, total, true
	}
	first, _, _ := strings.Cut(span, "-")
	from, err = strconv.ParseInt(first, 10, 64)
	return from, total, err == nil
}

// write appends a piece of the body.
func (p *part) write(piece []byte, f File) error {
	most := int64(mostBytes)
	if f.Size > 0 {
		most = f.Size
	}
	if p.size+int64(len(piece)) > most {
		return permanent{errors.Join(fmt.Errorf("the server sends more than %d bytes: it is another file", most), p.restart())}
	}
	n, err := p.file.Write(piece)
	p.size += int64(n)
	if err != nil {
		return permanent{fmt.Errorf("cannot write: %w: free some space", err)}
	}
	return nil
}

// complete returns an error where the body ended before all that was announced.
func (p *part) complete() error {
	if p.total > 0 && p.size < p.total {
		return errors.New("the connection ended early")
	}
	return nil
}

// finish checks the part and puts it in its place. A part that is wrong is thrown
// away: going on with it could only end wrong again.
func (p *part) finish(f File) error {
	sum, err := p.check(f)
	if err != nil {
		return wrong{errors.Join(fmt.Errorf("%s: %w", f.Name, err), p.restart())}
	}
	if err := p.file.Sync(); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	place := filepath.Join(p.folder, f.Name)
	if err := os.Rename(p.path(), place); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	_ = os.Remove(p.header()) // the next download overwrites it
	// In sha256sum's form: anybody can check it with sha256sum -c.
	record := fmt.Sprintf("%s  %s\n", sum, f.Name)
	if err := os.WriteFile(place+recordEnd, []byte(record), 0o644); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}

// check returns the part's hash, or what is wrong with it.
func (p *part) check(f File) (sum string, err error) {
	if p.size == 0 {
		return "", errors.New("the server sent an empty file")
	}
	if f.Size > 0 && p.size != f.Size {
		return "", fmt.Errorf("%d bytes came, want %d: the server sent another file or cut it short; nothing was replaced", p.size, f.Size)
	}
	if sum, err = sumOf(p.path()); err != nil {
		return "", err
	}
	if f.SHA256 != "" && sum != f.SHA256 {
		return "", fmt.Errorf("its sha256 is %s, want %s: these are other bytes than were published; nothing was replaced. If the publisher has changed the file, fetch it by hand and name it in the spec", sum, f.SHA256)
	}
	if f.Check != nil {
		if err := f.Check(p.path()); err != nil {
			return "", fmt.Errorf("what came is not the file wanted; nothing was replaced: %w", err)
		}
	}
	return sum, nil
}

// recordEnd ends the name of the file that holds a fetched file's hash.
const recordEnd = ".sha256"

// good reports whether the file at path is the one wanted, by its hash.
func (f File) good(path string) bool {
	want := f.SHA256
	if want == "" {
		text, err := os.ReadFile(path + recordEnd)
		if err != nil {
			return false
		}
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
	if _, err := io.Copy(h, f); err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
