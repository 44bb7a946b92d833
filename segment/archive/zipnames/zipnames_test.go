package zipnames

import (
	"archive/zip"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// namesOf returns the names in an archive whose entries are named in an encoding.
func namesOf(t *testing.T, in encoding.Encoding, names ...string) []string {
	t.Helper()
	var entries []*zip.File
	for _, name := range names {
		name, err := in.NewEncoder().String(name)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, &zip.File{FileHeader: zip.FileHeader{Name: name}})
	}
	return Of(entries)
}

// Archives that Windows makes in East Asia, Russia and the West keep the names of their files.
func TestEncodings(t *testing.T) {
	dos, western, japan := charmap.CodePage866, charmap.CodePage437, japanese.ShiftJIS
	china, taiwan, korea := simplifiedchinese.GBK, traditionalchinese.Big5, korean.EUCKR
	for _, c := range []struct {
		in    encoding.Encoding
		names []string
	}{
		{japan, []string{"ファイル.png"}},
		{japan, []string{"写真.png"}},
		{japan, []string{"写真/ねこ.png", "写真/猫.png", "写真/IMG_0001.JPG"}},
		{japan, []string{"可能ソ表.png"}}, // bytes of a backslash
		{japan, []string{"データ１２－ラベル（済）.png", "①りんご.png"}},
		{japan, []string{"東京tower.png", "りんごの写真.png"}},
		{dos, []string{"Файл 2.png", "Файл 10.png"}},
		{dos, []string{"Фото/Ёлка №5.png", "Фото/IMG_1.png"}},
		{dos, []string{"привет.png"}},
		{dos, []string{"СНИМОК.PNG"}},
		{dos, []string{"Україна.png"}},
		{china, []string{"图片.png", "细胞.png"}}, // the first one is also valid UTF-8,
		{china, []string{"细胞分割.png"}},
		{china, []string{"新建文件夹/截图.png", "新建文件夹/苹果_1.png", "标注结果（一）.png"}},
		{china, []string{"微信图片_2024.jpg"}},
		{taiwan, []string{"圖片.png"}},
		{taiwan, []string{"新增資料夾/截圖.png", "新增資料夾/蘋果_1.png"}},
		{taiwan, []string{"實驗資料/第一組.png"}},
		{korea, []string{"사진.png"}},
		{korea, []string{"새 폴더/이미지.png", "새 폴더/파일 2.png"}},
		{korea, []string{"실험 결과/첫번째.png"}},
		{western, []string{"Köln/größe.png", "Köln/Öl.png", "Köln/für.png"}},
		{western, []string{"château_bâtiment.png", "été.png", "créée.png", "Noël ça où.png"}},
		{western, []string{"März.png"}},
		{western, []string{"über.png"}},
		{western, []string{"año_niño.png"}},
	} {
		if got := namesOf(t, c.in, c.names...); !slices.Equal(got, c.names) {
			t.Errorf("%v became %q, want %q", c.in, got, c.names)
		}
	}
}

// An extra field has the name that counts, unless it is damaged or belongs to another one.
func TestUnicodePath(t *testing.T) {
	field := func(of, name string) []byte {
		b := binary.LittleEndian.AppendUint16(nil, 0x7075)
		b = binary.LittleEndian.AppendUint16(b, uint16(5+len(name)))
		return append(binary.LittleEndian.AppendUint32(append(b, 1), crc32.ChecksumIEEE([]byte(of))), name...)
	}
	other := []byte{0x55, 0x54, 1, 0, 0}
	got := Of([]*zip.File{
		{FileHeader: zip.FileHeader{Name: "?1.png", Extra: append(slices.Clone(other), field("?1.png", "猫.png")...)}},
		{FileHeader: zip.FileHeader{Name: "?2.png", Extra: field("another.png", "犬.png")}},
		{FileHeader: zip.FileHeader{Name: "?3.png", Extra: field("?3.png", "\xff.png")}},
		{FileHeader: zip.FileHeader{Name: "?4.png", Extra: field("?4.png", "../4.png")}},
	})
	if diff := cmp.Diff([]string{"猫.png", "?2.png", "?3.png", "../4.png"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
