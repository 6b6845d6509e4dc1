package machine

import (
	"errors"

	"golang.org/x/sys/unix"
	"tenon.dev/cluster/instance"
)

// A kubelet takes six of the inotify instances that Linux allows a user, and containerd one; the rest is for pods.
const watchesOfANode = 12

// RequireWatches refuses to start a node for which too few inotify instances are left: its kubelet would fail during the
// start, with an error that does not name the limit.
func RequireWatches() error { return requireWatches(watchesOfANode) }

func requireWatches(count int) error {
	for range count {
		watch, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if errors.Is(err, unix.EMFILE) {
			return instance.Fault{
				What: "this machine has too few inotify instances left for a node: other programs of this user hold them",
				Next: "stop other instances (`tenon cluster status`), or raise the limit: `sysctl fs.inotify.max_user_instances=512`",
			}
		}
		if err != nil {
			return err
		}
		defer unix.Close(watch)
	}
	return nil
}
