"""Reads exports with the libraries that people use and compares every pixel.

    readers.py TRUTH FORMAT=FOLDER …

FOLDER is an unpacked export in that format. TRUTH is a JSON file: the classes with their
colours, and for each image its stem, width, height and labelling in base64, a
class index per pixel, 255 where undecided, and where objects are told apart that of each pixel, -1 for none. Prints a line for each export, which ends with ': same' or tells
the first difference.
"""

import base64
import io
import json
import os
import re
import sys
import xml.etree.ElementTree as ET

import cv2
import numpy as np
import PIL.Image
import PIL.ImageDraw
import skimage.draw
import skimage.io
import skimage.measure
import skimage.segmentation

VOID = 255


class Fail(Exception):
    pass


def same(what, stem, want, got):
    if got.shape != want.shape:
        raise Fail(f"{what} of {stem}: shape {got.shape}, want {want.shape}")
    if not np.array_equal(want, got):
        y, x = np.argwhere(want != got)[0][:2]
        raise Fail(f"{what} of {stem}: {np.count_nonzero(want != got)} differ, first at x={x} y={y}: {got[y, x]}, want {want[y, x]}")


def counts_of(text):
    """The run lengths in COCO's compressed form: groups of 5 bits, lowest first,
    bit 32 on all but the last of a number, which has a sign; from the fourth
    number on the difference to the one two before."""
    counts, value, shift = [], 0, 0
    for byte in text.encode():
        group = byte - 48
        value |= (group & 31) << shift
        shift += 5
        if group & 32:
            continue
        if group & 16:
            value -= 1 << shift
        counts.append(value + (counts[-2] if len(counts) > 2 else 0))
        value, shift = 0, 0
    return counts


def decode(h, w, segmentation):
    """A segmentation of COCO as pixels."""
    if isinstance(segmentation, dict):
        assert segmentation["size"] == [h, w], segmentation["size"]
        counts = counts_of(segmentation["counts"])
        assert sum(counts) == h * w and min(counts[1:], default=1) > 0, counts
        return np.repeat(np.arange(len(counts)) % 2 == 1, counts).reshape((h, w), order="F")
    merged = np.zeros((h, w), bool)
    for polygon in segmentation:
        assert len(polygon) >= 6 and len(polygon) % 2 == 0, polygon
        x, y = polygon[::2], polygon[1::2]
        # Sides of pixels lie between centres when these are whole numbers.
        merged[skimage.draw.polygon(np.array(y) - 0.5, np.array(x) - 0.5, (h, w))] = True
    return merged


class Export:
    def __init__(self, folder, truth):
        self.folder = folder
        with open(truth) as f:
            t = json.load(f)
        self.classes = t["classes"]
        self.images = {}
        self.objects = {}
        for im in t["images"]:
            pixels = np.frombuffer(base64.b64decode(im["pixels"]), np.uint8)
            self.images[im["stem"]] = pixels.reshape(im["height"], im["width"])
            if im["objects"]:
                self.objects[im["stem"]] = np.array(im["objects"]).reshape(im["height"], im["width"])

    def open(self, name):
        return PIL.Image.open(os.path.join(self.folder, name))

    def load(self, name):
        with open(os.path.join(self.folder, name)) as f:
            return json.load(f)

    def colours(self, mask):
        table = np.zeros((256, 3), np.uint8)
        for i, c in enumerate(self.classes):
            table[i] = [int(c["color"][k : k + 2], 16) for k in (1, 3, 5)]
        table[VOID] = (224, 224, 192)
        return table[mask]


def regions(e, stem):
    """Connected regions of equal class, 4-connectivity, and objects that are told apart,
    from 1; 0 where undecided."""
    mask, objects = e.images[stem], e.objects.get(stem)
    if objects is None:
        return skimage.measure.label(mask, connectivity=1, background=VOID)
    key = np.where(mask == VOID, -1, mask.astype(int) * 10_000 + objects + 1)
    parts = skimage.measure.label(key, connectivity=1, background=-1)
    for o in np.unique(objects[objects >= 0]):
        parts[objects == o] = parts[objects == o].min()
    return skimage.segmentation.relabel_sequential(parts)[0]


