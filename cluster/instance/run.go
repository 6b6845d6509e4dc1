package instance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const runFile = "run.json"

// Run describes the supervisor of a running instance. A pid alone would be ambiguous after a crash, because the kernel
// gives it out again; a pid together with the tick at which the process started is not.
type Run struct {
	PID        int    `json:"pid"`
	StartTicks string `json:"startTicks"`
	StartedAt  string `json:"startedAt"`
	Ready      bool   `json:"ready"`
	Kubeconfig string `json:"kubeconfig"`
	Binary     string `json:"binary"`
	NodePID    int    `json:"nodePid,omitempty"` // the first process of the real node
}

// Save writes run.json, which `tenon cluster` reads.
func (r Run) Save(dir string) error { return writeJSON(filepath.Join(dir, runFile), r) }

// startTicks is field 22 of /proc/PID/stat. The second field is the command's name and may hold spaces and brackets.
func startTicks(stat string) (string, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return "", fmt.Errorf("/proc/PID/stat is too short: %q", stat)
	}
	return fields[19], nil
}

// NewRun describes this process.
func NewRun(kubeconfig string) (Run, error) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return Run{}, err
	}
	ticks, err := startTicks(string(stat))
	if err != nil {
		return Run{}, err
	}
	binary, err := os.Executable()
	if err != nil {
		return Run{}, err
	}
	return Run{
		PID:        os.Getpid(),
		StartTicks: ticks,
		StartedAt:  time.Now().UTC().Format(time.RFC3339),
		Kubeconfig: kubeconfig,
		Binary:     binary,
	}, nil
}

// Remove deletes run.json: the run is over.
func (r Run) Remove(dir string) { _ = os.Remove(filepath.Join(dir, runFile)) }

// PortTimeout is how long to wait for the ports of an instance. A supervisor that was killed leaves run.json behind, and
// the kernel may still be ending its processes, which hold their ports until then.
func PortTimeout(dir string) time.Duration {
	if _, err := os.Stat(filepath.Join(dir, runFile)); err != nil {
		return 0
	}
	return 10 * time.Second
}
