"""Superpixels of this package beside those of OpenCV and scikit-image.

usage: compare.py IMAGES MASKS REGIONS LABELS   (see compare.sh)

Metrics as in measure/metrics.go: undersegmentation error of Neubert and
Protzel, achievable segmentation accuracy, boundary recall within 0.0025 of the
diagonal; mean over the human segmentations of an image, then over the images.
Methods that don't meet the number of regions exactly are asked for it up to
eight times, by bisection of their own parameter, and the closest answer counts;
the time is the processor time of the best of three runs of that one call,
decoding excluded.
"""
import pathlib
import sys
import time

import cv2
import numpy as np
from scipy import ndimage
from skimage import color, filters, measure, segmentation

images, masks, regions, ours = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), pathlib.Path(sys.argv[4])
cv2.setNumThreads(1)


def boundary(s):
    on = np.zeros(s.shape, bool)
    d = s[:, 1:] != s[:, :-1]
    on[:, 1:] |= d
    on[:, :-1] |= d
    d = s[1:] != s[:-1]
    on[1:] |= d
    on[:-1] |= d
    return on


def metrics(s, truths):
    radius = int(np.floor(0.0025 * np.hypot(*s.shape) + 0.5))
    close = ndimage.binary_dilation(boundary(s), np.ones((2 * radius + 1,) * 2))
    rows = []
    for g in truths:
        table = np.zeros((s.max() + 1, g.max() + 1), np.int64)
        np.add.at(table, (s.ravel(), g.ravel()), 1)
        ue = np.minimum(table, table.sum(1, keepdims=True) - table).sum() / s.size
        rows.append((ue, table.max(1).sum() / s.size, close[boundary(g)].mean()))
    return np.mean(rows, 0)


def components(s):
    """Relabels so that every region is 4-connected."""
    return measure.label(s + 1, connectivity=1, background=0) - 1


def opencv_slic(algorithm):
    def run(rgb, size):
        lab = cv2.cvtColor(cv2.GaussianBlur(rgb, (3, 3), 0), cv2.COLOR_RGB2LAB)
        s = cv2.ximgproc.createSuperpixelSLIC(lab, algorithm, max(int(round(size)), 4), 10.0)
        s.iterate(10)
        s.enforceLabelConnectivity(25)
        return s.getLabels()
    return run


def opencv_lsc(rgb, size):
    lab = cv2.cvtColor(cv2.GaussianBlur(rgb, (3, 3), 0), cv2.COLOR_RGB2LAB)
    s = cv2.ximgproc.createSuperpixelLSC(lab, max(int(round(size)), 4), 0.075)
    s.iterate(10)
    s.enforceLabelConnectivity(20)
    return s.getLabels()


def opencv_seeds(rgb, count):
    hsv = cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV)
    s = cv2.ximgproc.createSuperpixelSEEDS(rgb.shape[1], rgb.shape[0], 3, max(int(round(count)), 2), 4, 2, 5)
    s.iterate(hsv, 10)
    return s.getLabels()


def watershed(rgb, count):
    return segmentation.watershed(filters.sobel(color.rgb2gray(rgb)), markers=int(round(count)), compactness=0.001)


side = lambda n, area: np.sqrt(area / n)
METHODS = {
    # name: (function of image and parameter, start, does a larger parameter mean more regions?)
    "OpenCV SLIC": (opencv_slic(cv2.ximgproc.SLIC), side, False),
    "OpenCV SLICO": (opencv_slic(cv2.ximgproc.SLICO), side, False),
    "OpenCV LSC": (opencv_lsc, side, False),
    "OpenCV SEEDS": (opencv_seeds, lambda n, area: n, True),
    "skimage SLIC": (lambda rgb, n: segmentation.slic(rgb, int(round(n)), start_label=0), lambda n, area: n, True),
    "skimage Felzenszwalb": (lambda rgb, k: segmentation.felzenszwalb(rgb, scale=k, min_size=60), lambda n, area: 200.0, False),
    "skimage watershed": (watershed, lambda n, area: n, True),
}


def closest(run, rgb, start, more):
    """Bisects the parameter on a logarithmic scale for the wanted number."""
    low, high, best = start / 8, start * 8, None
    value = start
    for _ in range(8):
        n = components(run(rgb, value)).max() + 1
        if best is None or abs(n - regions) < abs(best[0] - regions):
            best = n, value
        if n == regions:
            break
        if (n < regions) == more:
            low = value
        else:
            high = value
        value = np.sqrt(low * high)
    times = []
    for _ in range(3):
        begin = time.process_time()
        s = run(rgb, best[1])
        times.append(time.process_time() - begin)
    return s, min(times) * 1000


def main():
    names = sorted(p.stem for p in images.glob("*.jpg"))
    results = {}
    for name in names:
        rgb = cv2.cvtColor(cv2.imread(str(images / (name + ".jpg"))), cv2.COLOR_BGR2RGB)
        truths = [cv2.imread(str(p), cv2.IMREAD_UNCHANGED).astype(np.int64) for p in sorted(masks.glob(name + "_*.png"))]
        s = cv2.imread(str(ours / (name + ".png")), cv2.IMREAD_UNCHANGED)
        found = {"this package": (s.astype(np.int64), float((ours / (name + ".ms")).read_text()))}
        for method, (run, start, more) in METHODS.items():
            found[method] = closest(run, rgb, start(regions, rgb.shape[0] * rgb.shape[1]), more)
        for method, (s, ms) in found.items():
            s = components(s)
            results.setdefault(method, []).append((*metrics(s, truths), s.max() + 1, ms))
    print(f"{len(names)} images, {regions} regions wanted, one core; mean, and the median of the processor times\n")
    print("| method | UE | ASA | boundary recall | regions | ms |\n| --- | --- | --- | --- | --- | --- |")
    for method, rows in results.items():
        ue, asa, br, n, _ = np.mean(rows, 0)
        print(f"| {method} | {ue:.4f} | {asa:.4f} | {br:.3f} | {n:.0f} | {np.median([r[4] for r in rows]):.1f} |")


if __name__ == "__main__":
    main()
