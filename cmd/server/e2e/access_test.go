package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
)

// users runs the command users.
func users(data, stdin string, arguments ...string) (string, error) {
	return attempt(data, stdin, append([]string{"users"}, arguments...)...)
}

// attempt runs a subcommand, which can fail, on a data folder.
func attempt(data, stdin string, arguments ...string) (string, error) {
	cmd := exec.Command(binary, append(arguments, "--data", data)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A mistyped folder is no empty installation: only the first user makes one, and only
// when nothing speaks against the user.
func TestUsersOfNoFolder(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	for _, command := range []string{
		"users list", "users role ann admin", "users password ann", "users remove ann", "users link ann sub --issuer https://x.example", "users unlink sub --issuer https://x.example",
		"tokens create ann robot", "tokens list ann", "tokens revoke ann x",
	} {
		out, err := attempt(data, "correct horse\n", strings.Fields(command)...)
		if err == nil || !strings.Contains(out, "collie.db doesn't exist") {
			t.Errorf("%s: %v %s", command, err, out)
		}
		if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s has made the folder: %v", command, err)
		}
	}
	for _, refused := range []struct{ stdin, name, says string }{
		{"short\n", "ann", "shorter than 10"},
		{"", "ann", "standard input is empty"},
		{"correct.horse\n", "correct.horse", "must differ"},
		{"correct horse\n", "an ant", "A user name is"},
	} {
		out, err := users(data, refused.stdin, "add", refused.name)
		if err == nil || !strings.Contains(out, refused.says) {
			t.Errorf("users add %s: %v %s", refused.name, err, out)
		}
		if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("users add %s has made the folder: %v", refused.name, err)
		}
	}
	if out, err := users(data, "correct horse\n", "add", "ann"); err != nil {
		t.Errorf("%v %s", err, out)
	}
	if out, err := users(data, "", "list"); err != nil || !strings.Contains(out, "ann  user") {
		t.Errorf("%v %s", err, out)
	}
}

