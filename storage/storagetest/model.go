package storagetest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"collie/segment"
)

// model is a store in memory: what the tested one must agree with.
type model struct {
	projects []segment.Project // in order of creation
	images   []segment.Image
	events   map[string][]segment.Event
}

// testModel performs random operations and compares all that can be read with
// the model now and then and whenever the store has been reopened.
func testModel(t *testing.T, open func(testing.TB, string) Store) {
	place := t.TempDir()
	s := open(t, place)
	t.Cleanup(func() { closeStore(t, s) })
	made := 0 // names things
	rapid.Check(t, func(r *rapid.T) {
		for _, p := range mustList(t, s) {
			must(t, s.TrashProject(t.Context(), p.ID)) // the run before
		}
		m := &model{events: map[string][]segment.Event{}}
		r.Repeat(map[string]func(*rapid.T){
			"look": func(r *rapid.T) { m.compare(t, r, s) },
			"create project": func(r *rapid.T) {
				made++
				p := newProject(fmt.Sprint("project ", made))
				must(t, s.CreateProject(t.Context(), p))
				m.projects = append(m.projects, p)
			},
			"update project": func(r *rapid.T) {
				p := m.someProject(r)
				p.Name = text.Draw(r, "name")
				p.Classes = append(slices.Clone(p.Classes), segment.Class{ID: rapid.Byte().Draw(r, "id"), Name: text.Draw(r, "class"), Color: "#012345"})
				p.Deleted = append(slices.Clone(p.Deleted), segment.DeletedClass{Class: p.Classes[0], Target: rapid.Byte().Draw(r, "target"), Deleted: moment()})
				must(t, s.UpdateProject(t.Context(), *p))
				wantKind(t, segment.Conflict, s.UpdateProject(t.Context(), *p)) // made from a record that has passed
				p.Revision++
			},
			"trash project": func(r *rapid.T) {
				id := m.someProject(r).ID
				must(t, s.TrashProject(t.Context(), id))
				m.trash(id)
				if _, err := s.Project(t.Context(), id); segment.KindOf(err) != segment.NotFound {
					r.Fatalf("project in the trash: %v", err)
				}
				wantKind(t, segment.NotFound, s.TrashProject(t.Context(), id))
				wantKind(t, segment.NotFound, s.CreateImage(t.Context(), newImage(id, "late"), 0))
			},
			"trash image": func(r *rapid.T) {
				im := *m.someImage(r)
				must(t, s.TrashImages(t.Context(), im.ProjectID, []string{im.ID}))
				m.images = slices.DeleteFunc(m.images, func(other segment.Image) bool { return other.ID == im.ID })
				delete(m.events, im.ID)
				wantKind(t, segment.NotFound, s.TrashImages(t.Context(), im.ProjectID, []string{im.ID}))
				wantKind(t, segment.NotFound, s.NoteDoubt(t.Context(), im.ID, nil))
				wantKind(t, segment.NotFound, s.Append(t.Context(), im.ID, im.Seq, label("late", 1), segment.Progress{}))
			},
			"create image": func(r *rapid.T) {
				made++
				im := newImage(m.someProject(r).ID, fmt.Sprint("image ", made))
				must(t, s.CreateImage(t.Context(), im, 0))
				m.images = append(m.images, im)
			},
			"note doubt": func(r *rapid.T) {
				im := m.someImage(r)
				share := rapid.Ptr(rapid.Float64Range(0, 1), true).Draw(r, "share")
				must(t, s.NoteDoubt(t.Context(), im.ID, share))
				im.Doubt = share
			},
			"set review": func(r *rapid.T) {
				im := m.someImage(r)
				review := segment.Review{
					Status: rapid.SampledFrom(segment.ReviewStatuses()).Draw(r, "status"), Comment: text.Draw(r, "comment"),
					By: text.Draw(r, "by"), At: moment().Add(time.Duration(rapid.IntRange(0, 2).Draw(r, "hours")) * time.Hour), Seq: rapid.IntRange(0, 5).Draw(r, "seq"),
				}
				looked := segment.Looked{Seq: review.Seq}
				wantKind(t, segment.NotFound, s.SetReview(t.Context(), im.ProjectID, map[string]segment.Looked{im.ID: looked, segment.NewID(): {}}, review, true))
				wantKind(t, segment.NotFound, s.SetReview(t.Context(), segment.NewID(), map[string]segment.Looked{im.ID: looked}, review, true))
				over := rapid.Bool().Draw(r, "approved")
				looked.Former = rapid.SampledFrom([]*time.Time{nil, {}, new(moment()), new(im.Review.At)}).Draw(r, "former")
				err := s.SetReview(t.Context(), im.ProjectID, map[string]segment.Looked{im.ID: looked}, review, over)
				if im.Review.Status == segment.Approved && !over || !looked.Saw(im.Review) {
					wantKind(t, segment.Conflict, err)
					return
				}
				must(t, err)
				im.Review = review
				im.Review.Seq = min(review.Seq, im.Seq)
			},
			"assign": func(r *rapid.T) {
				im := m.someImage(r)
				assignee := text.Draw(r, "assignee")
				wantKind(t, segment.NotFound, s.Assign(t.Context(), im.ProjectID, []string{im.ID, segment.NewID()}, "nobody", nil))
				wantKind(t, segment.NotFound, s.Assign(t.Context(), segment.NewID(), []string{im.ID}, "nobody", nil))
				replaces := rapid.SampledFrom([]*string{nil, new(""), new("nobody"), new(im.Assignee)}).Draw(r, "replaces")
				err := s.Assign(t.Context(), im.ProjectID, []string{im.ID}, assignee, replaces)
				if replaces != nil && *replaces != im.Assignee {
					wantKind(t, segment.Conflict, err)
					return
				}
				must(t, err)
				im.Assignee = assignee
			},
			"append": func(r *rapid.T) {
				im := m.someImage(r)
				made++
				e := label(fmt.Sprint("event ", made), rapid.Int32().Draw(r, "superpixel"))
				progress := segment.Progress{Clicks: rapid.IntRange(0, 600).Draw(r, "clicks"), Decided: rapid.Float64Range(0, 1).Draw(r, "decided"), Left: rapid.IntRange(0, 1000).Draw(r, "left")}
				if rapid.Bool().Draw(r, "known") {
					progress.Classes = []segment.ClassShare{}
					for range rapid.IntRange(0, 3).Draw(r, "classes") {
						progress.Classes = append(progress.Classes, segment.ClassShare{ID: rapid.Byte().Draw(r, "id"), Area: rapid.IntRange(0, math.MaxInt32).Draw(r, "area"), Clicks: rapid.IntRange(0, 600).Draw(r, "clicks")})
					}
				}
				expected := im.Seq + rapid.SampledFrom([]int{0, 0, 0, -1, 1}).Draw(r, "offset")
				err := s.Append(t.Context(), im.ID, expected, e, progress)
				if expected != im.Seq {
					wantConflict(t, im.Seq, err)
					return
				}
				must(t, err)
				e.Seq = expected + 1
				im.Seq, im.Progress = e.Seq, progress
				m.events[im.ID] = append(m.events[im.ID], e)
			},
		})
		if rapid.IntRange(0, 3).Draw(r, "reopen") == 0 {
			must(t, s.Close())
			s = open(t, place)
		}
		m.compare(t, r, s)
	})
}

