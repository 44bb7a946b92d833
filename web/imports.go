package web

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
	"collie/segment/importer"
	"collie/segment/importer/dataset"
	"collie/segment/labelset"
	"collie/web/openapi"
	"collie/web/problem"
	"collie/web/query"
	"collie/web/scratch"
)

// importJSON is the result of an import.
type importJSON struct {
	ClassesAdded []string            `json:"classes_added"`
	Values       []importedValueJSON `json:"values" doc:"the values in the masks and what they became"`
	Images       []importedImageJSON `json:"images"`
}

// importedValueJSON is a value in masks and the class that it becomes.
type importedValueJSON struct {
	Value   string  `json:"value" doc:"key in the mapping: the name of a class in the data set or, without names, the index in decimal"`
	Name    string  `json:"name,omitempty" doc:"in the data set; absent without names"`
	VOC     string  `json:"voc,omitempty" doc:"class of PASCAL VOC with the index, if the data set has no names"`
	Color   string  `json:"color" doc:"in the thumbnails"`
	Class   *string `json:"class" doc:"name of the class; null is undecided or, with unknown, not said"`
	Unknown bool    `json:"unknown,omitempty" doc:"nothing says what the value means: masks that use it can't be imported without a mapping"`
	New     bool    `json:"new,omitempty" doc:"the project lacked the class"`
	Masks   int     `json:"masks" doc:"number of masks with the value"`
	Pixels  int     `json:"pixels"`
}

// importForm is what an import takes.
type importForm struct {
	Mapping string         `json:"mapping,omitempty" doc:"an object with the name of a class, or null for undecided, for each value; see values in the answer" schema:"media=application/json"`
	Name    string         `json:"filename,omitempty" doc:"before a file: its name, if it has a quotation mark, which browsers write as %22 with the file"`
	File    []openapi.File `json:"file"`
}

// importedImageJSON is the result for one mask.
type importedImageJSON struct {
	Mask     string   `json:"mask" doc:"name in the data set, or of the file that can't be used"`
	Image    string   `json:"image,omitempty" doc:"id of the image; absent if no image was found"`
	Added    bool     `json:"added,omitempty" doc:"the image came with the data set"`
	Replaces bool     `json:"replaces,omitempty" doc:"the image had labels, whose place the mask takes until undo"`
	Empty    bool     `json:"empty,omitempty" doc:"the files, which have shapes for others, have none for the image, so that all of it is outside"`
	Seq      int      `json:"seq,omitempty" doc:"number of evidence events after the import"`
	Regions  int      `json:"regions,omitempty" doc:"shapes, annotations or numbered objects that the files have for the image"`
	Decided  int      `json:"decided,omitempty" doc:"pixels with a class"`
	Lossy    []string `json:"lossy,omitempty" doc:"what the labelling can't hold"`
	Columns  []string `json:"columns,omitempty" doc:"classes of the columns of scores"`
	Embedded string   `json:"embedded,omitempty" doc:"size of the embeddings, where the file holds some"`
	Problem  string   `json:"problem,omitempty" doc:"why nothing was imported for the image"`

	Thumbnail []byte `json:"thumbnail,omitempty" doc:"PNG of the mask, in a review and for the first three of a file"`
}

var (
	uncoveredQuery = query.Word{Name: "uncovered", Words: []string{"background", "undecided"}, Doc: "what pixels outside every shape or object become"}
	numbersQuery   = query.Word{Name: "numbers", Words: []string{"classes", "objects"}, Doc: "what the numbers in masks as PNG or TIFF are: classes, or objects of one class (label images), which has the key objects in the mapping and is the second one in a project of two classes"}
	namesQuery     = query.Word{Name: "names", Words: []string{"project", "voc"}, Doc: "what indices mean that have neither a name nor a mapping: positions in the project's list of classes, or the classes of PASCAL VOC"}
	reviewQuery    = query.Word{Name: "review", Words: []string{"false", "true"}, Doc: "true: report what the import would do, with thumbnails, and store nothing"}
)

// importMasks imports the file parts of a multipart body into a project. Each
// part is a separate data set: a zip archive, a PNG or TIFF, JSON of COCO,
// labelme or Label Studio, XML of CVAT, or a .npz or .npy with scores or embeddings.
func (s *Server) importMasks(w http.ResponseWriter, r *http.Request) error {
	project := chi.URLParam(r, "id")
	if err := s.may(r, access.Annotate); err != nil {
		return err
	}
	uncovered, err := uncoveredQuery.Of(r)
	if err != nil {
		return err
	}
	numbers, err := numbersQuery.Of(r)
	if err != nil {
		return err
	}
	names, err := namesQuery.Of(r)
	if err != nil {
		return err
	}
	review, err := reviewQuery.Of(r)
	if err != nil {
		return err
	}
	options := dataset.Options{Objects: numbers == "objects", Undecided: uncovered == "undecided", PASCAL: names == "voc"}
	out := importJSON{ClassesAdded: []string{}, Values: []importedValueJSON{}, Images: []importedImageJSON{}}
	imported, last := 0, "" // file
	var failed problem.Upload
	err = s.eachKept(r, &options.Mapping, func(ctx context.Context, name string, file io.ReaderAt, size int64) error {
		last = name
		var report importer.Report
		files, err := dataset.FromFile(name, file, size, s.limits.Zip)
		switch {
		case err != nil:
		case review == "true":
			report, err = importer.Review(ctx, s.workspace, project, files, options)
		default:
			report, err = importer.Import(ctx, s.workspace, project, files, options, nil)
		}
		out.add(report)
		imported += report.Imported()
		if _, ok := importer.OfData(err); ok {
			out.Images = append(out.Images, importedImageJSON{Mask: name, Problem: failed.Add(name, err).Problem.Detail})
			return nil
		}
		return err
	})
	switch nothing := len(out.Images) == len(failed.Files); {
	case err != nil && nothing:
		return err
	case nothing && len(failed.Files) > 0:
		return &failed
	}
	if review == "false" {
		s.record(r, audit.MasksImported, project, segment.Counted(imported, "mask"))
	}
	if err != nil {
		out.Images = append(out.Images, importedImageJSON{Mask: last, Problem: problem.Of(err).Detail})
	}
	return s.answers.JSON(w, http.StatusOK, out)
}

