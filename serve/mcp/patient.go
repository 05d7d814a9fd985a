package mcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// patient is a transport whose input ends only once all its requests are answered: the server drops those under way
// when it hears of the end.
type patient struct{ sdk.Transport }

// Connect implements sdk.Transport.
func (p patient) Connect(ctx context.Context) (sdk.Connection, error) {
	inner, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &patientConnection{Connection: inner, asked: map[jsonrpc.ID]bool{}}
	c.fewer.L = &c.mu
	return c, nil
}

type patientConnection struct {
	sdk.Connection
	mu     sync.Mutex
	fewer  sync.Cond // on mu: of asked, or it is closed
	asked  map[jsonrpc.ID]bool
	closed bool
}

// Read implements sdk.Connection.
func (c *patientConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() {
		c.asked[r.ID] = true
	}
	for err != nil && len(c.asked) > 0 && !c.closed {
		c.fewer.Wait()
	}
	return msg, err
}

// Write implements sdk.Connection.
func (c *patientConnection) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if r, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.asked, r.ID)
		c.mu.Unlock()
		c.fewer.Broadcast()
	}
	return err
}

// Close implements sdk.Connection.
func (c *patientConnection) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.fewer.Broadcast()
	return c.Connection.Close()
}
