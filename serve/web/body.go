package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"mapo/serve/wire"
)

const (
	freeBody   = 32 << 10 // bytes of a body that are not counted: each connection has them
	mostBodies = 32 << 20 // bytes of all bodies besides, or twice what one may have
	mostForm   = 16 << 10 // bytes of a body that is not JSON
	mostDrain  = 2 << 20  // bytes read of a body that is refused
	plainBytes = 8 << 10  // a body of no more needs no place
	placeTime  = time.Second
)

// bodies is the memory and the work that the bodies of all requests may take at once.
type bodies struct {
	kept   atomic.Int64  // bytes, without each one's freeBody
	places chan struct{} // of those that are large and complete, until they are decoded
}

// errBusy refuses a body for whose memory or work there is no room.
var errBusy = &wire.Fault{Status: http.StatusServiceUnavailable, Reason: "the server is at work on too many large requests; send this one again"}

// maxBody returns how many bytes a body may have.
func (s *Server) maxBody() int64 {
	if s.MaxBody > 0 {
		return s.MaxBody
	}
	return s.set.Bounds().Body
}

// read reads r's body within its bounds, so that what comes after has it whole. A
// body that is refused is answered here.
func (s *Server) read(w *recorder, r *http.Request, isJSON bool) bool {
	err := s.readBody(w, r, isJSON)
	if err == nil {
		return true
	}
	// A client that sends all of its body before it reads would not see the reply.
	_, _ = io.CopyN(io.Discard, r.Body, mostDrain)
	var f *wire.Fault
	var large *http.MaxBytesError
	var late net.Error
	switch {
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
		return refuse(w, errBusy.Status, "%s", errBusy.Reason)
	case errors.As(err, &f):
		return refuse(w, f.Status, "%s", f.Reason)
	case errors.As(err, &large):
		return refuse(w, http.StatusRequestEntityTooLarge, "the body has more than %d bytes", large.Limit)
	case errors.As(err, &late) && late.Timeout():
		return refuse(w, http.StatusRequestTimeout, "the body took longer than %s", requestTime)
	}
	return refuse(w, http.StatusBadRequest, "the body ended early")
}

func (s *Server) readBody(w *recorder, r *http.Request, isJSON bool) error {
	limit := s.maxBody()
	w.hold = &hold{ReadCloser: r.Body, bodies: s.bodies, most: max(mostBodies, 2*limit)}
	if !isJSON {
		limit = mostForm
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, w.hold, limit))
	if err != nil {
		return err
	}
	if len(data) > plainBytes {
		if err := w.hold.take(r.Context()); err != nil {
			return err
		}
		*r = *r.WithContext(context.WithValue(r.Context(), holdKey{}, w.hold))
	}
	if isJSON {
		err = checkBody(s.set.Bounds(), data)
	}
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(data))) // which forgets it once it is read
	return err
}

// hold is a body while it is read, and what its request holds of [bodies] until it is decoded.
type hold struct {
	io.ReadCloser
	*bodies
	most  int64 // bytes that all bodies may have
	read  int64
	place bool
	once  sync.Once
}

type holdKey struct{}

// Read reads on while there is room.
func (h *hold) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	before := h.counted()
	h.read += int64(n)
	if more := h.counted() - before; h.kept.Add(more) > h.most && more > 0 {
		return n, errBusy
	}
	return n, err
}

// counted returns how many of the bytes read count.
func (h *hold) counted() int64 { return max(0, h.read-freeBody) }

// decoded gives back what a request of this context holds. Whatever waits for a database
// calls it first: that may take long.
func decoded(ctx context.Context) {
	if h, ok := ctx.Value(holdKey{}).(*hold); ok {
		h.release()
	}
}

// take waits for a place to decode a large body.
func (h *hold) take(ctx context.Context) error {
	late := time.NewTimer(placeTime)
	defer late.Stop()
	select {
	case h.places <- struct{}{}:
		h.place = true
		return nil
	case <-late.C:
	case <-ctx.Done():
	}
	return errBusy
}

// release gives all back. Only the first call does anything.
func (h *hold) release() {
	h.once.Do(func() {
		h.kept.Add(-h.counted())
		if h.place {
			<-h.places
		}
	})
}
