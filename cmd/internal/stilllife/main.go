// Command stilllife renders Collie's sample image and its ground truth: a still
// life that looks like a photograph, made by a program, so that the repository
// holds no picture whose licence anyone must ask about.
//
//	go run ./cmd/internal/stilllife segment/sample
//
// writes photograph.png and mask.png into the folder segment/sample, from where
// the server takes the photograph.
//
// The scene is fruit, a bowl and a napkin on a wooden table by a window. Solids
// are signed distance functions met by sphere tracing; light is a window with
// soft shadows, ambient light with contact shadows and colour lent from
// neighbour to neighbour; wood, peel, glaze and linen are layered noise; a lens
// and a film give depth of field, a slight softness, vignetting and grain.
package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"

	"collie/segment/mask"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: stilllife FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "stilllife:", err)
		os.Exit(1)
	}
}

// run writes both files into a folder.
func run(folder string) error {
	files, err := files(render(), groundTruth())
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// files are the contents of the files by name: the photograph, and an 8-bit
// palette PNG whose pixels are indices of classes.
func files(picture image.Image, classes []uint8) (map[string][]byte, error) {
	var photograph, truth bytes.Buffer
	smallest := png.Encoder{CompressionLevel: png.BestCompression}
	if err := smallest.Encode(&photograph, picture); err != nil {
		return nil, err
	}
	if err := mask.WriteIndex(&truth, mask.Mask{Width: width, Height: height, Pixels: classes}); err != nil {
		return nil, err
	}
	return map[string][]byte{"photograph.png": photograph.Bytes(), "mask.png": truth.Bytes()}, nil
}
