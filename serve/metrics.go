package serve

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
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
		m.registry.MustRegister(&s.sessions.learners)
		m.registry.MustRegister(s.sessions.answered, prometheus.NewGaugeFunc(
			prometheus.GaugeOpts{Name: "mapo_sessions", Help: "Sessions kept."}, func() float64 {
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
				defer cancel()
				open, answered, err := s.sessions.store.Count(ctx)
				if err != nil {
					return -1
				}
				return float64(open + answered)
			}))
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

// What learned tables show.
var (
	versionDesc = prometheus.NewDesc("mapo_learned_version", "The version of a learned table in service.", []string{"policy"}, nil)
	gamesDesc   = prometheus.NewDesc("mapo_learned_games", "Games that the version in service is learned from.", []string{"policy"}, nil)
	secondsDesc = prometheus.NewDesc("mapo_learn_seconds", "Time that building the version in service took; 0: another server built it.", []string{"policy"}, nil)
	asideDesc   = prometheus.NewDesc("mapo_learn_set_aside", "Clients whose games the version in service leaves out.", []string{"policy"}, nil)
)

// Describe implements prometheus.Collector.
func (l *learners) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{versionDesc, gamesDesc, secondsDesc, asideDesc} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (l *learners) Collect(ch chan<- prometheus.Metric) {
	for id, one := range l.byID {
		p := one.s.set.Get(id)
		one.mu.Lock()
		aside, seconds := one.aside, one.seconds
		one.mu.Unlock()
		for d, v := range map[*prometheus.Desc]float64{versionDesc: float64(p.version), gamesDesc: float64(p.games), secondsDesc: seconds, asideDesc: float64(aside)} {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, id)
		}
	}
}

// policyInfo is one gauge a policy in service, with its hash.
type policyInfo struct{ set *Set }

var policyDesc = prometheus.NewDesc("mapo_policy_info", "Policies in service.", []string{"policy", "hash"}, nil)

func (p *policyInfo) Describe(ch chan<- *prometheus.Desc) { ch <- policyDesc }

func (p *policyInfo) Collect(ch chan<- prometheus.Metric) {
	for _, one := range p.set.All() {
		ch <- prometheus.MustNewConstMetric(policyDesc, prometheus.GaugeValue, 1, one.ID, one.Hash())
	}
}
