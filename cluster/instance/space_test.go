package instance

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

func TestTooLittleSpaceIsRefused(t *testing.T) {
	for _, test := range []struct {
		reason  string
		free    uint64
		refusal string // empty: accepted
	}{
		{reason: "plenty", free: 1 << 40},
		{reason: "just enough", free: minFreeBytes},
		{reason: "a byte less", free: minFreeBytes - 1, refusal: "/data has 299 MB free, and a cluster needs 300 MB"},
		{reason: "full", free: 0, refusal: "/data has 0 MB free, and a cluster needs 300 MB"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			err := enoughSpace("/data", test.free)
			if test.refusal == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if fault := wantFault(t, err); fault.What != test.refusal || !strings.Contains(fault.Next, "XDG_DATA_HOME") {
				t.Errorf("got %+v", fault)
			}
		})
	}
}

func TestRequireSpaceAsksTheDiskOfTheDirectory(t *testing.T) {
	if err := RequireSpace("/proc"); err == nil { // a file system without any space
		t.Error("accepted /proc")
	} else {
		wantFault(t, err)
	}
	if err := RequireSpace(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
