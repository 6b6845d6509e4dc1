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
// an instance finds its port free at its next start.
const (
	firstPort = 20000
	lastPort  = 29999
)

// ChoosePort claims the preferred port, or any free one if that is 0. It waits for the preferred one until the timeout; see
// PortTimeout. No other instance gets the port until this process ends. An error names the command that chooses another.
func ChoosePort(preferred int, timeout time.Duration, another string) (int, error) {
	if preferred != 0 {
		err := claimPort(preferred)
		for deadline := time.Now().Add(timeout); errors.Is(err, unix.EADDRINUSE) && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
			err = claimPort(preferred)
		}
		if err == nil {
			return preferred, nil
		}
		if !errors.Is(err, unix.EADDRINUSE) {
			return 0, Fault{fmt.Sprintf("port %d cannot be used: %v", preferred, err), fmt.Sprintf("pick a free port with `%s`", another)}
		}
		return 0, Fault{
			fmt.Sprintf("port %d is in use by %s", preferred, portHolder(preferred)),
			fmt.Sprintf("stop that process, or pick a free port with `%s`", another),
		}
	}
	for range 100 {
		if port := firstPort + rand.IntN(lastPort-firstPort+1); claimPort(port) == nil {
			return port, nil
		}
	}
	return 0, Fault{fmt.Sprintf("found no free port between %d and %d", firstPort, lastPort), "stop instances that `tenon cluster status` lists"}
}

// claims are the ports that this process has claimed: the garbage collector would close a listener that nothing refers to.
var claims []net.Listener

// claimPort fails unless the port is free and no other instance has claimed it. A component listens on it only seconds
// later, so an abstract Unix socket stands for the claim: the kernel allows one of a name, and frees it when the process
// ends, however it ends.
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
	return "an instance that is starting, or a process that this user cannot see"
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
