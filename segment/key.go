package segment

import (
	"path/filepath"
	"regexp"
)

// keyPattern matches keys: up to eight names of lower-case letters, digits and
// hyphens, separated by slashes.
var keyPattern = regexp.MustCompile(`^[a-z0-9-]{1,100}(/[a-z0-9-]{1,100}){0,7}$`)

// CheckKey returns nil for what can be the key of a blob, in a folder on any
// system and in a bucket. Keys have no dots, so that a store can give other names
// to what it keeps beside its blobs.
func CheckKey(key string) error {
	if !keyPattern.MatchString(key) || !filepath.IsLocal(key) {
		return Errorf(Invalid, "%q is not a valid file key: use lower-case letters, digits and hyphens, separated by slashes.", key)
	}
	return nil
}
