package learning

import "github.com/prometheus/client_golang/prometheus"

// What learned tables show.
var (
	versionDesc = prometheus.NewDesc("mapo_learned_version", "The version of a learned table in service.", []string{"policy"}, nil)
	gamesDesc   = prometheus.NewDesc("mapo_learned_games", "Games that the version in service is learned from.", []string{"policy"}, nil)
	secondsDesc = prometheus.NewDesc("mapo_learn_seconds", "Time that building the version in service took; 0: another server built it.", []string{"policy"}, nil)
	asideDesc   = prometheus.NewDesc("mapo_learn_set_aside", "Clients whose games the version in service leaves out.", []string{"policy"}, nil)
)

// Describe implements prometheus.Collector.
func (t *Tables) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{versionDesc, gamesDesc, secondsDesc, asideDesc} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (t *Tables) Collect(ch chan<- prometheus.Metric) {
	for id, one := range t.byID {
		p := t.set.Get(id)
		one.mu.Lock()
		aside, seconds := one.aside, one.seconds
		one.mu.Unlock()
		for d, v := range map[*prometheus.Desc]float64{versionDesc: float64(p.Version), gamesDesc: float64(p.Games), secondsDesc: seconds, asideDesc: float64(aside)} {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, id)
		}
	}
}
