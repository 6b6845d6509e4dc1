package instance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const lockFile = "lock"

// Lock holds the data directory until the process ends, however it ends: the kernel then drops the lock.
func Lock(dir, name string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		file.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, Fault{fmt.Sprintf("instance %q is already running, with data directory %s", name, dir), "see `tenon cluster status`"}
		}
		return nil, err
	}
	return file, nil
}
