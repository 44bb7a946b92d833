package disk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// holdName is the file that a server locks while it serves a data folder.
const holdName = "server.lock"

// holder is what the file says of the server that has locked it.
type holder struct {
	Process int       `json:"process"`
	Listen  string    `json:"listen"`
	Since   time.Time `json:"since"`
}

// Hold makes this process the only server of a data folder, or says which one
// is. It is called before anything else is touched; closing the lock ends it.
func Hold(folder, listen string) (io.Closer, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	file, err := OpenFile(filepath.Join(folder, holdName))
	if err != nil {
		return nil, err
	}
	lock := NewLock(file)
	if !lock.Alone() {
		return nil, errors.Join(held(folder, file), file.Close())
	}
	content, err := json.Marshal(holder{os.Getpid(), listen, time.Now().UTC().Truncate(time.Second)})
	if err == nil && file.Truncate(0) == nil {
		_, _ = file.WriteAt(content, 0) // on a full disk the lock holds all the same, only nameless
	}
	return lock, nil
}

// held says who serves a folder.
func held(folder string, file *os.File) error {
	var by holder
	b, err := io.ReadAll(io.LimitReader(file, 4<<10))
	if err != nil || json.Unmarshal(b, &by) != nil {
		return fmt.Errorf("another server already uses the data folder %s. Nothing was changed", folder)
	}
	return fmt.Errorf("another server (process %d, started at %s, listening on %s) already uses the data folder %s. Nothing was changed",
		by.Process, by.Since.Format(time.DateTime+" MST"), by.Listen, folder)
}
