package main

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// embedded returns a place whose server has the project Beach, where the given images have
// embeddings.
func embedded(t *testing.T, names ...string) *place {
	t.Helper()
	needPython(t, "numpy, PIL")
	p := serve(t)
	p.photographs("photos")
	p.do("", "collie", "create", "Beach")
	p.do("", "collie", "upload", "Beach", "photos")
	p.do("", "/usr/bin/python3", append([]string{"-c", `
import os, sys, numpy
os.mkdir("embeddings")
for name in sys.argv[1:]:
    numpy.savez("embeddings/" + name + ".npz", embeddings=numpy.arange(24, dtype=numpy.float32).reshape(3, 4, 2) ** 2)
`}, names...)...)
	p.do("", "collie", "import", "Beach", "embeddings")
	return p
}

// Embeddings and guesses are removed from all images that have them, or from some. Without
// embeddings images stay untouched; without a guess, which is not to come back, they don't.
func TestRemove(t *testing.T) {
	p := embedded(t, "beach0", "beach2")
	p.do("", "/usr/bin/python3", "-c", `
import numpy, PIL.Image
width, height = PIL.Image.open("photos/beach0.png").size
numpy.save("beach1.npy", numpy.full((height, width, 2), [.1, .9], numpy.float32))
`)
	p.do("", "collie", "import", "Beach", "beach1.npy")
	removes := func(want string, arguments ...string) {
		t.Helper()
		if out := p.do("", "collie", append([]string{"remove", "Beach"}, arguments...)...); !strings.Contains(out, want) {
			t.Errorf("%q: %s, want %q", arguments, out, want)
		}
	}
	removes("embeddings removed from 1 of 2 images, 0 failed", "embeddings", "beach0.png", "beach1.png")
	removes("\tbeach2.png\nembeddings removed from 1 of 3 images, 0 failed", "embeddings")
	removes("embeddings removed from 0 of 3 images, 0 failed", "embeddings")
	removes("\tbeach1.png\nguesses removed from 1 of 3 images, 0 failed", "guesses")
	if list := p.do("", "collie", "list", "Beach"); strings.Count(list, "untouched") != 2 {
		t.Errorf("the images are now: %s", list)
	}
	p.fails("must be one of", "remove", "Beach", "images")
	p.do("correct horse\n", "server", "users", "add", "cleo")
	p.do("", "server", "members", "set", "Beach", "cleo", "viewer")
	cleo := *p
	cleo.env = append(slices.Clone(p.env), "COLLIE_TOKEN="+strings.TrimSpace(p.do("", "server", "tokens", "create", "cleo", "test", "--scope", "annotate")))
	cleo.fails("beach0.png: ", "remove", "Beach", "embeddings")
	p.fails(`id or name "beach9.png"; nothing was changed`, "remove", "Beach", "embeddings", "beach9.png")
}

// An image that somebody moves to the trash during the command is named, and the others
// are done.
func TestRemoveMeanwhile(t *testing.T) {
	p := embedded(t, "beach0", "beach1", "beach2")
	to, err := url.Parse(strings.TrimSpace(p.do("", "/bin/sh", "-c", "echo $COLLIE_URL")))
	if err != nil {
		t.Fatal(err)
	}
	var first sync.Once
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		if r.In.Method != "POST" {
			return
		}
		first.Do(func() {
			out, err := p.try("", "/usr/bin/python3", "-c", `
import sys, collie
server = collie.Collie()
server.trash_images(server.projects()[0]["id"], sys.argv[1:])
`, path.Base(path.Dir(r.In.URL.Path)))
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}})
	t.Cleanup(front.Close)
	through := newPlace(t, append(p.env, "COLLIE_URL="+front.URL)...)
	out := through.do("", "collie", "remove", "Beach", "embeddings")
	if !strings.Contains(out, ".png: moved to the trash meanwhile\n") || !strings.Contains(out, "embeddings removed from 2 of 3 images, 0 failed") {
		t.Errorf("while an image goes to the trash: %s", out)
	}
}