def same_partition(what, stem, want, got):
    """Two pictures fall into the same parts, however these are numbered."""
    pairs = np.unique(np.stack([want.ravel(), got.ravel()]), axis=1)
    if len(set(pairs[0])) != pairs.shape[1] or len(set(pairs[1])) != pairs.shape[1]:
        raise Fail(f"{what} of {stem}: the parts differ")


def read_index_png(e, name="masks/{}.png"):
    for stem, mask in e.images.items():
        with e.open(name.format(stem)) as im:
            if im.mode != "P" or "transparency" in im.info:
                raise Fail(f"{stem}: mode {im.mode}, {im.info}")
            same("indices", stem, mask, np.array(im))


def read_colour_png(e):
    for stem, mask in e.images.items():
        bgr = cv2.imread(os.path.join(e.folder, f"masks/{stem}.png"), cv2.IMREAD_UNCHANGED)
        same("colours", stem, e.colours(mask), bgr[:, :, ::-1])


def read_voc(e):
    read_index_png(e, "SegmentationClass/{}.png")
    with open(os.path.join(e.folder, "labelmap.txt")) as f:
        lines = [line.rstrip("\n") for line in f if not line.startswith("#")]
    table = np.zeros((256, 3), np.uint8)
    table[VOID] = (224, 224, 192)
    for i, line in enumerate(lines):
        name, colour, _, _ = line.rsplit(":", 3)
        if name != e.classes[i]["name"]:
            raise Fail(f"labelmap has {name}, want {e.classes[i]['name']}")
        table[i] = [int(v) for v in colour.split(",")]
    for stem, mask in e.images.items():
        with e.open(f"SegmentationClass/{stem}.png") as im:
            same("colours by labelmap", stem, table[mask], np.array(im.convert("RGB")))
        with e.open(f"SegmentationObject/{stem}.png") as im:
            objects = np.array(im)
        same("background of objects", stem, mask == 0, objects == 0)
        things = regions(e, stem)
        things[mask == 0] = 0
        if things.max(initial=0) <= 254:
            same("void of objects", stem, mask == VOID, objects == VOID)
            same_partition("objects", stem, np.where(mask == VOID, -1, things), np.where(objects == VOID, -1, objects.astype(int)))
    with open(os.path.join(e.folder, "ImageSets/Segmentation/default.txt")) as f:
        if [line.strip() for line in f] != list(e.images):
            raise Fail("default.txt does not list the images")


def read_coco(e):
    doc = e.load("annotations/instances_default.json")
    if [(c["id"], c["name"]) for c in doc["categories"]] != [(i + 1, c["name"]) for i, c in enumerate(e.classes)]:
        raise Fail(f"categories {doc['categories']}")
    ids = [a["id"] for a in doc["annotations"]]
    if ids != list(range(1, len(ids) + 1)):
        raise Fail("annotation ids are not 1, 2, …")
    for im, (stem, mask) in zip(doc["images"], e.images.items(), strict=True):
        h, w = mask.shape
        if (im["width"], im["height"]) != (w, h):
            raise Fail(f"{stem}: {im}")
        got = np.full((h, w), VOID, np.uint8)
        count = 0
        for a in (a for a in doc["annotations"] if a["image_id"] == im["id"]):
            count += 1
            m = decode(h, w, a["segmentation"])
            ys, xs = np.nonzero(m)
            box = [xs.min(), ys.min(), xs.max() - xs.min() + 1, ys.max() - ys.min() + 1]
            if a["iscrowd"] != 0 or a["area"] != m.sum() or a["bbox"] != box:
                raise Fail(f"{stem}: area {m.sum()}, box {box}, annotation {a}")
            if (got[m] != VOID).any():
                raise Fail(f"{stem}: annotation {a['id']} overlaps another")
            got[m] = a["category_id"] - 1
        same("masks", stem, mask, got)
        if count != regions(e, stem).max(initial=0):
            raise Fail(f"{stem}: {count} annotations")


