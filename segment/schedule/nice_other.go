//go:build !linux

package schedule

// lowerPriority does nothing: threads have no priority of their own here that
// the standard library can set.
func lowerPriority(int) {}
