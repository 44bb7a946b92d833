package photo

import (
	"bytes"
	"encoding/binary"
)

// exifMark precedes EXIF data in JPEG and, with some writers, in WebP.
var exifMark = []byte("Exif\x00\x00")

// orientation returns the EXIF orientation of a file, 1 to 8; 1, which changes
// nothing, if it is missing or unreadable. Linear in the file.
func orientation(f *format, file []byte) int {
	if f.exif == nil {
		return 1
	}
	return max(1, f.exif(file))
}

// jpegOrientation reads every APP1 segment before the pixels; XMP can come
// before EXIF.
func jpegOrientation(file []byte) int {
	const (
		app1 = 0xe1
		eoi  = 0xd9
		sos  = 0xda
	)
	for i := 2; i+4 <= len(file); {
		marker := file[i+1]
		switch {
		case file[i] != 0xff || marker == 0xff || marker == 0:
			i++ // garbage or fill bytes between segments; decoders skip them too
			continue
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd8:
			i += 2 // stands alone
			continue
		case marker == sos || marker == eoi:
			return 0
		}
		end := i + 2 + int(binary.BigEndian.Uint16(file[i+2:]))
		if end < i+4 || end > len(file) {
			return 0
		}
		if exif, ok := bytes.CutPrefix(file[i+4:end], exifMark); ok && marker == app1 {
			if o := tiffOrientation(exif); o > 0 {
				return o
			}
		}
		i = end
	}
	return 0
}

// pngOrientation looks for the eXIf chunk, before or after the pixels.
func pngOrientation(file []byte) int {
	const frame = 12 // length, type, checksum
	for i := 8; i+frame <= len(file); {
		length := int64(binary.BigEndian.Uint32(file[i:]))
		if length > int64(len(file)-i-frame) {
			return 0
		}
		if string(file[i+4:i+8]) == "eXIf" {
			return tiffOrientation(file[i+8 : i+8+int(length)])
		}
		i += frame + int(length)
	}
	return 0
}

// webpOrientation looks for the EXIF chunk of the RIFF container.
func webpOrientation(file []byte) int {
	for i := 12; i+8 <= len(file); {
		length := int64(binary.LittleEndian.Uint32(file[i+4:]))
		if length > int64(len(file)-i-8) {
			return 0
		}
		if string(file[i:i+4]) == "EXIF" {
			return tiffOrientation(bytes.TrimPrefix(file[i+8:i+8+int(length)], exifMark))
		}
		i += 8 + int(length+length&1)
	}
	return 0
}

// tiffOrientation reads the orientation from a TIFF structure, which is what
// EXIF data are.
func tiffOrientation(data []byte) int {
	d := firstDirectory(bytes.NewReader(data))
	if value, ok := d.value(orientationTag, 0); ok && value >= 1 && value <= 8 {
		return int(value)
	}
	return 0
}