def read_coco_panoptic(e):
    doc = e.load("annotations/panoptic_default.json")
    for a, (stem, mask) in zip(doc["annotations"], e.images.items(), strict=True):
        with e.open(f"annotations/panoptic_default/{a['file_name']}") as im:
            rgb = np.array(im).astype(int)
        ids = rgb[:, :, 0] + 256 * rgb[:, :, 1] + 65536 * rgb[:, :, 2]
        got = np.full(mask.shape, VOID, np.uint8)
        for s in a["segments_info"]:
            here = ids == s["id"]
            if here.sum() != s["area"]:
                raise Fail(f"{stem}: segment {s} has {here.sum()} pixels")
            got[here] = s["category_id"] - 1
        same("segments", stem, mask, got)
        want = regions(e, stem)
        want[mask == 0] = want.max(initial=0) + 1
        same_partition("segments", stem, want, ids)


def shape_to_mask(size, shape):
    """labelme.utils.shape_to_mask, for the two kinds of shapes."""
    points = [tuple(p) for p in shape["points"]]
    if shape["shape_type"] == "mask":
        mask = np.zeros(size, bool)
        (x1, y1), (x2, y2) = np.asarray(points).astype(int)
        crop = np.array(PIL.Image.open(io.BytesIO(base64.b64decode(shape["mask"])))).astype(bool)
        mask[y1 : y2 + 1, x1 : x2 + 1] = crop
        return mask
    picture = PIL.Image.fromarray(np.zeros(size, np.uint8))
    PIL.ImageDraw.Draw(picture).polygon(xy=points, outline=1, fill=1)
    return np.array(picture, dtype=bool)


def read_labelme(e):
    names = [c["name"] for c in e.classes]
    for stem, mask in e.images.items():
        doc = e.load(f"{stem}.json")
        if doc["imageData"] is not None or (doc["imageHeight"], doc["imageWidth"]) != mask.shape:
            raise Fail(f"{stem}: {doc['imageHeight']}×{doc['imageWidth']}")
        got = np.full(mask.shape, VOID, np.uint8)
        for shape in doc["shapes"]:
            m = shape_to_mask(mask.shape, shape)
            if (got[m] != VOID).any():
                raise Fail(f"{stem}: {shape['shape_type']} {shape['points']} overlaps another")
            got[m] = names.index(shape["label"])
        same("shapes", stem, mask, got)


def read_cvat(e):
    names = [c["name"] for c in e.classes]
    root = ET.parse(os.path.join(e.folder, "annotations.xml")).getroot()
    if [label.findtext("name") for label in root.iter("label")] != names:
        raise Fail("labels")
    for image, (stem, mask) in zip(root.iter("image"), e.images.items(), strict=True):
        h, w = int(image.get("height")), int(image.get("width"))
        got = np.full((h, w), VOID, np.uint8)
        for m in image.iter("mask"):
            runs = [int(v) for v in m.get("rle").split(",")]
            left, top, width, height = (int(m.get(k)) for k in ("left", "top", "width", "height"))
            flat = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
            crop = flat.reshape(height, width)
            view = got[top : top + height, left : left + width]
            if (view[crop] != VOID).any():
                raise Fail(f"{stem}: masks overlap")
            view[crop] = names.index(m.get("label"))
        same("masks", stem, mask, got)


def read_datumaro(e):
    doc = e.load("annotations/default.json")
    if [label["name"] for label in doc["categories"]["label"]["labels"]] != [c["name"] for c in e.classes]:
        raise Fail("labels")
    for item, (stem, mask) in zip(doc["items"], e.images.items(), strict=True):
        got = np.full(mask.shape, VOID, np.uint8)
        for a in item["annotations"]:
            got[decode(*mask.shape, a["rle"])] = a["label_id"]
        same("masks", stem, mask, got)


