package live

import (
	"maps"
	"slices"
)

// maxNamed is how many people a here message names.
const maxNamed = 5

// meet tells every member who else has the image open at this server, unless it knows.
// Nobody is told anything on a server without login. The caller holds r.mu.
func (r *room) meet() {
	people := map[string]bool{}
	for m := range r.members {
		people[m.visitor.Name] = true
	}
	names := slices.Sorted(maps.Keys(people))
	for m := range r.members {
		if m.visitor.User == "" {
			continue
		}
		named := make([]string, 0, maxNamed)
		for _, name := range names {
			if name != m.visitor.Name && len(named) < maxNamed {
				named = append(named, name)
			}
		}
		m.setCompany(encode(hereMessage{"here", named, len(names) - 1 - len(named)}))
	}
}
