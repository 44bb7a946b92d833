package parts

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/evaluate/internal/results"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/uai"
	"collie/crf"
	"collie/segment"
)

// Map measures maximisers on stored models.
type Map struct {
	results.Output
	Models string `required:"" type:"path" placeholder:"DIR" help:"Folder of pairwise models (.uai), with optima.tsv if the best scores are known."`
	Solver string `default:"thorough" enum:"auto,thorough,trws,lbp" help:"${enum}; auto is what sequences use, quicker where weights have both signs."`
	Sweeps int    `placeholder:"N" help:"Message passing sweeps; 0 is the solver's own choice."`
	Repeat int    `default:"3" help:"Runs of a model; the time is their median."`
	Limit  int    `placeholder:"N" help:"Use the first N models only."`
}

// solved is one row of the table.
type solved struct {
	Model        string   `json:"model"`
	Nodes        int      `json:"nodes"`
	Labels       int      `json:"labels"`
	Score        float64  `json:"score"` // natural logarithm of the product of the factors
	Milliseconds float64  `json:"milliseconds"`
	Sweeps       int      `json:"sweeps"`
	Gap          *float64 `json:"gap"` // best known score less this one; null when none is known
	Optimal      bool     `json:"optimal"`
}

// Run solves the models one after the other, so that their times are comparable.
func (c *Map) Run(t *progress.Terminal) error {
	if err := cmp.Or(flags.AtLeast("--sweeps", 0, c.Sweeps), flags.AtLeast("--limit", 0, c.Limit), flags.AtLeast("--repeat", 1, c.Repeat)); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(c.Models, "*.uai"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s has no .uai files", c.Models)
	}
	slices.Sort(files)
	if c.Limit > 0 {
		files = files[:min(c.Limit, len(files))]
	}
	best, err := optima(filepath.Join(c.Models, "optima.tsv"))
	if err != nil {
		return err
	}
	rows := make([]solved, len(files))
	b := progress.NewBar(t.Bar, "", len(files))
	for i, file := range files {
		if err := t.Ctx.Err(); err != nil {
			return err
		}
		if rows[i], err = c.solve(file, best); err != nil {
			return err
		}
		b.Show(i + 1)
	}
	b.Clear()
	c.print(t, rows)
	return c.Write(map[string]any{"results": rows})
}

func (c *Map) solve(file string, best map[string]float64) (solved, error) {
	f, err := os.Open(file)
	if err != nil {
		return solved{}, err
	}
	defer f.Close()
	m, err := uai.Read(f)
	if err != nil {
		return solved{}, fmt.Errorf("%s: %w", file, err)
	}
	options := map[string]crf.Options{
		"auto": {}, "thorough": crf.Thorough, "trws": {Method: crf.TRWS}, "lbp": {Method: crf.LBP},
	}[c.Solver]
	if c.Sweeps > 0 {
		options.Sweeps = c.Sweeps
	}
	var times []float64
	var result crf.Result
	for range c.Repeat {
		start := time.Now()
		result = crf.NewSolver(m, options).Solve(nil)
		times = append(times, time.Since(start).Seconds()*1000)
	}
	slices.Sort(times)
	row := solved{
		Model: strings.TrimSuffix(filepath.Base(file), ".uai"), Nodes: m.Nodes, Labels: m.Labels,
		Score: result.Energy, Milliseconds: times[len(times)/2], Sweeps: result.Sweeps, Optimal: result.Optimal,
	}
	if known, ok := best[row.Model]; ok {
		gap := known - row.Score
		row.Gap = &gap
	}
	return row, nil
}

func (c *Map) print(t *progress.Terminal, rows []solved) {
	fmt.Fprintf(t.Out, "The score reached, which is maximised, how far it is below the best known one, and the median time of %s.\n", segment.Counted(c.Repeat, "run"))
	w := t.Table()
	defer w.Flush()
	fmt.Fprint(w, "model\tnodes\tlabels\tscore\tgap\tms\tsweeps\tproved\t\n")
	gaps, known, spent := 0.0, 0, 0.0
	for _, r := range rows {
		gap := "unknown"
		if r.Gap != nil {
			gap = fmt.Sprintf("%.4f", *r.Gap)
			gaps += *r.Gap
			known++
		}
		spent += r.Milliseconds
		fmt.Fprintf(w, "%s\t%d\t%d\t%.4f\t%s\t%.2f\t%d\t%t\t\n", r.Model, r.Nodes, r.Labels, r.Score, gap, r.Milliseconds, r.Sweeps, r.Optimal)
	}
	if known > 0 {
		fmt.Fprintf(w, "mean\t\t\t\t%.4f\t%.2f\t\t\t\n", gaps/float64(known), spent/float64(len(rows)))
	}
}

// optima reads the best known score of each model; nil without the file.
func optima(path string) (map[string]float64, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	model, score := -1, -1
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if model < 0 {
			model, score = slices.Index(cells, "model"), slices.Index(cells, "best_score")
			if model < 0 || score < 0 {
				return nil, fmt.Errorf("%s needs the columns model and best_score", path)
			}
			continue
		}
		if len(cells) <= max(model, score) {
			continue
		}
		v, err := strconv.ParseFloat(cells[score], 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s: the best score of %s is %q, which is not a finite number", path, cells[model], cells[score])
		}
		out[cells[model]] = v
	}
	return out, nil
}
