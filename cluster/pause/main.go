// Pause is the first process of every pod: it holds the pod's namespaces open and does nothing else, until it is told to
// end. Where containers share its process namespace it is also the parent of their orphans, and buries them.
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

// reap buries all that are dead: several deaths may have come as one signal.
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
