package servetest

import (
	"context"
	"testing"

	"mapo/serve/sessions"
)

// From returns a context of requests from an address, without a token.
func From(t testing.TB, address string) context.Context {
	return sessions.WithRequester(t.Context(), &sessions.Requester{Address: address})
}
