package instance

import (
	"os"
	"testing"
)

func TestLastError(t *testing.T) {
	for _, test := range []struct {
		reason string
		log    string
		want   string
	}{
		{reason: "it says why", log: "I0101 started\nE0101 \"command failed\" err=\"no port\"\n", want: `"no port"`},
		{reason: "the last of several starts counts", log: "\"command failed\" err=\"old\"\n\"command failed\" err=\"new\"", want: `"new"`},
		{reason: "it was killed", log: "I0101 started\n"},
		{reason: "no log"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			if test.log != "" {
				writeFiles(t, dir, map[string]string{"log/kubelet.log": test.log})
			}
			if got := LastError(dir, "kubelet"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestALargeLogIsMovedAway(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"log/kubelet.log": "old"})
	for _, size := range []int64{maxLogBytes, maxLogBytes + 1} {
		if err := os.Truncate(LogPath(dir, "kubelet"), size); err != nil {
			t.Fatal(err)
		}
		log, err := OpenLog(dir, "kubelet")
		if err != nil {
			t.Fatal(err)
		}
		log.Close()
		_, err = os.Stat(LogPath(dir, "kubelet") + ".old")
		if isMoved := err == nil; isMoved != (size > maxLogBytes) {
			t.Errorf("%d bytes: moved is %v", size, isMoved)
		}
	}
}
