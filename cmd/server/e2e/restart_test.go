package e2e

import (
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/storage/storagetest"

	_ "modernc.org/sqlite" // the database driver
)

// TestRestart starts a server with very many stored events and clicks: the first
// answer must not take longer because of them. The time is logged for people; what
// fails the test is how long the server computes.
func TestRestart(t *testing.T) {
	t.Parallel()
	const each = 1000 // events per image
	images := storagetest.Rounds(10, 1000)
	data := t.TempDir()
	p := start(t, data)
	tr := newTraffic(t, p.url, 1)
	first := tr.workers[0]
	if err := first.click(t.Context(), p.url); err != nil {
		t.Fatal(err)
	}
	p.stop()
	multiply(t, filepath.Join(data, "collie.db"), images, each)

	began := time.Now()
	p = start(t, data)
	ready := time.Since(began)
	first.seq = each
	if err := first.click(t.Context(), p.url); err != nil {
		t.Fatal(err)
	}
	took, computed := time.Since(began), processorTime(t, p.cmd.Process.Pid)
	t.Logf("%d events of %d images: ready after %v, first click answered after %v, %v of the processor", images*each, images, ready.Round(time.Millisecond), took.Round(time.Millisecond), computed)
	if computed > 5*time.Second {
		t.Error("that is far more than the 2 s it should take")
	}
	if first.seq != each+1 {
		t.Errorf("the click became event %d", first.seq)
	}
	var list []struct{ Seq int }
	if _, err := send(t.Context(), http.MethodGet, p.url+"/api/v1/projects/"+tr.project+"/images", "", nil, &list); err != nil || len(list) != images || list[images-1].Seq != each {
		t.Errorf("%d images, %v", len(list), err)
	}
	p.stop()
}

// multiply copies the one image in a database, and its one event, until the
// database has the given numbers of images and of events each. The copies have no
// files.
func multiply(tb testing.TB, path string, images, each int) {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	copies := func(table, from string, with map[string]string) string {
		rows, err := db.QueryContext(tb.Context(), "SELECT name FROM pragma_table_info(?)", table)
		if err != nil {
			tb.Fatal(err)
		}
		defer rows.Close()
		var names, values []string
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				tb.Fatal(err)
			}
			value, ok := with[name]
			if !ok {
				value = table + "." + name
			}
			names, values = append(names, name), append(values, value)
		}
		return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", table, strings.Join(names, ", "), strings.Join(values, ", "), from)
	}
	count := func(n int) string {
		return fmt.Sprintf("(WITH RECURSIVE c(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM c WHERE i < %d) SELECT i FROM c) AS c", n)
	}
	for _, statement := range []string{
		"BEGIN",
		fmt.Sprintf("UPDATE image SET seq = %d", each),
		copies("event", "event, "+count(each), map[string]string{"number": "NULL", "seq": "c.i", "id": "'copy ' || c.i"}),
		copies("image", "image, "+count(images), map[string]string{"number": "NULL", "id": "lower(hex(randomblob(13)))"}),
		copies("event", "event, image AS other WHERE event.image = (SELECT min(number) FROM image) AND other.number <> event.image",
			map[string]string{"number": "NULL", "image": "other.number"}),
		"COMMIT",
	} {
		if _, err := db.ExecContext(tb.Context(), statement); err != nil {
			tb.Fatalf("%s: %v", statement, err)
		}
	}
}
