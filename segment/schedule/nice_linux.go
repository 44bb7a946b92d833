package schedule

import "syscall"

// lowerPriority makes the calling thread less urgent than others. On Linux a
// thread has a niceness of its own. Failing does no harm.
func lowerPriority(niceness int) {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), niceness)
}
