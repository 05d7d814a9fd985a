package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mapo/serve/policies"
)

// metrics is what GET /metrics shows. Labels are routes, never what a client wrote.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	under    prometheus.Gauge
}

func newMetrics(s *Server) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mapo_requests_total", Help: "Requests answered."}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mapo_request_seconds", Help: "Time to answer a request.",
			Buckets: []float64{.0002, .0005, .001, .002, .005, .01, .02, .05, .1, .5, 1, 5},
		}, []string{"route"}),
		under: prometheus.NewGauge(prometheus.GaugeOpts{Name: "mapo_requests_under_way", Help: "Requests being answered."}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.under, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &policyInfo{s.set})
	if s.sessions != nil {
		m.registry.MustRegister(s.sessions.Collectors()...)
	}
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *metrics) observe(r *http.Request, status int, took time.Duration) {
	route := r.Pattern
	if route == "" {
		route = "refused"
	}
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// policyInfo is one gauge a policy in service, with its hash.
type policyInfo struct{ set *policies.Set }

var policyDesc = prometheus.NewDesc("mapo_policy_info", "Policies in service.", []string{"policy", "hash"}, nil)

func (p *policyInfo) Describe(ch chan<- *prometheus.Desc) { ch <- policyDesc }

func (p *policyInfo) Collect(ch chan<- prometheus.Metric) {
	for _, one := range p.set.All() {
		ch <- prometheus.MustNewConstMetric(policyDesc, prometheus.GaugeValue, 1, one.ID, one.Hash())
	}
}