func (out *importJSON) add(report importer.Report) {
	out.ClassesAdded = append(out.ClassesAdded, report.Classes...)
	for _, im := range report.Images {
		out.Images = append(out.Images, importedImageJSON(im))
	}
	for _, v := range report.Values {
		value := importedValueJSON{Value: v.Value, Name: v.Name, VOC: v.VOC, Color: v.Color, Unknown: v.Unknown, New: v.New, Masks: v.Masks, Pixels: v.Pixels}
		if v.Class != "" {
			value.Class = &v.Class
		}
		out.Values = append(out.Values, value)
	}
}

// importBackup creates a project from each backup.
func (s *Server) importBackup(w http.ResponseWriter, r *http.Request) error {
	if err := s.workspace.May(r.Context(), access.Administer); err != nil {
		return err // before anything is read
	}
	var results []any // wire.Project or problem.File, in the order of the files
	var failed problem.Upload
	err := s.eachKept(r, nil, func(ctx context.Context, name string, file io.ReaderAt, size int64) error {
		p, err := importer.Backup(ctx, s.workspace, file, size, s.limits.Zip)
		if err == nil {
			results = append(results, projectOut(p, access.Admin))
			return nil
		}
		results = append(results, failed.Add(name, err))
		return ctx.Err()
	})
	switch {
	case err != nil && len(results) == 0:
		return err
	case err != nil:
		results = append(results, failed.Add("", err))
	case len(failed.Files) == len(results):
		return &failed
	}
	return s.answers.JSON(w, http.StatusCreated, results)
}

// eachKept receives all file parts of a multipart body, and its part mapping
// unless mapping is nil, and then calls do with each file. The first error ends
// it. It reads the whole body first because net/http cancels the request's context
// for a client that leaves only after that.
func (s *Server) eachKept(r *http.Request, mapping *map[string]string, do func(ctx context.Context, name string, file io.ReaderAt, size int64) error) error {
	kept, err := s.scratch.Open(r.Context())
	if err != nil {
		return err
	}
	defer kept.Close()
	files, err := s.receiveAll(r, kept, mapping)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := do(r.Context(), f.name, io.NewSectionReader(kept, f.at, f.size), f.size); err != nil {
			return err
		}
	}
	return nil
}

// keptFile is one of the files within a scratch file.
type keptFile struct {
	name     string
	at, size int64
}

// receiveAll copies the file parts of a multipart body into one file, one after
// the other.
func (s *Server) receiveAll(r *http.Request, into *scratch.File, mapping *map[string]string) ([]keptFile, error) {
	parts, err := formParts(r, nothingChanged)
	if err != nil {
		return nil, err
	}
	var files []keptFile
	var at int64
	for part, err := range parts {
		if err != nil {
			return nil, err
		}
		switch name := part.FormName(); {
		case name == "mapping" && mapping != nil:
			if *mapping, err = mappingOf(part); err != nil {
				return nil, err
			}
			continue
		case name != "file":
			continue
		case len(files) == s.limits.Files:
			return nil, problem.Invalid("One upload can hold at most %d files. Nothing was imported; send them in several uploads.", s.limits.Files)
		}
		limit := s.limits.Zip.Bytes
		size, err := into.Keep(&watchedReader{r: part, after: nothingChanged}, limit)
		if err != nil {
			return nil, err
		}
		if size > limit {
			return nil, segment.Errorf(segment.TooLarge, "The file %q is larger than %s, which is the limit. Nothing was imported; split it.", fileName(part), problem.Bytes(limit))
		}
		files = append(files, keptFile{fileName(part), at, size})
		at += size
	}
	if len(files) == 0 {
		return nil, noFile()
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, brokenUpload(err, nothingChanged)
	}
	return files, nil
}

// mappingOf reads the part of an import that says what values in masks become.
func mappingOf(part io.Reader) (map[string]string, error) {
	b, err := io.ReadAll(io.LimitReader(part, labelset.MaxBytes+1))
	if err != nil {
		return nil, brokenUpload(err, nothingChanged)
	}
	var classes map[string]*string
	if err := json.Unmarshal(b, &classes); len(b) > labelset.MaxBytes || err != nil || classes == nil {
		return nil, problem.Invalid("The part \"mapping\" must be a JSON object of up to %s that gives each value the name of a class, or null for undecided, for example {\"1\": \"road\", \"2\": null}. Nothing was imported.", problem.Bytes(labelset.MaxBytes))
	}
	if !labelset.WholeText(b) {
		return nil, problem.Invalid("The part \"mapping\" contains text that is not valid UTF-8, or half of a surrogate pair. Nothing was imported.")
	}
	mapping := map[string]string{}
	for _, value := range slices.Sorted(maps.Keys(classes)) {
		mapping[value] = ""
		if classes[value] == nil {
			continue
		}
		if mapping[value], err = segment.CleanName("name of the class for "+strconv.Quote(value), *classes[value]); err != nil {
			return nil, err
		}
	}
	return mapping, nil
}
