package measure

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"collie/sharedtest"
	"collie/superpixels"
)

// readMask returns the values of a mask's pixels, row by row.
func readMask(tb testing.TB, path string) []int32 {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	src, err := png.Decode(f)
	if err != nil {
		tb.Fatal(path, ": ", err)
	}
	b := src.Bounds()
	out := make([]int32, 0, b.Dx()*b.Dy())
	for y := range b.Dy() {
		for x := range b.Dx() {
			switch mask := src.(type) {
			case *image.Gray16:
				out = append(out, int32(mask.Gray16At(x, y).Y))
			case *image.Paletted:
				out = append(out, int32(mask.ColorIndexAt(x, y)))
			default:
				tb.Fatalf("%s is a %T", path, src)
			}
		}
	}
	return out
}

// TestBSDS holds the quality at 600 regions whatever the finest level is.
func TestBSDS(t *testing.T) {
	dir := sharedtest.Path(t, "data/bsds")
	all := sharedtest.Names(t, dir)
	if testing.Short() || sharedtest.Race {
		all = all[:2]
	}
	for _, finest := range []int{600, 2400} {
		var ue, asa, br [2]float64 // of the even ranks, used for tuning, and the odd ones
		var count [2]float64
		for rank, name := range all {
			img := sharedtest.JPEG(t, filepath.Join(dir, "images", name+".jpg"))
			m := superpixels.NewHierarchy(img, finest).At(600)
			masks, err := filepath.Glob(filepath.Join(dir, "masks", name+"_*.png"))
			if err != nil || len(masks) == 0 {
				t.Fatalf("no masks of %s: %v", name, err)
			}
			half := rank % 2
			count[half]++
			for _, path := range masks {
				truth, n := readMask(t, path), float64(len(masks))
				ue[half] += Undersegmentation(m.Labels, truth, m.Width) / n
				asa[half] += ASA(m.Labels, truth, m.Width) / n
				br[half] += BoundaryRecall(m.Labels, truth, m.Width, 0.0025) / n
			}
		}
		for half, set := range []string{"tuning half", "held-out half"} {
			t.Logf("finest %d, %s: UE %.4f ASA %.4f BR %.3f", finest, set, ue[half]/count[half], asa[half]/count[half], br[half]/count[half])
		}
		n := count[0] + count[1]
		u, a, b := (ue[0]+ue[1])/n, (asa[0]+asa[1])/n, (br[0]+br[1])/n
		t.Logf("finest %d, all %.0f images: UE %.4f ASA %.4f BR %.3f", finest, n, u, a, b)
		if len(all) == 100 && (u > 0.0583 || a < 0.9705 || b < 0.875) {
			t.Errorf("finest %d: UE %.4f ASA %.4f BR %.4f, want at most .0583, at least .9705 and .875", finest, u, a, b)
		}
	}
}

// TestVOC holds the best mean class IoU that a labelling of 600 regions can
// reach: every region takes its most frequent class, void pixels don't count.
func TestVOC(t *testing.T) {
	dir := sharedtest.Path(t, "data/voc")
	all := sharedtest.Names(t, dir)
	if testing.Short() || sharedtest.Race {
		all = all[:3]
	}
	var inter, union [255]float64
	for _, name := range all {
		img := sharedtest.JPEG(t, filepath.Join(dir, "images", name+".jpg"))
		truth := readMask(t, filepath.Join(dir, "masks", name+".png"))
		m := superpixels.NewHierarchy(img, 600).At(600)
		tally := make([][256]float64, m.N)
		for p, l := range m.Labels {
			tally[l][truth[p]]++
		}
		for _, counts := range tally {
			best := 0
			for class, n := range counts[:255] {
				if n > counts[best] {
					best = class
				}
			}
			inter[best] += counts[best]
			for class, n := range counts[:255] {
				union[class] += n
				if class != best {
					union[best] += n
				}
			}
		}
	}
	sum, classes := 0.0, 0.0
	for class, u := range union {
		if u > 0 {
			sum += inter[class] / u
			classes++
		}
	}
	bound := sum / classes
	t.Logf("%d images: mean class IoU %.4f", len(all), bound)
	if len(all) == 300 && bound < 0.982 {
		t.Errorf("mean class IoU %.4f, want at least .982", bound)
	}
}

// TestOneColour asks for compact regions of about equal size where an image
// gives no hint.
func TestOneColour(t *testing.T) {
	for _, c := range []struct{ width, height, n int }{{481, 321, 600}, {481, 321, 2400}, {200, 200, 150}, {1500, 1000, 900}, {64, 64, 1000}} {
		img := image.NewNRGBA(image.Rect(0, 0, c.width, c.height))
		for i := range img.Pix {
			img.Pix[i] = 200
		}
		m := superpixels.NewHierarchy(img, c.n).At(c.n)
		largest := 0
		for _, r := range superpixels.Describe(img, m).Regions {
			largest = max(largest, int(r.Area))
		}
		mean := float64(c.width*c.height) / float64(c.n)
		compact := Compactness(m.Labels, c.width)
		t.Logf("%v: largest %.2f × the mean, compactness %.2f", c, float64(largest)/mean, compact)
		if float64(largest) > 3*mean || compact < 0.4 {
			t.Errorf("%v: largest region %.2f times the mean, compactness %.2f; want at most 3 and at least .40", c, float64(largest)/mean, compact)
		}
	}
}
