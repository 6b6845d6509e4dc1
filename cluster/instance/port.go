package instance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Ports are picked below those that the kernel gives to outgoing connections and below Kubernetes' NodePorts, so that
// the one an instance remembers is still free at its next start.
const (
	firstPort = 20000
	lastPort  = 29999
)

// ChoosePort gives the wanted port, or any free one when none is wanted. For the wanted one it waits as long as patience
// says; see Patience. No other instance is given the same until this process ends.
func ChoosePort(wanted int, patience time.Duration) (int, error) {
	if wanted != 0 {
		err := claimPort(wanted)
		for deadline := time.Now().Add(patience); errors.Is(err, unix.EADDRINUSE) && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
			err = claimPort(wanted)
		}
		if err == nil {
			return wanted, nil
		}
		if !errors.Is(err, unix.EADDRINUSE) {
			return 0, Fault{fmt.Sprintf("port %d cannot be used: %v", wanted, err), "let Tenon pick a free port with `--port 0`"}
		}
		return 0, Fault{
			fmt.Sprintf("port %d is in use by %s", wanted, portHolder(wanted)),
			"stop that process, or let Tenon pick a free port with `--port 0`",
		}
	}
	for range 100 {
		if port := firstPort + rand.IntN(lastPort-firstPort+1); claimPort(port) == nil {
			return port, nil
		}
	}
	return 0, Fault{fmt.Sprintf("found no free port between %d and %d", firstPort, lastPort), "choose one with `--port N`"}
}

// claims are the ports that this process was given: one that is collected as garbage would be let go.
var claims []net.Listener

// claimPort fails unless the port is free and no instance has been given it. Until a component listens on it seconds go by,
// in which the port itself is free: so a name stands for it, of which the kernel lets a machine have one at a time, and which
// goes with the process, however that ends.
func claimPort(port int) error {
	claim, err := net.Listen("unix", fmt.Sprintf("@tenon-port-%d", port))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		claim.Close()
		return err
	}
	claims = append(claims, claim)
	return listener.Close()
}

// portHolder names the process that listens on a port, as far as /proc lets this user see it.
func portHolder(port int) string {
	inodes := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for inode := range listeningInodes(string(text), port) {
			inodes["socket:["+inode+"]"] = true
		}
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range links {
		target, err := os.Readlink(link)
		if err != nil || !inodes[target] {
			continue
		}
		pid := strings.Split(link, "/")[2]
		comm, _ := os.ReadFile(filepath.Join("/proc", pid, "comm"))
		return fmt.Sprintf("pid %s (%s)", pid, strings.TrimSpace(string(comm)))
	}
	return "an instance that starts, or a process that this user cannot see"
}

// listeningInodes reads a table in the format of /proc/net/tcp.
func listeningInodes(table string, port int) map[string]bool {
	const listening = "0A"
	suffix := fmt.Sprintf(":%04X", port)
	inodes := map[string]bool{}
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) > 9 && strings.HasSuffix(fields[1], suffix) && fields[3] == listening {
			inodes[fields[9]] = true
		}
	}
	return inodes
}
