package metrics_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment/gauge"
	"collie/segment/schedule"
	"collie/segment/workspace"
	"collie/web/metrics"
)

// scrape returns the figures by name and labels.
func scrape(t *testing.T, m *metrics.Metrics) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("status %d", w.Code)
	}
	out := map[string]string{}
	for line := range strings.Lines(w.Body.String()) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			out[name] = value
		}
	}
	return out
}

func served(t *testing.T) *metrics.Metrics {
	t.Helper()
	m := metrics.New()
	m.Watch(workspace.New(nil, nil, nil, workspace.Options{Memory: 1000, Observer: m}), func() int { return 7 })
	return m
}

func TestFigures(t *testing.T) {
	m := served(t)
	for _, what := range gauge.Times {
		m.Took(what, 3*time.Millisecond)
	}
	for _, what := range gauge.Happenings {
		m.Happened(what)
	}
	m.Synced(time.Millisecond)
	got := scrape(t, m)
	want := map[string]string{
		`collie_stage_seconds_count{stage="first"}`: "1", `collie_stage_seconds_sum{stage="answer"}`: "0.003",
		`collie_stage_seconds_bucket{stage="append",le="0.002"}`: "0", `collie_stage_seconds_bucket{stage="append",le="0.003"}`: "1",
		`collie_events_total{event="digest_mismatch"}`: "1", `collie_store_sync_seconds_count`: "1",
		`collie_sockets`: "7", `collie_steps_waiting{class="first"}`: "0", `collie_images_budget_bytes`: "1000", `collie_long_work`: "0", `collie_heavy_steps`: "0",
	}
	for _, class := range schedule.Names {
		if class == "" {
			t.Error("a class of the schedule has no name")
		}
		want[fmt.Sprintf("collie_steps_waiting{class=%q}", class)] = "0"
		want[fmt.Sprintf("collie_steps_running{class=%q}", class)] = "0"
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %s", name, got[name], value)
		}
	}
	if got["go_goroutines"] == "" {
		t.Error("the figures of the Go runtime are missing")
	}
}

var name = regexp.MustCompile(`\b(?:collie|go|process)_[a-z_]+`)

// The dashboard asks only for figures that exist, shows all of ours, and says which
// server each line is of.
func TestDashboard(t *testing.T) {
	b, err := os.ReadFile("../../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Title  string
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	if err := json.Unmarshal(b, &board); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	stages := map[string]bool{}
	for figure := range scrape(t, served(t)) {
		base, labels, _ := strings.Cut(figure, "{")
		there[base] = true
		if _, stage, ok := strings.Cut(labels, `stage="`); ok {
			stages[strings.SplitN(stage, `"`, 2)[0]] = true
		}
	}
	shown := map[string]bool{}
	for _, p := range board.Panels {
		if p.Title == "" || len(p.Targets) == 0 {
			t.Errorf("panel %+v has no title or asks for nothing", p)
		}
		for _, target := range p.Targets {
			for _, n := range name.FindAllString(target.Expr, -1) {
				if !there[n] {
					t.Errorf("panel %q asks for %s, which is not there", p.Title, n)
				}
				shown[family(n)] = true
			}
			if !strings.Contains(target.Expr, "sum") && !strings.Contains(target.LegendFormat, "{{instance}}") {
				t.Errorf("panel %q doesn't say which server %s is of", p.Title, target.Expr)
			}
			if m := regexp.MustCompile(`stage(?:=~|=)"([^"]+)"`).FindStringSubmatch(target.Expr); m != nil {
				for stage := range strings.SplitSeq(m[1], "|") {
					if !stages[stage] {
						t.Errorf("panel %q asks for stage %s, which is not there", p.Title, stage)
					}
				}
			}
		}
	}
	var ours []string
	for n := range there {
		if strings.HasPrefix(n, "collie_") {
			ours = append(ours, family(n))
		}
	}
	slices.Sort(ours)
	var of []string
	for _, n := range slices.Sorted(maps.Keys(shown)) {
		if strings.HasPrefix(n, "collie_") {
			of = append(of, n)
		}
	}
	if diff := cmp.Diff(slices.Compact(ours), of); diff != "" {
		t.Errorf("figures on the dashboard (-there +shown):\n%s", diff)
	}
}

// eventPattern matches what picks an event.
var eventPattern = regexp.MustCompile(`event="([a-z_]+)"`)

// Every event that administrators are told to watch is on the dashboard.
func TestWatchedEvents(t *testing.T) {
	board, err := os.ReadFile("../../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/administrators.md")
	if err != nil {
		t.Fatal(err)
	}
	watched := eventPattern.FindAllSubmatch(page, -1)
	if len(watched) == 0 {
		t.Error("administrators are told to watch nothing")
	}
	for _, m := range watched {
		if !strings.Contains(string(board), `event=\"`+string(m[1])+`\"`) {
			t.Errorf("%s is not on the dashboard", m[1])
		}
	}
}

// family is the common name of the parts of a histogram.
func family(n string) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		n = strings.TrimSuffix(n, suffix)
	}
	return n
}
