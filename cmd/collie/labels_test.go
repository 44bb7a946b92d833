package main

import (
	"strings"
	"testing"
)

// Label images that other programs have written, of cells that touch, come back from an
// export pixel by pixel, however they were stored.
func TestLabelImages(t *testing.T) {
	needPython(t, "numpy, PIL.Image, scipy.spatial, skimage.io, tifffile")
	p := serve(t)
	p.do("", "/usr/bin/python3", "-c", `
import os, numpy, PIL.Image, scipy.spatial, skimage.io, tifffile

random = numpy.random.default_rng(1)
side = 512
y, x = numpy.mgrid[:side, :side]
_, nearest = scipy.spatial.cKDTree(random.uniform(0, side, (200, 2))).query(numpy.stack([y, x], -1))
cells = numpy.where(numpy.minimum(numpy.minimum(x, y), side - 1 - numpy.maximum(x, y)) >= 6, nearest + 1, 0)
assert len(numpy.unique(cells)) == 201
numpy.save("cells.npy", cells)

os.makedirs("cells")
photo = numpy.clip(120 + 40 * numpy.sin(cells)[..., None] + random.normal(0, 9, (side, side, 3)), 0, 255).astype(numpy.uint8)
def write(name, labels, save):
    PIL.Image.fromarray(photo).save(f"cells/{name}.png")
    save(f"cells/{name}_masks" + (".png" if name.startswith("png") else ".tif"), labels)
def pillow(compression):
    return lambda name, labels: PIL.Image.fromarray(labels).save(name, compression=compression)
def tiff(**how):
    return lambda name, labels: tifffile.imwrite(name, labels, photometric="minisblack", **how)
plain = lambda name, labels: skimage.io.imsave(name, labels, check_contrast=False)

write("bytes", cells.astype(numpy.uint8), tiff())
write("bytes-lzw", cells.astype(numpy.uint8), pillow("tiff_lzw"))
write("shorts", cells.astype(numpy.uint16) * 300, plain)
write("shorts-deflate", cells.astype(numpy.uint16) * 300, tiff(compression="zlib", predictor=True))
write("shorts-tiled", cells.astype(numpy.uint16) * 300, tiff(tile=(64, 128)))
write("shorts-lzw", cells.astype(numpy.uint16) * 300, pillow("tiff_lzw"))
write("longs", cells.astype(numpy.uint32) * 70001, tiff(byteorder=">", rowsperstrip=7))
write("longs-tiled", cells.astype(numpy.uint32) * 70001, tiff(compression="zlib", tile=(128, 64)))
write("integers", cells.astype(numpy.int64), tiff())
write("floats", cells.astype(numpy.float32), tiff(compression="zlib"))
write("imagej", cells.astype(numpy.uint16), tiff(imagej=True))
write("png-bytes", cells.astype(numpy.uint8), plain)
write("png-shorts", cells.astype(numpy.uint16) * 300, plain)
`)
	p.do("", "collie", "create", "Cells", "--classes", "background,cell")
	if out := p.do("", "collie", "import", "Cells", "cells", "--numbers", "objects"); !strings.Contains(out, "13 imported, 0 failed") || !strings.Contains(out, "value objects is cell here") {
		t.Errorf("the import: %s", out)
	}
	p.do("", "collie", "export", "Cells", "labels.zip", "--format", "label-images")
	p.do("", "/usr/bin/python3", "-c", `
import zipfile, numpy, skimage.io

cells = numpy.load("cells.npy")
with zipfile.ZipFile("labels.zip") as archive:
    names = [name for name in archive.namelist() if name.endswith("_masks.png")]
    assert len(names) == 13, names
    for name in names:
        labels = skimage.io.imread(archive.open(name))
        assert labels.dtype == numpy.uint16, (name, labels.dtype)
        pairs = numpy.unique(numpy.stack([cells.ravel(), labels.ravel()]), axis=1)
        assert pairs.shape == (2, 201) and len(numpy.unique(pairs[1])) == 201 and list(pairs[:, 0]) == [0, 0], (name, pairs.shape)
`)
	p.do("", "collie", "create", "Kinds", "--classes", "background,cell,nucleus")
	p.do("", "collie", "upload", "Kinds", "cells/shorts.png")
	p.fails("could not be imported", "import", "Kinds", "cells/shorts_masks.tif", "--numbers", "objects")
	p.fails("could not be imported", "import", "Kinds", "cells/shorts_masks.tif")
	p.do("", "collie", "import", "Kinds", "cells/shorts_masks.tif", "--numbers", "objects", "--map", "objects=nucleus")

	// Masks of classes can be TIFFs; beside others these are photographs.
	p.do("", "/usr/bin/python3", "-c", `
import os, numpy, PIL.Image, tifffile
os.makedirs("classes"), os.makedirs("both")
classes = (numpy.load("cells.npy") % 3).astype(numpy.uint8)
tifffile.imwrite("classes/shorts.tif", classes)
tifffile.imwrite("both/shorts.tif", classes * 100)
PIL.Image.fromarray(classes).save("both/shorts.png")
`)
	for _, folder := range []string{"classes", "both"} {
		if out := p.do("", "collie", "import", "Kinds", folder); !strings.Contains(out, "1 imported, 0 failed") || !strings.Contains(out, "value 2 is nucleus here") {
			t.Errorf("classes in the folder %s: %s", folder, out)
		}
	}
}