// text is what people write: without NUL, which databases differ about.
var text = rapid.StringOf(rapid.Rune().Filter(func(r rune) bool { return r != 0 }))

func (m *model) someProject(r *rapid.T) *segment.Project {
	if len(m.projects) == 0 {
		r.Skip("no project yet")
	}
	return &m.projects[rapid.IntRange(0, len(m.projects)-1).Draw(r, "project")]
}

func (m *model) someImage(r *rapid.T) *segment.Image {
	if len(m.images) == 0 {
		r.Skip("no image yet")
	}
	return &m.images[rapid.IntRange(0, len(m.images)-1).Draw(r, "image")]
}

func (m *model) trash(project string) {
	m.projects = slices.DeleteFunc(m.projects, func(p segment.Project) bool { return p.ID == project })
	m.images = slices.DeleteFunc(m.images, func(im segment.Image) bool { return im.ProjectID == project })
	maps.DeleteFunc(m.events, func(image string, _ []segment.Event) bool {
		return !slices.ContainsFunc(m.images, func(im segment.Image) bool { return im.ID == image })
	})
}

// compare reads everything and holds it against the model.
func (m *model) compare(t *testing.T, r *rapid.T, s Store) {
	got := &model{events: map[string][]segment.Event{}}
	projects := mustList(t, s)
	slices.Reverse(projects) // all are made at the same moment, so the last comes first
	got.projects = projects
	for _, p := range projects {
		one, err := s.Project(t.Context(), p.ID)
		must(t, err)
		images, err := s.ImagesAfter(t.Context(), p.ID, "", 1e6)
		must(t, err)
		if n, err := s.CountImages(t.Context(), p.ID); err != nil || n != len(images) {
			r.Fatalf("%d images are counted, %d listed; %v", n, len(images), err)
		}
		if diff := cmp.Diff(p, one); diff != "" {
			r.Fatalf("project in the list and alone:\n%s", diff)
		}
		for _, im := range images {
			one, err := s.Image(t.Context(), im.ID)
			must(t, err)
			if diff := cmp.Diff(im, one); diff != "" {
				r.Fatalf("image in the list and alone:\n%s", diff)
			}
			events, err := s.Events(t.Context(), im.ID, 0)
			must(t, err)
			if len(events) > 0 {
				got.events[im.ID] = events
			}
		}
		got.images = append(got.images, images...)
	}
	want := &model{projects: m.projects, events: m.events}
	for _, p := range m.projects {
		for _, im := range m.images {
			if im.ProjectID == p.ID {
				want.images = append(want.images, im)
			}
		}
	}
	equal := cmp.Options{cmp.AllowUnexported(model{}), emptyLists()}
	if diff := cmp.Diff(want, got, equal); diff != "" {
		r.Fatalf("the store differs from the model (-want +got):\n%s", diff)
	}
}

func mustList(t *testing.T, s Store) []segment.Project {
	projects, err := s.Projects(t.Context())
	must(t, err)
	return projects
}

// emptyLists lets an empty list and a nil one be the same.
func emptyLists() cmp.Option {
	return cmp.Options{
		cmp.FilterValues(func(a, b []segment.Project) bool { return len(a)+len(b) == 0 }, cmp.Ignore()),
		cmp.FilterValues(func(a, b []segment.Image) bool { return len(a)+len(b) == 0 }, cmp.Ignore()),
	}
}
