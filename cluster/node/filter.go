package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Below the data directory, for the network plugin gate.
const (
	gateProgram = stateDir + "/gate"
	gateSocket  = stateDir + "/gate.sock"
)

// WriteGate puts the plugin where the node finds it, whatever the node has mounted over its place on the machine.
func WriteGate(dir, program string) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, gateProgram)
	if err := os.WriteFile(path+".new", content, 0o755); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// ListenGate listens where the plugin calls. The working directory has to be the data directory, whose path may be too
// long for a socket.
func ListenGate() (net.Listener, error) {
	if err := os.Remove(gateSocket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return net.Listen("unix", gateSocket)
}

// RestoreFilter changes the packet filter of the node that a process is in, by a script for iptables-restore.
func RestoreFilter(ctx context.Context, pid int, script string) error {
	// The mounts, too: versions of iptables that need a lock have it below /run, and share it with kube-proxy.
	cmd := exec.CommandContext(ctx, "nsenter", "--target", strconv.Itoa(pid), "--mount", "--net", "iptables-restore", "--noflush", "--wait")
	cmd.Env = []string{"PATH=" + pathOfMachine}
	cmd.Stdin = strings.NewReader(script)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("iptables-restore: %w: %s", err, strings.TrimSpace(string(output)))
	}
	return nil
}
