package export

import (
	"math/rand/v2"
	"strings"

	"collie/segment"
	"collie/segment/export/zipfile"
)

// Split divides the images of a project into sets for training, validation and
// testing.
type Split struct {
	By    string `json:"by,omitempty" doc:"share (default): by chance, in the given shares; name: by the words train, val, valid, validation and test in the image's name, which includes its folder in a zip file. Images without such a word are in train" schema:"enum=share|name"`
	Train *int   `json:"train,omitempty" doc:"per cent; without any share 80" schema:"min=0,max=100"`
	Val   *int   `json:"val,omitempty" doc:"per cent; without any share 20" schema:"min=0,max=100"`
	Test  *int   `json:"test,omitempty" doc:"per cent; without any share 0" schema:"min=0,max=100"`
	Seed  uint32 `json:"seed,omitempty" doc:"another seed gives another division; the same one divides the same images in the same way"`
}

// The sets. Without a split all images are in setAll.
const setAll = "default"

var setNames = [3]string{"train", "val", "test"}

// resolve returns the split with its defaults filled in.
func (s Split) resolve() (Split, error) {
	if s.By == "" {
		s.By = "share"
	}
	if s.By != "share" && s.By != "name" {
		return Split{}, segment.Errorf(segment.Invalid, "Images can be divided by \"share\" or by \"name\", not by %q.", s.By)
	}
	if s.By == "name" {
		return Split{By: s.By}, nil
	}
	if s.Train == nil && s.Val == nil && s.Test == nil {
		s.Train, s.Val = new(80), new(20)
	}
	sum := 0
	for _, share := range []**int{&s.Train, &s.Val, &s.Test} {
		if *share == nil {
			*share = new(0)
		}
		if **share < 0 || **share > 100 {
			return Split{}, segment.Errorf(segment.Invalid, "A share can be 0 to 100 %%, not %d %%.", **share)
		}
		sum += **share
	}
	if sum != 100 {
		return Split{}, segment.Errorf(segment.Invalid, "The shares of train, val and test add up to %d %%; they must add up to 100 %%.", sum)
	}
	return s, nil
}

// sets returns the set of each image of the whole project, so that an image is
// in the same set whatever is selected. s is resolved.
func (s *Split) sets(images []listed) []string {
	out := make([]string, len(images))
	switch {
	case s == nil:
		for i := range out {
			out[i] = setAll
		}
	case s.By == "name":
		for i, im := range images {
			out[i] = setNames[setInName(im.name)]
		}
	default:
		s.deal(out)
	}
	return out
}

// deal chooses a set for each image in turn: by chance, but with the more weight
// the further a set is behind its share. After any number of images each set is
// off its share by less than two images, and images added later don't
// move earlier ones.
func (s *Split) deal(out []string) {
	random := rand.New(rand.NewPCG(uint64(s.Seed), 0x636f6c6c6965))
	shares := [3]int{*s.Train, *s.Val, *s.Test}
	var count [3]int
	for i := range out {
		var behind [3]int // in hundredths of an image
		sum := 0
		for set, share := range shares {
			behind[set] = max(0, share*(i+1)-100*count[set])
			sum += behind[set]
		}
		at, set := random.IntN(sum), 0
		for at >= behind[set] {
			at -= behind[set]
			set++
		}
		count[set]++
		out[i] = setNames[set]
	}
}

// setInName is the place in setNames of the set that a name says; the first such
// word counts.
func setInName(name string) int {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return c < 'a' || c > 'z' })
	for _, word := range words {
		switch word {
		case "train", "training":
			return 0
		case "val", "valid", "validation":
			return 1
		case "test", "testing":
			return 2
		}
	}
	return 0
}

// setsIn returns the sets that the chosen images are in, in order.
func (j *job) setsIn() []string {
	var in []string
	for _, set := range append(setNames[:], setAll) {
		if len(j.members(set)) > 0 || set == setAll && len(j.chosen) == 0 {
			in = append(in, set)
		}
	}
	return in
}

// members returns the positions in the project of the chosen images of a set.
func (j *job) members(set string) []int {
	var in []int
	for _, number := range j.chosen {
		if j.sets[number] == set {
			in = append(in, number)
		}
	}
	return in
}

// lists are the sets as text files of stems, for formats that have no other
// place for them.
func (j *job) lists(dir string) []zipfile.Member {
	var files []zipfile.Member
	for _, set := range j.setsIn() {
		if set == setAll {
			continue
		}
		var b strings.Builder
		for _, number := range j.members(set) {
			b.WriteString(j.images[number].stem + "\n")
		}
		files = append(files, zipfile.Stored(dir+set+".txt", []byte(b.String())))
	}
	return files
}
