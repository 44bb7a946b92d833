//go:build !linux

package storagetest

import "errors"

func shutDown(string) error { return errors.ErrUnsupported }
