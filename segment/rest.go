package segment

import (
	"fmt"
	"slices"
	"strconv"
)

// Rest says what a project's images are where nobody clicks. It leans in from
// the image's border and gives way to clicks. The zero value is RestNothing: the
// classes with evidence, be it clicks, boxes or scores, share the whole image.
type Rest struct {
	Mode  RestMode
	Class uint8 // id, with RestClass only
}

// RestMode is the kind of a Rest.
type RestMode uint8

const (
	RestNothing   RestMode = iota // every class gets evidence
	RestClass                     // a class of the project
	RestUndecided                 // no class: hypotheses say Void there
	RestFirst                     // Void while one class has evidence, nothing from two classes on
)

// restNames are the text forms of the modes that have no class.
var restNames = map[RestMode]string{RestNothing: "nothing", RestUndecided: "undecided", RestFirst: "undecided-first"}

// String is "nothing", "undecided", "undecided-first", or the id of a class.
func (r Rest) String() string {
	if r.Mode == RestClass {
		return strconv.Itoa(int(r.Class))
	}
	return restNames[r.Mode]
}

// MarshalText returns String.
func (r Rest) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what String writes.
func (r *Rest) UnmarshalText(text []byte) error {
	for mode, name := range restNames {
		if string(text) == name {
			*r = Rest{Mode: mode}
			return nil
		}
	}
	id, err := strconv.ParseUint(string(text), 10, 8)
	if err != nil || id == Void {
		return fmt.Errorf("%q is not a class id, \"nothing\", \"undecided\" or \"undecided-first\"", text)
	}
	*r = Rest{RestClass, uint8(id)}
	return nil
}

// backgrounds are folded names of classes that mean what nobody clicks.
var backgrounds = []string{
	"background", "bg", "other", "rest", "unlabelled", "unlabeled",
	"hintergrund", "fond", "arrière-plan", "fondo", "sfondo", "fundo", "фон", "тло", "خلفية", "الخلفية", "רקע", "背景", "배경",
}

// DefaultRest is the rest of a new project: its first class while that is called
// background or similar. A list such as sky, road, tree must not fill every
// image with sky, so there it is RestFirst.
func DefaultRest(classes []Class) Rest {
	if len(classes) > 0 && slices.Contains(backgrounds, Folded(classes[0].Name)) {
		return Rest{RestClass, classes[0].ID}
	}
	return Rest{Mode: RestFirst}
}

// PresentRest is the project's Rest with a deleted class replaced by the one in
// its place, or by RestUndecided.
func (p *Project) PresentRest() Rest {
	if p.Rest.Mode != RestClass {
		return p.Rest
	}
	if id := p.Resolve()[p.Rest.Class]; id != Void {
		return Rest{RestClass, id}
	}
	return Rest{Mode: RestUndecided}
}

// RestAt returns a rest whose Class is a place in the list with the id of the
// class there.
func (p *Project) RestAt(r Rest) (Rest, error) {
	if r.Mode != RestClass {
		return r, nil
	}
	if int(r.Class) >= len(p.Classes) {
		return Rest{}, Errorf(Invalid, "The rest can't be class %d: the list has classes 0 to %d. Nothing was changed.", r.Class, len(p.Classes)-1)
	}
	return Rest{RestClass, p.Classes[r.Class].ID}, nil
}
