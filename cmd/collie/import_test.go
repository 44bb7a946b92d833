package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder of PASCAL VOC is one data set: its objects are not taken for classes, and its
// labelmap names the colours.
func TestImportOfAFolder(t *testing.T) {
	p := serve(t)
	p.photographs("photos")
	p.do("", "collie", "create", "Beach", "--classes", "background,rock,sand")
	p.do("", "collie", "upload", "Beach", "photos")
	p.do("", "/usr/bin/python3", "-c", `
import os, numpy, PIL.Image
width, height = PIL.Image.open("photos/beach0.png").size
classes = numpy.zeros((height, width, 3), numpy.uint8)
classes[4:12, 4:12] = [10, 20, 30]
objects = numpy.zeros((height, width), numpy.uint16)
objects[4:12, 4:8], objects[4:12, 8:12] = 1, 2
for folder, pixels in [("SegmentationClass", classes), ("SegmentationObject", objects)]:
    os.makedirs("voc/" + folder)
    PIL.Image.fromarray(pixels).save("voc/" + folder + "/beach0.png")
with open("voc/labelmap.txt", "w") as file:
    file.write("background:0,0,0::\nrock:10,20,30::\n")
`)
	if out := p.do("", "collie", "import", "Beach", "voc"); !strings.Contains(out, "1 imported, 0 failed") {
		t.Errorf("the import: %s", out)
	}
	p.fails("its values are objects", "import", "Beach", "voc/SegmentationObject")
	p.do("", "collie", "export", "Beach", "coco.zip", "--format", "coco")
	p.do("", "/usr/bin/python3", "-c", `
import json, zipfile
of = json.load(zipfile.ZipFile("coco.zip").open("annotations/instances_default.json"))["annotations"]
assert [(o["category_id"], o["area"]) for o in of] == [(2, 32), (2, 32)], of
`)
}

// Arrays and XML in a folder are scores and masks, but not beside files that are surely
// labels, where they belong to other programs.
func TestImportOfAFolderOfArrays(t *testing.T) {
	p := serve(t)
	p.photographs("photos")
	p.do("", "collie", "create", "Beach", "--classes", "background,rock,sand")
	p.do("", "collie", "upload", "Beach", "photos")
	p.do("", "/usr/bin/python3", "-c", `
import os, numpy, PIL.Image
width, height = PIL.Image.open("photos/beach0.png").size
for folder in ["arrays", "masks"]:
    os.mkdir(folder)
    numpy.save(folder + "/beach0_Probabilities.npy", numpy.full((height, width, 3), [.1, .8, .1], numpy.float32))
    with open(folder + "/cvat.xml", "w") as file:
        file.write('<annotations><image name="beach1.png"><box label="pier" xtl="0" ytl="0" xbr="9" ybr="9"/></image></annotations>')
    PIL.Image.new("L", (width, height)).save(folder + "/beach0.tif")
PIL.Image.fromarray(numpy.arange(height * width, dtype=numpy.uint8).reshape(height, width) % 2).save("masks/beach2.png")
`)
	if out := p.do("", "collie", "import", "Beach", "masks"); !strings.Contains(out, "1 imported, 0 failed") || strings.Contains(out, "was added") || !strings.Contains(out, "beach0.tif and 2 more; to import them") {
		t.Errorf("masks beside arrays: %s", out)
	}
	if out, err := p.try("", "collie", "import", "Beach", "masks", "--map", "0=background"); err == nil || strings.Contains(out, "here\n") {
		t.Errorf("an import of nothing says what values became: %v, %s", err, out)
	}
	if out := p.do("", "collie", "import", "Beach", "arrays"); !strings.Contains(out, "2 imported, 0 failed") || !strings.Contains(out, "class pier was added") || !strings.Contains(out, "columns of scores are background, rock, sand here") {
		t.Errorf("arrays and XML: %s", out)
	}
}

