package serve

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
)

type Sessions struct {
	store interface {
		Ping(context.Context) error
		Count(context.Context) (int, error)
	}
	answered *prometheus.CounterVec
}

func (s *Server) registerSessions(huma.API) {}
