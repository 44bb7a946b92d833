// Package metrics measures what the server does, for Prometheus. All names
// start with collie_ and are stable; docs/grafana.json is a dashboard.
package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"collie/segment/gauge"
	"collie/segment/schedule"
	"collie/segment/workspace"
)

// Metrics is a registry of the server's metrics and those of the Go runtime and
// the process. It is a gauge.Observer. Safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	times    map[gauge.Time]prometheus.Observer
	happened map[gauge.Happening]prometheus.Counter
	syncs    prometheus.Histogram
}

var _ gauge.Observer = (*Metrics)(nil)

// buckets reach from the time of decoding to more than anybody waits.
var buckets = []float64{
	.00005, .0001, .0002, .0005, .001, .002, .003, .005, .0075, .01, .015, .02, .025, .035, .05, .075, .1, .15, .25, .5, 1, 2.5, 10,
}

// New returns empty metrics.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		times:    map[gauge.Time]prometheus.Observer{}, happened: map[gauge.Happening]prometheus.Counter{},
		syncs: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "collie_store_sync_seconds", Help: "Committing a batch of changes, until it is on disk.", Buckets: buckets,
		}),
	}
	stages := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "collie_stage_seconds", Help: "What takes time between a click and its hypotheses, by stage.", Buckets: buckets,
	}, []string{"stage"})
	events := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "collie_events_total", Help: "What happened, by name. digest_mismatch has to stay at 0: a hypothesis that somebody saw is another one here.",
	}, []string{"event"})
	for _, t := range gauge.Times {
		m.times[t] = stages.WithLabelValues(string(t))
	}
	for _, h := range gauge.Happenings {
		m.happened[h] = events.WithLabelValues(string(h))
	}
	m.registry.MustRegister(stages, events, m.syncs, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Took counts a time.
func (m *Metrics) Took(what gauge.Time, d time.Duration) { m.times[what].Observe(d.Seconds()) }

// Happened counts a happening.
func (m *Metrics) Happened(what gauge.Happening) { m.happened[what].Inc() }

// Synced counts a commit of the store.
func (m *Metrics) Synced(d time.Duration) { m.syncs.Observe(d.Seconds()) }

// Watch adds gauges that are read on each scrape: the workspace's load and the
// open websockets.
func (m *Metrics) Watch(w *workspace.Workspace, sockets func() int) {
	gauge := func(name, help string, labels prometheus.Labels, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value))
	}
	gauge("collie_sockets", "Open websockets.", nil, func() float64 { return float64(sockets()) })
	for class, name := range schedule.Names {
		labels := prometheus.Labels{"class": name}
		gauge("collie_steps_waiting", "Hypotheses that wait for their turn, by class.", labels, func() float64 { return float64(w.Load().Waiting[class]) })
		gauge("collie_steps_running", "Hypotheses that are being made, by class.", labels, func() float64 { return float64(w.Load().Running[class]) })
	}
	gauge("collie_long_work", "Uploads and exports that compute or wait for it.", nil, func() float64 { return float64(w.Load().Long) })
	gauge("collie_heavy_steps", "Hypotheses of very many classes or clicks that are being made or wait for it.", nil, func() float64 { return float64(w.Load().Heavy) })
	gauge("collie_images_open", "Prepared images in memory.", nil, func() float64 { return float64(w.Load().Images) })
	gauge("collie_images_bytes", "Memory that they take, about, without what those in use remember of clicks.", nil, func() float64 { return float64(w.Load().Bytes) })
	gauge("collie_images_budget_bytes", "Memory that they may take before idle ones are forgotten.", nil, func() float64 { return float64(w.Load().Budget) })
}

// ServeHTTP writes the metrics in Prometheus's text format.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{DisableCompression: true}).ServeHTTP(w, r)
}
