package templates

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
)

const hostile = `"><script>alert(1)</script>`

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func pages() map[string]templ.Component {
	classes := []Class{{0, 0, "background", "#5b6b7f"}, {1, 1, hostile, "#f2a541"}}
	im := ImageCard{
		ID: "im1", Name: hostile, Status: "started", Width: 640, Height: 480,
		Decided: 0.231, Thumbnail: "/api/v1/images/im1/thumbnail",
	}
	return map[string]templ.Component{
		"start":       Start(StartView{Projects: []ProjectCard{{ID: "p1", Name: hostile, Images: 3, Done: 1, Cover: "/c", Colors: []string{"#112233"}}}}),
		"start/empty": Start(StartView{}),
		"project":     Project(ProjectView{ID: "p1", Name: hostile, Classes: classes, Images: 1}),
		"annotate": Annotate(AnnotateView{
			Image: im, ProjectID: "p1", ProjectName: hostile, Classes: classes, Next: "im2", Position: 1, Total: 2, Regions: 600,
			DisplayURL: "/api/v1/images/im1/display", SuperpixelsURL: "/api/v1/images/im1/superpixels.bin", SocketPath: "/api/v1/images/im1/socket",
		}),
		"trash": Trash(TrashView{Days: 30, Items: []TrashRow{
			{Kind: "project", ID: "p1", Name: hostile, Images: 2, Days: 29}, {Kind: "image", ID: "im1", Name: hostile, Project: hostile},
		}}),
		"trash/empty": Trash(TrashView{Days: 30}),
		"problem":     Problem(ProblemView{Status: 404, Title: "No such page", Detail: hostile}),
	}
}

// Every page must have its landmarks, escape what people typed, and need no
// more than script-src and style-src 'self'.
func TestPages(t *testing.T) {
	inlineStyle := regexp.MustCompile(`<style|\sstyle=|\son[a-z]+=`)
	inlineScript := regexp.MustCompile(`<script[^>]*>[^<]`)
	for name, c := range pages() {
		t.Run(name, func(t *testing.T) {
			page := render(t, c)
			for _, want := range []string{"<!doctype html>", `<html lang="en"`, "<main id=\"main\"", "<header", "<h1", `class="skip"`, `id="toasts"`, `type="module"`} {
				if n := strings.Count(page, want); n < 1 {
					t.Errorf("%s is missing", want)
				}
			}
			if n := strings.Count(page, "<h1"); n != 1 {
				t.Errorf("%d first-level headings, want 1", n)
			}
			if strings.Contains(page, "<script>alert") {
				t.Error("a name was not escaped")
			}
			if m := inlineStyle.FindString(page); m != "" {
				t.Errorf("inline style or handler %q, which the Content Security Policy blocks", m)
			}
			if m := inlineScript.FindString(page); m != "" {
				t.Errorf("inline script %q, which the Content Security Policy blocks", m)
			}
		})
	}
}

// Fields for text and comments begin where their language does. User names are in
// Latin letters.
func TestDirection(t *testing.T) {
	written := regexp.MustCompile(`<(?:input[^>]* type="(?:text|search)"|textarea|span id="review-comment")[^>]*>`)
	for name, c := range pages() {
		for _, field := range written.FindAllString(render(t, c), -1) {
			if !strings.Contains(field, `dir="auto"`) && !strings.Contains(field, `id="members-name"`) {
				t.Errorf("%s: %s has no direction", name, field)
			}
		}
	}
}

// An id that appears twice or is referred to and absent breaks labels, icons and
// the modules that look elements up.
func TestIdentifiers(t *testing.T) {
	ids := regexp.MustCompile(`\sid="([^"]+)"`)
	refs := regexp.MustCompile(`\s(?:for|aria-labelledby|aria-describedby|aria-controls|href)="(?:#)?([a-z][a-z0-9-]*)"`)
	for name, c := range pages() {
		t.Run(name, func(t *testing.T) {
			page := render(t, c)
			seen := map[string]bool{}
			for _, m := range ids.FindAllStringSubmatch(page, -1) {
				if seen[m[1]] {
					t.Errorf("id %q appears twice", m[1])
				}
				seen[m[1]] = true
			}
			for _, m := range refs.FindAllStringSubmatch(page, -1) {
				if !seen[m[1]] {
					t.Errorf("%q refers to nothing", m[0])
				}
			}
		})
	}
}

