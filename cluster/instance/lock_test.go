package instance

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestLockHasOneHolder(t *testing.T) {
	dir := t.TempDir()
	lock, err := Lock(dir, "mine")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Lock(dir, "mine")
	if fault := wantFault(t, err); !strings.Contains(fault.What, `"mine" is already running`) || !strings.Contains(fault.What, dir) {
		t.Errorf("What = %q, want the instance and its directory", fault.What)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	wantFree(t, dir)
}

func TestLockIsFreeAfterItsHolderIsKilled(t *testing.T) {
	dir := t.TempDir()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	holder, line := startHelper(t, binary, "hold the lock", dir)
	if line != "held\n" {
		t.Fatal(line)
	}
	_, err = Lock(dir, "mine")
	wantFault(t, err)
	if err := holder.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	wantFree(t, dir)
}

func TestLockFileOfADeadProcessCanBeLocked(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{lockFile: "4194304"})
	wantFree(t, dir)
}

func wantFree(t *testing.T, dir string) {
	t.Helper()
	lock, err := Lock(dir, "mine")
	if err != nil {
		t.Fatal(err)
	}
	lock.Close()
}
