#!/bin/sh
# Compares package superpixels with OpenCV and scikit-image on a folder of images.
#
#   cmd/internal/comparison/compare.sh IMAGES MASKS [REGIONS]
#
# IMAGES holds NAME.jpg, MASKS the human segmentations NAME_0.png, NAME_1.png …
# (label maps, as of the Berkeley Segmentation Dataset). Needs Debian's
# python3-opencv and python3-skimage. Everything runs on one core.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 IMAGES MASKS [REGIONS]" >&2; exit 2; }
images=$(realpath "$1") masks=$(realpath "$2") regions=${3:-600}
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOMAXPROCS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
(cd "$here" && go build -o "$work/labels" ./labels)
"$work/labels" -regions "$regions" -out "$work/collie" "$images"
/usr/bin/python3 "$here/compare.py" "$images" "$masks" "$regions" "$work/collie"
