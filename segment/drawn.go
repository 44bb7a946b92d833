package segment

import "slices"

// Drawn are the pixels of objects that an import has told apart and whose borders don't
// follow cells. Immutable.
type Drawn struct {
	Import  string // id of the event
	Objects []ObjectPixels
	Marks   []ObjectMark // of the import; in cells whose mark is another one now nothing is drawn, nor of objects that have lost all of theirs
}

// ObjectPixels are pixels of one object. Each counts while it has the class.
type ObjectPixels struct {
	Class  uint8 // id
	Number int32
	Runs   []int32 // as in a Repair
}

func (o ObjectPixels) equal(other ObjectPixels) bool {
	return o.Class == other.Class && o.Number == other.Number && slices.Equal(o.Runs, other.Runs)
}

// through maps the classes of objects as [Constraints.Through] does; d can be nil.
func (d *Drawn) through(table *ClassTable) *Drawn {
	if d == nil {
		return nil
	}
	marked := Constraints{Objects: d.Marks}
	out := Drawn{Import: d.Import, Marks: marked.Through(table).Objects}
	for _, o := range d.Objects {
		if o.Class, o.Number = table.object(o.Class, o.Number); o.Class != Void {
			out.Objects = append(out.Objects, o)
		}
	}
	return &out
}

// object returns an object's class through the table, and its number there.
func (table *ClassTable) object(class uint8, number int32) (uint8, int32) {
	if table[class] != class { // its number may be that of another object there
		number += (MaxObjects + 1) * (1 + int32(class))
	}
	return table[class], number
}