// The annotation page hands its data to the modules in attributes.
func TestAnnotateData(t *testing.T) {
	page := render(t, pages()["annotate"])
	for _, want := range []string{
		`data-image="im1"`, `data-width="640"`, `data-height="480"`, `data-regions="600"`, `data-project="p1"`,
		`data-display="/api/v1/images/im1/display"`, `data-superpixels="/api/v1/images/im1/superpixels.bin"`,
		`data-socket="/api/v1/images/im1/socket"`, `data-next="im2"`, `data-previous=""`,
		`data-index="1"`, `data-color="#f2a541"`, `href="/images/im2"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(page, `href="/images/"`) {
		t.Error("a link to a neighbour that does not exist")
	}
}

// The drawings must be well-formed.
func TestDrawings(t *testing.T) {
	for name, c := range map[string]templ.Component{"mark": mark(), "sprite": sprite()} {
		d := xml.NewDecoder(strings.NewReader(render(t, c)))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// The frame of a page says who looks at it and offers what they may do.
func TestPerson(t *testing.T) {
	for name, c := range map[string]struct {
		person    Person
		has, lack []string
	}{
		"no login": {Person{MayAnnotate: true, MayManage: true}, nil, []string{"Sign out", `href="/users"`, "View only"}},
		"viewer":   {Person{Name: hostile, Role: "viewer"}, []string{"Sign out", "View only", "&lt;script&gt;alert"}, []string{`href="/users"`, "<script>alert", "With the tool T", "Less … more"}},
		"reviewer": {Person{Name: "rev", Role: "reviewer", MayReview: true}, []string{"Review only"}, []string{"View only"}},
		"admin":    {Person{Name: "ann", Role: "admin", MayAnnotate: true, MayManage: true, MayManageUsers: true}, []string{"Sign out", `href="/users"`, ">ann</span>", "With the tool T"}, []string{"View only"}},
	} {
		var b strings.Builder
		for _, page := range []string{"start", "annotate"} {
			if err := pages()[page].Render(With(context.Background(), c.person), &b); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range c.has {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %q is missing", name, want)
			}
		}
		for _, not := range c.lack {
			if strings.Contains(b.String(), not) {
				t.Errorf("%s: there is %q", name, not)
			}
		}
	}
	// What a role may not do is not offered.
	hero := regexp.MustCompile(`<section class="hero"[^>]* hidden`)
	for person, hidden := range map[Person]bool{{MayCreate: true}: false, {MayManage: true}: true} {
		var b strings.Builder
		if err := Start(StartView{}).Render(With(context.Background(), person), &b); err != nil {
			t.Fatal(err)
		}
		if hero.MatchString(b.String()) != hidden {
			t.Errorf("%+v: the place for new projects is hidden: %v", person, !hidden)
		}
	}
	edit := regexp.MustCompile(`id="edit-classes"[^>]* hidden`)
	for person, hidden := range map[Person]bool{{MayAnnotate: true, MayManage: true}: false, {MayAnnotate: true}: true} {
		var b strings.Builder
		if err := pages()["project"].Render(With(context.Background(), person), &b); err != nil {
			t.Fatal(err)
		}
		if edit.MatchString(b.String()) != hidden {
			t.Errorf("%+v: the button for the classes is hidden: %v", person, !hidden)
		}
	}
}

// The start page offers to find projects once there are more than a few.
func TestProjectFilter(t *testing.T) {
	for _, projects := range []int{fewProjects, fewProjects + 1} {
		page := render(t, Start(StartView{Projects: make([]ProjectCard, projects)}))
		if got, want := strings.Contains(page, `id="find-project"`), projects > fewProjects; got != want {
			t.Errorf("%d projects: a field to find them is %t, want %t", projects, got, want)
		}
	}
}

// Lists of roles show their names, which phones have room for; what the roles may do is
// said beside them.
// Who follows an invitation can type at once, unless the page has to say first what was
// wrong.
func TestJoin(t *testing.T) {
	field := regexp.MustCompile(`<input[^>]*name="password"[^>]*>`)
	for problem, want := range map[string]bool{"": true, "The password is too short.": false} {
		if got := strings.Contains(field.FindString(render(t, Join(JoinView{Name: "ann", Problem: problem}))), "autofocus"); got != want {
			t.Errorf("problem %q: the field has the focus: %t", problem, got)
		}
	}
}

// No single click removes a user, who can't be restored.
func TestRemovingUsers(t *testing.T) {
	page := render(t, Users(UsersView{Roles: []string{"user", "admin"}, Users: []UserRow{{ID: "u", Name: "ann", Role: "user"}}}))
	form := regexp.MustCompile(`(?s)<form method="post" action="/users/u/remove">.*?</form>`).FindString(page)
	if !regexp.MustCompile(`<input type="checkbox"[^>]* required`).MatchString(form) {
		t.Errorf("the form does not ask: %s", form)
	}
}

// The sign-in page says what to do about a forgotten password.
func TestForgottenPassword(t *testing.T) {
	if page := render(t, Login(LoginView{})); !strings.Contains(page, "Ask an admin for a link") {
		t.Error("the page doesn't say what to do")
	}
}

func TestRoles(t *testing.T) {
	for name, c := range map[string]templ.Component{"members": membersDialog(nil), "users": Users(UsersView{Roles: []string{"user", "admin"}})} {
		page := render(t, c)
		options := regexp.MustCompile(`<option value="([a-z]+)"[^>]*>([^<]*)</option>`).FindAllStringSubmatch(page, -1)
		for _, o := range options {
			if !strings.EqualFold(o[1], o[2]) || !strings.Contains(page, "<li>"+roleText(o[1])+"</li>") {
				t.Errorf("%s: the role %s is offered as %q", name, o[1], o[2])
			}
		}
		if len(options) < 2 {
			t.Errorf("%s offers %d roles", name, len(options))
		}
	}
}