// From an empty folder to a team: the program says how to make the first user,
// and what is done on the command line counts while the server runs.
func TestTeam(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	out, err := exec.Command(binary, "--listen", "0.0.0.0:0", "--auth", "--data", data).CombinedOutput()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || !strings.Contains(string(out), "users add NAME --role admin --data "+data) {
		t.Fatalf("without users: %v %s", err, out)
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a server without users has made the folder: %v", err)
	}
	for _, c := range []struct {
		stdin, arguments, says string
		fails                  bool
	}{
		{"short\n", "add ann --role admin", "shorter than 10", true},
		{"\n", "add ann --role admin", "shorter than 10", true},
		{"", "add ann --role admin", "standard input is empty", true},
		{"correct horse\n", "add ann --role admin", "added ann as admin", false},
		{"correct horse", "add bob", "added bob as user", false},
		{"correct horse\n", "add ANN", "already", true},
		{"correct horse\n", "add eve --role root", "admin", true},
		{"", "role ann user", "only admin", true},
		{"", "remove ann", "only admin", true},
		{"", "remove nobody", "user doesn't exist", true},
		{"", "list", "ann  admin  since ", false},
	} {
		out, err := users(data, c.stdin, strings.Fields(c.arguments)...)
		if (err != nil) != c.fails || !strings.Contains(out, c.says) {
			t.Errorf("users %s: %v %s", c.arguments, err, out)
		}
	}

	p := start(t, data, "--listen", "0.0.0.0:0", "--auth", "--ping-interval", "100ms", "--pong-timeout", "20m") // conn sends no pongs
	browser := p.signIn("ann", "correct horse")
	made, err := browser.Post(p.url+"/api/v1/sample", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(made.Body)
	if err := errors.Join(err, made.Body.Close()); err != nil || made.StatusCode != 201 {
		t.Fatalf("%d %v %s", made.StatusCode, err, b)
	}
	id := string(b)[strings.LastIndex(string(b), `"id":"`)+6:][:26]
	conn := p.page(browser, id)
	p.membership(data, id)
	p.tokens(data)
	if out, err := users(data, "", "role", "bob", "admin"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if out, err := users(data, "another horse\n", "password", "ann"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	lines, err := exec.Command(binary, "audit", "--data", data).Output()
	var done []string
	for line := range bytes.Lines(lines) {
		var e struct{ Name, Action, Detail, Address string }
		err = errors.Join(err, json.Unmarshal(line, &e))
		if e.Action == "server.start" {
			e.Detail = ""
		}
		done = append(done, strings.Join([]string{e.Name, e.Action, e.Detail, strings.ReplaceAll(e.Address, "::1", "127.0.0.1")}, "|"))
	}
	want := []string{
		"owner|user.add|ann: admin|", "owner|user.add|bob: user|", "owner|server.start||", "ann|session.begin||127.0.0.1",
		"ann|project.create|Sample|127.0.0.1", "owner|member.set|bob: viewer|", "bob|session.begin||127.0.0.1", "owner|member.set|bob: annotator|",
		"owner|member.remove|bob|", "owner|token.create|bob: robot, read|", "owner|token.revoke|bob: robot, read|", "owner|user.role|bob: admin|", "owner|user.password|ann|",
	}
	if diff := cmp.Diff(want, done); diff != "" || err != nil {
		t.Errorf("the audit log (-want +got): %v\n%s", err, diff)
	}
	closes(t, conn, 4401)
	after, err := browser.Get(p.url + "/api/v1/projects")
	if err != nil {
		t.Fatal(err)
	}
	after.Body.Close()
	if after.StatusCode != 401 {
		t.Errorf("the session of the old password: %d", after.StatusCode)
	}
	if out, err := users(data, "", "remove", "ann"); err != nil {
		t.Errorf("%v %s", err, out)
	}
	p.stop()
	if log := p.stderr.String(); strings.Contains(log, "horse") || !strings.Contains(log, "unencrypted") {
		t.Errorf("the log has a password, or lacks a warning: %s", log)
	}
}

// signIn returns a client that has the session of a user.
func (p *process) signIn(name, password string) *http.Client {
	p.tb.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		p.tb.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	in, err := browser.PostForm(p.url+"/login", url.Values{"name": {name}, "password": {password}})
	if err != nil {
		p.tb.Fatal(err)
	}
	in.Body.Close()
	if in.StatusCode != 200 || in.Request.URL.Path != "/" {
		p.tb.Fatalf("signing in leads to %s: %d", in.Request.URL, in.StatusCode)
	}
	return browser
}

// page opens the websocket of an image.
func (p *process) page(browser *http.Client, image string) *websocket.Conn {
	p.tb.Helper()
	dialer := websocket.Dialer{Jar: browser.Jar}
	conn, resp, err := dialer.Dial("ws"+strings.TrimPrefix(p.url, "http")+"/api/v1/images/"+image+"/socket", nil)
	if err != nil {
		p.tb.Fatal(err)
	}
	resp.Body.Close()
	p.tb.Cleanup(func() { conn.Close() })
	conn.SetPingHandler(func(string) error { return nil }) // a pong after the server's goodbye would fail
	return conn
}

// closes checks how the server ends a websocket.
func closes(tb testing.TB, conn *websocket.Conn, code int) {
	tb.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		tb.Fatal(err)
	}
	if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, code) {
		tb.Errorf("the socket ended with %v, want %d", err, code)
	}
}

// membership adds bob to the project of an image on the command line, gives him
// another role and removes him; each counts at once, also for an open page.
func (p *process) membership(data, image string) {
	p.tb.Helper()
	do := func(arguments, says string, fails bool) {
		p.tb.Helper()
		if out, err := attempt(data, "", append([]string{"members"}, strings.Fields(arguments)...)...); (err != nil) != fails || !strings.Contains(out, says) {
			p.tb.Errorf("members %s: %v %s", arguments, err, out)
		}
	}
	do("list Sample", "", false)
	do("set Sample bob viewer", "bob is viewer of Sample", false)
	do("set Sample bob admin", "viewer", true)
	do("set Sample nobody viewer", "user doesn't exist", true)
	do("set Other bob viewer", `no project has the id or name "Other"; the server has "Sample"`, true)
	do("remove Sample ann", "member doesn't exist", true)

	browser := p.signIn("bob", "correct horse")
	click := func() int {
		p.tb.Helper()
		body := `{"id":"` + strings.Repeat("b", 26) + `","expected_seq":0,"kind":"label","superpixels":[0],"class":1}`
		resp, err := browser.Post(p.url+"/api/v1/images/"+image+"/evidence", "application/json", strings.NewReader(body))
		if err != nil {
			p.tb.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if got := click(); got != http.StatusNotFound {
		p.tb.Errorf("a viewer clicks: %d", got)
	}
	do("set Sample bob annotator", "bob is annotator of Sample", false)
	do("list Sample", "bob  annotator  since ", false)
	if got := click(); got != http.StatusOK {
		p.tb.Errorf("an annotator clicks: %d", got)
	}
	conn := p.page(browser, image)
	do("remove Sample bob", "", false)
	closes(p.tb, conn, 4404)
	if got := click(); got != http.StatusNotFound {
		p.tb.Errorf("a former member clicks: %d", got)
	}
}

// tokens creates an API token for bob on the command line and revokes it; both
// count at once.
func (p *process) tokens(data string) {
	p.tb.Helper()
	do := func(says string, fails bool, arguments ...string) string {
		p.tb.Helper()
		out, err := attempt(data, "", append([]string{"tokens"}, arguments...)...)
		if (err != nil) != fails || !strings.Contains(out, says) {
			p.tb.Errorf("tokens %s: %v %s", arguments, err, out)
		}
		return out
	}
	do("user doesn't exist", true, "create", "nobody", "robot")
	do("Only admins", true, "create", "bob", "prometheus", "--scope", "metrics")
	secret := strings.TrimSpace(do("collie_", false, "create", "bob", "robot"))
	asks := func() int {
		p.tb.Helper()
		r, err := http.NewRequest("GET", p.url+"/api/v1/projects", nil)
		if err != nil {
			p.tb.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+secret)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			p.tb.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if got := asks(); got != http.StatusOK {
		p.tb.Errorf("with the token: %d", got)
	}
	list := do("robot  read  used: "+time.Now().Format("2006"), false, "list", "bob")
	do("doesn't exist", true, "revoke", "bob", "nothing")
	do("", false, "revoke", "bob", strings.Fields(list)[0])
	if got := asks(); got != http.StatusUnauthorized {
		p.tb.Errorf("with the revoked token: %d", got)
	}
}

// Without a login the server can be opened to all only by saying so.
func TestInsecure(t *testing.T) {
	p := start(t, t.TempDir(), "--listen", "0.0.0.0:0", "--insecure")
	if !strings.HasPrefix(p.url, "http://127.0.0.1:") {
		t.Errorf("the address %s is not for people", p.url)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", p.url+"/api/v1/projects", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "collie.example"
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("under another name: %d", resp.StatusCode)
	}
	p.stop()
	if !strings.Contains(p.stderr.String(), "--insecure") {
		t.Errorf("the log lacks a warning: %s", p.stderr)
	}
}

// A header can have 16 KiB, plus a little for lines that Go counts separately.
func TestHeaderLimit(t *testing.T) {
	p := start(t, t.TempDir())
	for size, want := range map[int]int{15 << 10: 200, 24 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", p.url+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range size >> 10 {
			r.Header.Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1<<10-16))
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("a header of %d KiB: %d, want %d", size>>10, resp.StatusCode, want)
		}
	}
}

// 'users invite' adds who doesn't exist, takes who does, and prints links that work at a
// server that runs.
func TestInvitations(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	for _, c := range []struct{ arguments, says string }{
		{"invite ann", "--origin"},
		{"invite ann --origin collie.example", "not of the form https://HOST"},
		{"invite ann a/b --origin https://collie.example", `"a/b" can't be`},
		{"invite ann --role root --origin https://collie.example", "--role"},
	} {
		if out, err := users(data, "", strings.Fields(c.arguments)...); err == nil || !strings.Contains(out, c.says) {
			t.Errorf("users %s: %v %s", c.arguments, err, out)
		}
	}
	if out, err := users(data, "correct horse\n", "add", "bob"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	out, err := users(data, "", "invite", "ann", "bob", "--role", "admin", "--origin", "https://Collie.Example/")
	lines := regexp.MustCompile(`(?m)^(ann|bob)\thttps://collie\.example(/join\?with=\S+)$`).FindAllStringSubmatch(out, -1)
	if err != nil || len(lines) != 2 {
		t.Fatalf("%v %s", err, out)
	}
	if out, err := users(data, "", "list"); err != nil || !strings.Contains(out, "ann  admin") || !strings.Contains(out, "bob  user") {
		t.Errorf("%v %s", err, out)
	}
	p := start(t, data, "--auth", "--origin", "https://collie.example", "--listen", "127.0.0.1:0")
	for _, line := range lines {
		page, err := http.Get(p.url + line[2])
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(page.Body)
		page.Body.Close()
		if err != nil || page.StatusCode != 200 || !strings.Contains(string(b), "<strong>"+line[1]+"</strong>") {
			t.Errorf("the link of %s: %d %v", line[1], page.StatusCode, err)
		}
	}
	p.stop()
	if log := p.stderr.String(); strings.Contains(log, "join_") {
		t.Errorf("the log has the secret of an invitation: %s", log)
	}
}
