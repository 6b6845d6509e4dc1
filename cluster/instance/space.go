package instance

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// minFreeBytes is what etcd needs at once: two preallocated logs of 64 MB, the database, and room to work.
const minFreeBytes = 300 << 20

// RequireSpace refuses a disk on which etcd would soon end in the middle of a write.
func RequireSpace(dir string) error {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return err
	}
	return enoughSpace(dir, stat.Bavail*uint64(stat.Bsize))
}

func enoughSpace(dir string, free uint64) error {
	if free < minFreeBytes {
		return Fault{
			fmt.Sprintf("%s has %d MB free, and a cluster needs %d MB", dir, free>>20, minFreeBytes>>20),
			"delete an instance with `tenon cluster reset --name NAME`, or use a larger disk with `export XDG_DATA_HOME=DIRECTORY`",
		}
	}
	return nil
}
