//go:build !unix

package postgrestest

import "os/exec"

// Elsewhere than on Unix nobody is root, and files are wherever others are.

func memory() string { return "" }

func own(string) error { return nil }

func demote(*exec.Cmd) {}
