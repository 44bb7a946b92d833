package workspace

import (
	"context"
	"image"
	"reflect"
	"testing"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/annotation"
	"collie/segment/assistant"
	"collie/superpixels"
)

// needs is the right that each call of a Workspace, its Learner and an Annotation checks.
// Calls without a context are left out: they only describe what Open has returned.
var needs = map[string]access.Action{
	"Workspace.CreateProject":   access.Administer,
	"Workspace.AdoptProject":    access.Administer,
	"Workspace.Project":         access.Read,
	"Workspace.Projects":        access.Enter,
	"Workspace.Overviews":       access.Enter,
	"Workspace.EditProject":     access.Manage,
	"Workspace.ReplaceClasses":  access.Manage,
	"Workspace.RestoreClass":    access.Manage,
	"Workspace.TrashProject":    access.Manage,
	"Workspace.DiscardProject":  access.Manage,
	"Workspace.TrashImage":      access.Manage,
	"Workspace.TrashImages":     access.Manage,
	"Workspace.RestoreImages":   access.Manage,
	"Workspace.Trash":           access.Enter,
	"Workspace.Restore":         access.Enter,
	"Workspace.Sweep":           access.Administer,
	"Workspace.Orphans":         access.Administer,
	"Workspace.EntriesAfter":    access.Administer,
	"Workspace.EntriesBefore":   access.Administer,
	"Workspace.TrashedNames":    access.Administer,
	"Workspace.Members":         access.Read,
	"Workspace.RoleIn":          access.Read,
	"Workspace.SetMember":       access.Manage,
	"Workspace.RemoveMember":    access.Manage,
	"Workspace.Image":           access.Read,
	"Workspace.ImagesAfter":     access.Read,
	"Workspace.CountImages":     access.Read,
	"Workspace.Place":           access.Read,
	"Workspace.Assign":          access.Read,
	"Workspace.SetReview":       access.Read,
	"Workspace.MayReview":       access.Read,
	"Workspace.CopyLabelling":   access.Annotate,
	"Workspace.AddImage":        access.Annotate,
	"Workspace.PhotoSize":       access.Annotate,
	"Workspace.Blob":            access.Read,
	"Workspace.Picture":         access.Read,
	"Workspace.Original":        access.Read,
	"Workspace.Levels":          access.Read,
	"Workspace.Develop":         access.Read,
	"Workspace.Open":            access.Read,
	"Workspace.Visit":           access.Read,
	"Learner.Learning":          access.Read,
	"Learner.Prelabel":          access.Annotate,
	"Learner.Retract":           access.Manage,
	"Annotation.ImportMask":     access.Annotate,
	"Annotation.SetGuess":       access.Annotate,
	"Annotation.SetEmbedding":   access.Annotate,
	"Annotation.Append":         access.Annotate,
	"Annotation.AppendLast":     access.Annotate,
	"Annotation.Suppose":        access.Annotate,
	"Annotation.Events":         access.Read,
	"Annotation.History":        access.Read,
	"Annotation.PixelsAfter":    access.Read,
	"Annotation.GiveGuess":      access.Annotate,
	"Annotation.WeighGuess":     access.Annotate,
	"Annotation.WeighEmbedding": access.Annotate, "Annotation.Relate": access.Annotate,
	"Annotation.SetScores":    access.Annotate,
	"Workspace.RemoveOrphans": access.Administer,
	"Workspace.Examine":       access.Administer,
}

// chores are the calls that the program makes for itself, never for a person, and
// Guess, which does nothing for somebody who can't annotate.
var chores = map[string]bool{"Workspace.May": true, "Workspace.MayIn": true, "Workspace.Roles": true, "Workspace.Record": true, "Workspace.Long": true, "Workspace.LongParts": true, "Workspace.Documents": true, "Workspace.Pictures": true, "Workspace.Follow": true, "Learner.Start": true, "Learner.Guess": true}

// oneRole is a store in which everybody has the same role in every project, with
// every image in one. All its other calls panic.
type oneRole struct {
	segment.Store
	role access.Role
}

func (o *oneRole) RoleIn(context.Context, string, string) (access.Role, error) { return o.role, nil }

func (o *oneRole) Image(_ context.Context, id string) (segment.Image, error) {
	return segment.Image{ID: id, ProjectID: "p"}, nil
}

// Every call that takes a context asks who calls before it does anything: on a
// workspace without a store, all that is not refused at once would panic.
func TestEveryCallAsks(t *testing.T) {
	store := new(oneRole)
	w := New(store, nil, nil)
	w.Guard()
	seen := map[string]bool{}
	hierarchy, graph := superpixels.Divide(image.NewNRGBA(image.Rect(0, 0, 8, 8)), 4)
	k := annotation.New(annotation.Config{Guard: w.guard, Image: segment.Image{Regions: 1}, Assistant: &assistant.Assistant{Hierarchy: hierarchy, Cells: graph}})
	for _, v := range []any{w, w.Learner(), k.Annotation()} {
		typ := reflect.TypeOf(v)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			name := typ.Elem().Name() + "." + m.Name
			if m.Type.NumIn() < 2 || m.Type.In(1) != reflect.TypeFor[context.Context]() || chores[name] {
				continue
			}
			seen[name] = true
			need, ok := needs[name]
			if !ok {
				t.Errorf("%s is not in the table: which role may call it?", name)
				continue
			}
			refused := func(ctx context.Context, who string) {
				if err := called(ctx, reflect.ValueOf(v).Method(i)); segment.KindOf(err) != segment.NotFound {
					t.Errorf("%s called by %s: %v", name, who, err)
				}
			}
			store.role = access.Owner
			refused(t.Context(), "no one")
			refused(access.With(t.Context(), access.Principal{Role: access.Nobody}), "nobody")
			for _, store.role = range append(access.ProjectRoles(), access.Nobody) {
				if !max(store.role, access.User).May(need) { // every user can enter
					refused(access.With(t.Context(), access.Principal{User: "u", Role: access.User}), store.role.String())
				}
			}
		}
	}
	for name := range needs {
		if !seen[name] {
			t.Errorf("the table has %s, which there is not", name)
		}
	}
}

// called calls a method with ctx and zero values and returns its error.
func called(ctx context.Context, method reflect.Value) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = segment.Errorf(segment.Invalid, "it went on: %v", v)
		}
	}()
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < method.Type().NumIn(); i++ {
		in = append(in, reflect.Zero(method.Type().In(i)))
	}
	call := method.Call
	if method.Type().IsVariadic() {
		call = method.CallSlice
	}
	out := call(in)
	if len(out) > 0 {
		err, _ = out[len(out)-1].Interface().(error)
	}
	return err
}
