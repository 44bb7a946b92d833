package workspace

import (
	"context"
	"reflect"
	"testing"

	"collie/segment"
	"collie/segment/access"
)

// needs says what each call of a Workspace and of an Annotation asks for. Calls
// without a context are left out: they only tell of what Open has handed out.
var needs = map[string]access.Action{
	"Workspace.CreateProject":  access.Manage,
	"Workspace.AdoptProject":   access.Manage,
	"Workspace.Project":        access.Read,
	"Workspace.Projects":       access.Read,
	"Workspace.Overviews":      access.Read,
	"Workspace.EditProject":    access.Manage,
	"Workspace.ReplaceClasses": access.Manage,
	"Workspace.RestoreClass":   access.Manage,
	"Workspace.TrashProject":   access.Manage,
	"Workspace.TrashImage":     access.Manage,
	"Workspace.Trash":          access.Manage,
	"Workspace.Restore":        access.Manage,
	"Workspace.Sweep":          access.Manage,
	"Workspace.Orphans":        access.Manage,
	"Workspace.Image":          access.Read,
	"Workspace.Images":         access.Read,
	"Workspace.AddImage":       access.Annotate,
	"Workspace.Blob":           access.Read,
	"Workspace.Picture":        access.Read,
	"Workspace.Learning":       access.Read,
	"Workspace.Prelabel":       access.Annotate,
	"Workspace.Levels":         access.Read,
	"Workspace.Develop":        access.Read,
	"Workspace.Open":           access.Read,
	"Workspace.Visit":          access.Read,
	"Annotation.ImportMask":    access.Annotate,
	"Annotation.SetGuess":      access.Annotate,
	"Annotation.Append":        access.Annotate,
	"Annotation.Suppose":       access.Annotate,
	"Annotation.Events":        access.Read,
	"Annotation.History":       access.Read,
	"Annotation.PixelsAfter":   access.Read,
	"Workspace.RemoveOrphans":  access.Manage,
	"Workspace.Examine":        access.Manage,
}

// chores are the calls that the program makes for itself, never for a person,
// and Guess, which for somebody who can't annotate does nothing.
var chores = map[string]bool{"Workspace.May": true, "Workspace.Long": true, "Workspace.Documents": true, "Workspace.Pictures": true, "Workspace.StartLearning": true, "Workspace.Guess": true}

// Every call that takes a context asks who calls before it does anything: on a
// workspace without a store, all that is not refused at once would panic.
func TestEveryCallAsks(t *testing.T) {
	w := New(nil, nil, nil)
	w.Guard()
	seen := map[string]bool{}
	for _, v := range []any{w, &Annotation{guard: w.guard}} {
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
			contexts := []context.Context{t.Context()}
			for _, r := range append(access.Roles(), access.Nobody) {
				if !r.May(need) {
					contexts = append(contexts, access.With(t.Context(), access.Principal{Role: r}))
				}
			}
			for _, ctx := range contexts {
				p, _ := access.From(ctx)
				if err := called(ctx, reflect.ValueOf(v).Method(i)); segment.KindOf(err) != segment.NotFound {
					t.Errorf("%s called by %v: %v", name, p.Role, err)
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

// Without a guard the program may do everything; whoever is named is asked
// anyway.
func TestUnguarded(t *testing.T) {
	w := New(nil, nil, nil)
	if err := w.May(t.Context(), access.ManageUsers); err != nil {
		t.Error(err)
	}
	if err := w.May(access.With(t.Context(), access.Principal{Role: access.Viewer}), access.Annotate); segment.KindOf(err) != segment.NotFound {
		t.Errorf("a viewer may annotate: %v", err)
	}
}
