//go:build unix

// Command labels writes the superpixel maps of a folder of JPEG images as
// 16-bit grey PNGs and the milliseconds of processor time that each took (the
// best of three runs) as NAME.ms, for compare.sh.
package main

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"log"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"collie/superpixels"
)

func main() {
	log.SetFlags(0)
	regions := flag.Int("regions", 600, "number of regions, at most 65536")
	finest := flag.Int("finest", 2400, "regions of the finest level that is kept")
	out := flag.String("out", "", "folder for the results")
	flag.Parse()
	if flag.NArg() != 1 || *out == "" {
		log.Fatal("usage: labels -out FOLDER [-regions N] [-finest N] IMAGES")
	}
	if err := run(flag.Arg(0), *out, *regions, *finest); err != nil {
		log.Fatal("labels: ", err)
	}
}

func run(images, out string, regions, finest int) error {
	paths, err := filepath.Glob(filepath.Join(images, "*.jpg"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, path := range paths {
		img, err := load(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		var m *superpixels.Map
		best := time.Hour
		for range 3 {
			start := processor()
			m = superpixels.NewHierarchy(img, finest).At(regions)
			best = min(best, processor()-start)
		}
		name := filepath.Join(out, strings.TrimSuffix(filepath.Base(path), ".jpg"))
		if err := save(name+".png", m); err != nil {
			return err
		}
		if err := os.WriteFile(name+".ms", fmt.Appendf(nil, "%.3f\n", best.Seconds()*1000), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// processor returns the processor time that this process has used. Unlike the
// wall clock it means something on a busy machine.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only a bad argument can fail
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func load(path string) (*image.NRGBA, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := jpeg.Decode(f)
	if err != nil {
		return nil, err
	}
	img := image.NewNRGBA(image.Rect(0, 0, src.Bounds().Dx(), src.Bounds().Dy()))
	draw.Draw(img, img.Rect, src, src.Bounds().Min, draw.Src)
	return img, nil
}

func save(path string, m *superpixels.Map) error {
	img := image.NewGray16(image.Rect(0, 0, m.Width, m.Height))
	for p, l := range m.Labels {
		img.SetGray16(p%m.Width, p/m.Width, color.Gray16{Y: uint16(l)})
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := png.Encode(f, img); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
