package instance

import (
	"os"
	"path/filepath"
	"strings"
)

// maxLogBytes is when a component's log moves to NAME.log.old at the next start; until then starts append to it.
const maxLogBytes = 20 << 20

// LogPath is where a component of the instance writes its log.
func LogPath(dir, component string) string { return filepath.Join(dir, LogDir, component+".log") }

// OpenLog opens a component's log to append to.
func OpenLog(dir, component string) (*os.File, error) {
	path := LogPath(dir, component)
	if info, err := os.Stat(path); err == nil && info.Size() > maxLogBytes {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// LastError finds in a component's log the error with which it ended; empty if there is none.
func LastError(dir, component string) string {
	text, err := os.ReadFile(LogPath(dir, component))
	if err != nil {
		return ""
	}
	return parseLastError(string(text))
}

// parseLastError finds the last line that a component of Kubernetes writes when its command fails.
func parseLastError(log string) string {
	const mark = `"command failed" err=`
	if at := strings.LastIndex(log, mark); at >= 0 {
		reason, _, _ := strings.Cut(log[at+len(mark):], "\n")
		return reason
	}
	return ""
}