// Files of one name in several folders find the images of these folders.
func TestImportOfFolders(t *testing.T) {
	p := serve(t)
	p.do("", "collie", "create", "Beach", "--classes", "background,rock,sand")
	for _, camera := range []string{"one", "two"} {
		p.photographs(filepath.Join("photos", camera))
		file := filepath.Join(p.folder, "labels", camera, "beach0.json")
		text := `{"imagePath": "beach0.png", "imageWidth": 96, "imageHeight": 72, "shapes": [{"label": "rock", "shape_type": "rectangle", "points": [[0, 0], [9, 9]]}]}`
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.do("", "collie", "upload", "Beach", "photos")
	if out := p.do("", "collie", "import", "Beach", "labels"); !strings.Contains(out, "2 imported, 0 failed") {
		t.Errorf("labels of two cameras: %s", out)
	}
}

// A folder of YOLO is one data set: its data.yaml names the numbers of classes. So is one of CVAT.
func TestImportOfOutlines(t *testing.T) {
	p := serve(t)
	p.photographs("photos")
	p.do("", "collie", "create", "Beach", "--classes", "background,rock,sand")
	p.do("", "collie", "upload", "Beach", "photos")
	for name, text := range map[string]string{
		"yolo/data.yaml": "names: [rock]\n", "yolo/labels/beach0.txt": "0 0 0 0.5 0 0.5 1 0 1\n",
		"cvat/annotations.xml":   `<annotations><image name="beach1.png"><box label="rock" xtl="0" ytl="0" xbr="9" ybr="9"/></image></annotations>`,
		"nobody/annotations.xml": `<annotations><image name="beach1.png"></image></annotations>`,
	} {
		file := filepath.Join(p.folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"yolo", "cvat"} {
		if out := p.do("", "collie", "import", "Beach", folder); !strings.Contains(out, "1 imported, 0 failed") {
			t.Errorf("the import of %s: %s", folder, out)
		}
	}
	// An image in which nobody has drawn anything takes labels away, and is background all over.
	if out := p.do("", "collie", "import", "Beach", "nobody"); !strings.Contains(out, "beach1.png; replaces the labels that the image had; undo brings them back; no shapes, so all of it is outside every shape") {
		t.Errorf("the import of nothing: %s", out)
	}
}

// Scores of one name in several folders find the images of these folders.
func TestImportOfFoldersOfScores(t *testing.T) {
	p := serve(t)
	p.do("", "collie", "create", "Beach", "--classes", "background,rock,sand")
	for _, camera := range []string{"one", "two"} {
		p.photographs(filepath.Join("photos", camera))
	}
	p.do("", "collie", "upload", "Beach", "photos")
	p.do("", "/usr/bin/python3", "-c", `
import os, numpy
for camera in ["one", "two"]:
    os.makedirs("scores/" + camera)
    numpy.savez("scores/" + camera + "/beach0.npz", scores=numpy.full((72, 96, 3), [.1, .8, .1], numpy.float32))
`)
	if out := p.do("", "collie", "import", "Beach", "scores"); !strings.Contains(out, "2 imported, 0 failed") {
		t.Errorf("scores for two cameras: %s", out)
	}
}

// Whatever folder of a data set of Cityscapes is given, its masks have objects. Those of COCO
// panoptic are in the folder beside the JSON that says what they mean.
func TestImportOfMasksWithObjects(t *testing.T) {
	p := serve(t)
	p.photographs("photos")
	p.do("", "collie", "create", "Beach", "--classes", "background,rock")
	p.do("", "collie", "upload", "Beach", "photos")
	p.do("", "/usr/bin/python3", "-c", `
import json, os, numpy, PIL.Image
width, height = PIL.Image.open("photos/beach0.png").size
objects = numpy.full((height, width), 7, numpy.uint16)
objects[4:12, 4:8], objects[4:12, 8:12] = 26000, 26001
os.makedirs("gtFine/train/ulm"), os.makedirs("annotations/all")
for kind, pixels in [("labelIds", numpy.where(objects < 1000, objects, objects // 1000).astype(numpy.uint8)), ("instanceIds", objects)]:
    PIL.Image.fromarray(pixels).save("gtFine/train/ulm/beach0_gtFine_" + kind + ".png")
ids = numpy.where(objects == 7, 0, objects - 25999)
PIL.Image.fromarray(numpy.dstack([ids, 0 * ids, 0 * ids]).astype(numpy.uint8)).save("annotations/all/beach1.png")
segments = [{"id": i, "category_id": 1, "iscrowd": 0} for i in [1, 2]]
json.dump({"images": [{"id": 1, "file_name": "beach1.png", "width": width, "height": height}], "categories": [{"id": 1, "name": "rock", "isthing": 1}],
    "annotations": [{"image_id": 1, "file_name": "beach1.png", "segments_info": segments}]}, open("annotations/all.json", "w"))
`)
	for _, folder := range []string{"gtFine/train", "annotations"} {
		if out := p.do("", "collie", "import", "Beach", folder); !strings.Contains(out, "1 imported, 0 failed") {
			t.Errorf("the import of %s: %s", folder, out)
		}
	}
	p.do("", "collie", "export", "Beach", "coco.zip", "--format", "coco")
	p.do("", "/usr/bin/python3", "-c", `
import json, zipfile
of = json.load(zipfile.ZipFile("coco.zip").open("annotations/instances_default.json"))
names = {c["id"]: c["name"] for c in of["categories"]}
found = sorted((names[o["category_id"]], o["area"]) for o in of["annotations"] if names[o["category_id"]] in ("car", "rock"))
assert found == [("car", 32)] * 2 + [("rock", 32)] * 2, found
`)
}
