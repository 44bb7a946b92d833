//go:build unix

package postgrestest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// memory is a folder in memory, where a sync takes no time, if it has room for a
// small database; otherwise empty, which means the usual folder.
func memory() string {
	const folder, enough = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil || uint64(fs.Bavail)*uint64(fs.Bsize) < enough {
		return ""
	}
	return folder
}

// own gives PostgreSQL a folder.
func own(dir string) error {
	if id := owner(); id != nil {
		return os.Chown(dir, int(id.Uid), int(id.Gid))
	}
	return nil
}

// demote makes a program run as PostgreSQL's user.
func demote(cmd *exec.Cmd) {
	if id := owner(); id != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: id}
	}
}

// owner is the user as whom PostgreSQL runs when the tests are root's.
func owner() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.ParseUint(u.Uid, 10, 32)
		gid, _ := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return nil
}