def read_cityscapes(e):
    for stem, mask in e.images.items():
        prefix = f"gtFine/default/{stem}_gtFine_"
        with e.open(prefix + "labelIds.png") as im:
            if im.mode != "L":
                raise Fail(f"{stem}: labelIds of mode {im.mode}")
            same("labelIds", stem, mask, np.array(im))
        with e.open(prefix + "color.png") as im:
            same("color", stem, e.colours(mask), np.array(im))
        ids = cv2.imread(os.path.join(e.folder, prefix + "instanceIds.png"), cv2.IMREAD_UNCHANGED)
        if ids.dtype != np.uint16:
            raise Fail(f"{stem}: instanceIds of {ids.dtype}")
        same("classes of instanceIds", stem, mask, np.where(ids < 1000, ids, ids // 1000).astype(np.uint8))
        want = regions(e, stem)
        want[mask == 0] = want.max(initial=0) + 1
        same_partition("instanceIds", stem, want, ids.astype(int))


def read_label_images(e):
    for stem, mask in e.images.items():
        path = os.path.join(e.folder, f"default/{stem}_masks.png")
        if not os.path.exists(path):
            if (mask != VOID).any():
                raise Fail(f"{stem} has no file")
            continue
        labels = skimage.io.imread(path)
        if labels.dtype != np.uint16:
            raise Fail(f"{stem}: {labels.dtype}")
        same_partition("labels", stem, regions(e, stem), labels.astype(int))
        if not np.array_equal(np.unique(labels[labels > 0]), np.arange(labels.max()) + 1):
            raise Fail(f"{stem}: the numbers have gaps")


def read_numpy(e):
    for stem, mask in e.images.items():
        labels = np.load(os.path.join(e.folder, stem, "labels.npz"), allow_pickle=False)["labels"]
        if labels.dtype != np.uint8:
            raise Fail(f"{stem}: {labels.dtype}")
        same("labels", stem, mask, labels)
        path = os.path.join(e.folder, stem, "probs.npz")
        if os.path.exists(path):
            z = np.load(path, allow_pickle=False)
            probs, ids = z["probs"], z["superpixels"]
            if probs.dtype != np.float16 or ids.dtype != np.uint32 or ids.shape != mask.shape:
                raise Fail(f"{stem}: {probs.dtype}, {ids.dtype}, {ids.shape}")
            if probs.shape != (ids.max() + 1, len(e.classes)) or abs(probs.sum(1) - 1).max() > 2e-3:
                raise Fail(f"{stem}: {probs.shape}, sums up to {probs.sum(1).max()}")


def read_yolo(e):
    with open(os.path.join(e.folder, "data.yaml")) as f:
        lines = f.readlines()
    if any(line.startswith("path:") for line in lines):
        raise Fail("data.yaml has a path, which Ultralytics takes from where it is started")
    names = [json.loads(line.split(":", 1)[1]) for line in lines if line.startswith("  ")]
    if names != [c["name"] for c in e.classes]:
        raise Fail(f"names {names}")
    for stem, mask in e.images.items():
        path = os.path.join(e.folder, f"labels/default/{stem}.txt")
        if not os.path.exists(path):
            if (mask != VOID).any():
                raise Fail(f"{stem} has no file")
            continue
        h, w = mask.shape
        got = np.zeros(mask.shape, np.uint8)
        grown = 0
        with open(path) as f:
            for line in f:
                values = line.split()
                points = np.array(values[1:], float).reshape(-1, 2)
                if len(points) < 3 or points.min() < 0 or points.max() > 1:
                    raise Fail(f"{stem}: {line}")
                xy = points * (w, h)
                # Sides of pixels lie between centres when these are whole numbers.
                rr, cc = skimage.draw.polygon(np.round(xy[:, 1]) - 0.5, np.round(xy[:, 0]) - 0.5, mask.shape)
                if (got[rr, cc] != 0).any():
                    raise Fail(f"{stem}: polygons overlap")
                got[rr, cc] = int(values[0])
                drawn = cv2.fillPoly(np.zeros(mask.shape, np.uint8), [xy.astype(np.int32)], 1)
                grown += int(drawn.sum()) - len(rr)
        same("polygons", stem, np.where(mask == VOID, 0, mask), got)
        report = next(im for im in e.load("manifest.json")["images"] if im["stem"] == stem)
        told = re.search(r"mark about (\d+) pixel", report["lossy"])
        # OpenCV's own rule for sides that meet differs by a few pixels.
        if abs(grown - int(told[1] if told else 0)) > 5 + grown // 10:
            raise Fail(f"{stem}: OpenCV marks {grown} pixels more, the report says {report['lossy']!r}")


def main():
    truth, *exports = sys.argv[1:]
    for export in exports:
        kind, folder = export.split("=", 1)
        try:
            globals()["read_" + kind.replace("-", "_")](Export(folder, truth))
            print(f"{kind}: same")
        except Fail as f:
            print(f"{kind}: {f}")


if __name__ == "__main__":
    main()
