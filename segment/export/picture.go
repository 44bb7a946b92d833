package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"path"

	"collie/segment"
	"collie/segment/export/zipfile"
	"collie/segment/photo"
)

// inImages is where tools that read COCO, YOLO and others look for the picture.
func (s *subject) inImages() string { return "images/" + s.set() + "/" + s.stem + s.extension() }

// inOneFolder is the picture's name in formats that keep those of all sets in one folder.
func (s *subject) inOneFolder() string { return "images/" + s.stem + s.extension() }

// jpegQuality is the quality of pictures that must be re-encoded as JPEG.
const jpegQuality = 95

// longestJPEG is the largest width and height of a JPEG file.
const longestJPEG = 65535

// extension returns the exported picture's: JPEG files stay JPEG, all others
// become PNG.
func (s *subject) extension() string {
	if s.image.Format == "jpeg" {
		return ".jpg"
	}
	return ".png"
}

// fileName is the image's name in documents: its file in the archive or, without one, the
// name of the uploaded file with its folders, as other programs have it. If another image could
// be meant, also by readers that ignore case, it is the stem, with the ending of the uploaded
// file if possible.
func (s *subject) fileName() string {
	if s.pictureName != "" && *s.options.Pictures {
		return path.Base(s.pictureName)
	}
	whole, stem := segment.Folded(s.image.Name), segment.Folded(s.stem)
	if !s.names[whole] && (whole == stem || !s.stems.has(whole)) {
		return s.image.Name
	}
	name := s.stem + path.Ext(s.image.Name)
	shared, uploaded := s.names[segment.Folded(name)]
	if (shared || !uploaded) && (segment.Folded(name) == stem || !s.stems.has(segment.Folded(name))) {
		return name
	}
	return s.stem
}

// picture returns the image upright, at its original size, as people see it and without
// metadata: a JPEG file unchanged if possible, otherwise decoded, rotated and re-encoded.
// why says what was lost; the member is empty if there can be no picture.
func (s *subject) picture(ctx context.Context) (m zipfile.Member, why string, err error) {
	original, err := s.blob(ctx, s.image.OriginalKey())
	if err != nil {
		return zipfile.Member{}, "", err
	}
	asJPEG := path.Ext(s.pictureName) == ".jpg"
	if plain, ok := photo.PlainJPEG(original); ok && asJPEG {
		return zipfile.Stored(s.pictureName, plain), "", nil
	}
	if asJPEG && max(s.image.Width, s.image.Height) > longestJPEG {
		return zipfile.Member{}, "The picture is missing: a JPEG file can have up to 65,535 pixels a side.", nil
	}
	gate := photo.NewGate(photo.Limits{Bytes: s.image.Bytes, Pixels: s.image.Width * s.image.Height, Side: max(s.image.Width, s.image.Height)})
	deep := false
	p, err := gate.Read(ctx, bytes.NewReader(original), func(img image.Image) image.Image {
		deep = photo.Deep(img)
		return photo.Expose(img)
	})
	if refused := new(photo.Error); errors.As(err, &refused) { // the file was accepted, so it is not what it was
		err = segment.Errorf(segment.Damaged, "The original can't be decoded.").Because(err)
	}
	if err != nil {
		return zipfile.Member{}, "", err
	}
	defer p.Close()
	var b bytes.Buffer
	var lost []string
	if deep {
		lost = append(lost, "The picture has 8 bits per channel, the uploaded file has more.")
	}
	if asJPEG {
		// Opaque pixels are the same in premultiplied form, which the encoder
		// handles several times faster.
		rgba := &image.RGBA{Pix: p.Pixels.Pix, Stride: p.Pixels.Stride, Rect: p.Pixels.Rect}
		err = jpeg.Encode(&b, rgba, &jpeg.Options{Quality: jpegQuality})
		lost = append(lost, fmt.Sprintf("The picture was re-encoded as JPEG of quality %d.", jpegQuality))
	} else {
		err = png.Encode(&b, p.Pixels)
	}
	return zipfile.Stored(s.pictureName, b.Bytes()), sentences(lost), err
}
