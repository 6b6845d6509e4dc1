// Command pause is the first process of every pod: it holds the pod's namespaces open until SIGTERM or SIGINT. Where
// containers share its PID namespace it also inherits their orphans, and reaps them.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// The kernel drops signals that the first process of a namespace has no handler for.
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT)
	orphans := make(chan os.Signal, 1)
	signal.Notify(orphans, syscall.SIGCHLD)
	for {
		select {
		case <-end:
			return
		case <-orphans:
			reap()
		}
	}
}

// reap reaps all children that have ended: the kernel may merge several SIGCHLD into one.
func reap() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid == 0 {
			return
		}
	}
}
