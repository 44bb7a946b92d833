package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"collie/cmd/internal/progress"
)

// report is what a load test found, as written to --json. Times are in
// milliseconds.
type report struct {
	Annotators int               `json:"annotators"`
	Together   int               `json:"on_each_image"`
	Lost       int               `json:"acknowledged_and_lost"`
	Every      float64           `json:"mean_seconds_between_clicks"`
	Uploads    float64           `json:"uploads_per_second"`
	Idle       int               `json:"idle_sockets"`
	Seed       uint64            `json:"seed"`
	Processors int               `json:"processors"`
	Load       []float64         `json:"load_average"` // of the last 1, 5 and 15 minutes, at the end
	Phases     []phaseReport     `json:"phases"`
	Server     map[string]change `json:"server,omitempty"`
}

type phaseReport struct {
	Name   string          `json:"name"`
	Times  map[string]spot `json:"times"`
	Counts map[string]int  `json:"counts"`

	Reasons map[string]int `json:"reasons,omitempty"` // what failed and why, and how often
}

// spot is a distribution of times.
type spot struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p999"`
	Max   float64 `json:"max"`
}

// change is a figure of the server before the load and at its end, with all
// sockets open.
type change struct {
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// watched are the figures of the server that are reported.
var watched = []string{"process_resident_memory_bytes", "go_memstats_heap_inuse_bytes", "go_goroutines", "process_cpu_seconds_total"}

func (r *recorder) report(p *plan, before map[string]float64) *report {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := &report{
		Annotators: p.Annotators, Together: p.Together, Every: p.Every.Seconds(), Uploads: p.Uploads, Idle: p.Idle, Seed: p.Seed,
		Processors: runtime.NumCPU(), Load: loadAverage(), Server: map[string]change{},
	}
	for _, ph := range r.phases {
		one := phaseReport{Name: ph.name, Times: map[string]spot{}, Counts: ph.counts, Reasons: ph.reasons}
		for what, h := range ph.times {
			if h.TotalCount() == 0 {
				continue
			}
			at := func(q float64) float64 { return float64(h.ValueAtQuantile(q)) / 1000 }
			one.Times[names[what]] = spot{h.TotalCount(), h.Mean() / 1000, at(50), at(90), at(99), at(99.9), float64(h.Max()) / 1000}
		}
		out.Phases = append(out.Phases, one)
	}
	for _, name := range watched {
		if v, ok := r.vitals[name]; ok {
			out.Server[name] = change{before[name], v}
		}
	}
	return out
}

// table writes the report for people.
func (r *report) table(to io.Writer) {
	fmt.Fprintf(to, "%d annotators, %d on each image, a click every %v on average, %g uploads/s, %d idle sockets; %d processors, load average %.2f\n",
		r.Annotators, r.Together, time.Duration(r.Every*float64(time.Second)), r.Uploads, r.Idle, r.Processors, r.Load)
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, ph := range r.Phases {
		fmt.Fprintf(w, "\n%s, ms\tcount\tmean\tp50\tp90\tp99\tp99.9\tmax\t\n", ph.Name)
		for _, name := range names {
			if s, ok := ph.Times[name]; ok {
				fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", name, s.Count, s.Mean, s.P50, s.P90, s.P99, s.P999, s.Max)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(ph.Counts)) {
			fmt.Fprintf(w, "%s\t%d\t\n", name, ph.Counts[name])
		}
	}
	if len(r.Server) > 0 {
		fmt.Fprint(w, "\nserver\tbefore\tat the end\t\n")
	}
	for _, name := range watched {
		if c, ok := r.Server[name]; ok {
			fmt.Fprintf(w, "%s\t%.0f\t%.0f\t\n", name, c.Before, c.After)
		}
	}
	_ = w.Flush() // to a terminal
	for _, ph := range r.Phases {
		for _, reason := range slices.Sorted(maps.Keys(ph.Reasons)) {
			fmt.Fprintf(to, "\n%s, %d %s", ph.Name, ph.Reasons[reason], reason)
		}
	}
	fmt.Fprintf(to, "\nacknowledged clicks that the logs don't have: %d\n", r.Lost)
}

// failure is what no server should do under any load, or nil.
func (r *report) failure() error {
	var clicks, acks, closed, tried, stored int
	for _, ph := range r.Phases {
		clicks += ph.Counts["clicks"]
		acks += int(ph.Times[names[ack]].Count)
		closed += ph.Counts["images not opened"] + ph.Counts["sockets refused"]
		stored += ph.Counts["uploads"]
		tried += ph.Counts["uploads"] + ph.Counts["uploads told to wait"] + ph.Counts["uploads failed"]
	}
	switch {
	case r.Lost > 0:
		return fmt.Errorf("%d acknowledged clicks are not in the logs", r.Lost)
	case clicks == 0 && closed > 0:
		return errors.New("no image could be opened")
	case clicks > 0 && acks == 0:
		return fmt.Errorf("none of %d clicks was acknowledged", clicks)
	case tried > 0 && stored == 0:
		return fmt.Errorf("none of %d uploads was stored", tried)
	}
	return nil
}

// write stores the report as JSON when a file was asked for.
func (r *report) write(path string) error {
	if path == "" {
		return nil
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return progress.WriteResult(path, append(b, '\n'))
}

// loadAverage is that of the machine, nothing where it has none.
func loadAverage() []float64 {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return nil
	}
	var out []float64
	for _, field := range strings.Fields(string(b))[:3] {
		if v, err := strconv.ParseFloat(field, 64); err == nil {
			out = append(out, v)
		}
	}
	return out
}
