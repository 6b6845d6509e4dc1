package node

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
	"tenon.dev/cluster/machine"
)

// kernelSettings are settings of the whole machine that the kubelet would change. In the node they are plain files with
// the values that the kubelet expects, so that it changes nothing.
var kernelSettings = map[string]string{
	"vm/overcommit_memory":      "1",
	"vm/panic_on_oom":           "0",
	"kernel/panic":              "10",
	"kernel/panic_on_oops":      "1",
	"kernel/keys/root_maxkeys":  "1000000",
	"kernel/keys/root_maxbytes": "25000000",
}

// isolate sets up the namespaces. The node sees the machine's files, but has a /run of its own, and what it writes to /var
// goes to an overlay; both end with the node.
func isolate(config Config) error {
	if err := unix.Sethostname([]byte(config.Name)); err != nil {
		return fmt.Errorf("set the host name: %w", err)
	}
	// The data directory may be below /run or /var, and must stay the real one.
	data, err := os.Open(config.Dir)
	if err != nil {
		return err
	}
	defer data.Close()
	steps := []mount{
		{target: "/", flags: unix.MS_REC | unix.MS_PRIVATE},
		{source: "proc", target: "/proc", kind: "proc", flags: unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{source: "tmpfs", target: "/run", kind: "tmpfs", flags: unix.MS_NOSUID | unix.MS_NODEV, options: "mode=755"},
		{source: "overlay", target: "/var", kind: "overlay", options: "lowerdir=/var,upperdir=/run/tenon/var,workdir=/run/tenon/var-work"},
		{source: fmt.Sprintf("/proc/self/fd/%d", data.Fd()), target: config.Dir, flags: unix.MS_BIND},
		{source: filepath.Join(config.Dir, stateDir, "kubelet"), target: "/var/lib/kubelet", flags: unix.MS_BIND},
		{source: filepath.Join(config.Dir, stateDir, "containerd"), target: "/var/lib/containerd", flags: unix.MS_BIND},
		{source: filepath.Join(config.Dir, stateDir, "pod-logs"), target: "/var/log/pods", flags: unix.MS_BIND},
		// Volumes that ask for it see each other's mounts, as on other nodes.
		{target: "/", flags: unix.MS_REC | unix.MS_SHARED},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			return err
		}
	}
	for name, value := range kernelSettings {
		if err := shadowSetting(name, value); err != nil {
			return err
		}
	}
	return connect(config)
}

type mount struct {
	source, target, kind string
	flags                uintptr
	options              string
}

func (m mount) do() error {
	if m.kind == "overlay" {
		for _, dir := range []string{"/run/tenon/var", "/run/tenon/var-work"} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
	}
	if m.flags&unix.MS_BIND != 0 {
		for _, dir := range []string{m.source, m.target} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
	}
	if err := unix.Mount(m.source, m.target, m.kind, m.flags, m.options); err != nil {
		return fmt.Errorf("mount %s at %s: %w", m.source, m.target, err)
	}
	return nil
}

// shadowSetting mounts a plain file over a kernel setting.
func shadowSetting(name, value string) error {
	target := filepath.Join("/proc/sys", name)
	if _, err := os.Stat(target); errors.Is(err, fs.ErrNotExist) {
		return nil // a kernel without it
	}
	source := filepath.Join(configDir, "sys", name)
	if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(source, []byte(value+"\n"), 0o644); err != nil {
		return err
	}
	return unix.Mount(source, target, "", unix.MS_BIND, "")
}

// connect configures the node's end of the link. The node has no other route: pods reach each other, Services and the
// machine's end, and every other address is answered with "unreachable" at once.
func connect(config Config) error {
	if err := machine.Configure("lo", netip.Prefix{}); err != nil {
		return err
	}
	if err := machine.Configure(machine.NodeInterface, config.Address); err != nil {
		return err
	}
	if err := machine.RejectOtherRoutes(); err != nil {
		return err
	}
	settings := map[string]string{
		"ipv4/ip_forward":     "1",
		"ipv4/icmp_ratelimit": "0", // else the kernel limits the rate of "unreachable", and most callers wait until they time out
		// What the packet filter knows a pod by is its address: no packet with that of another leaves a pod, and none of IPv6.
		"ipv4/conf/all/rp_filter":        "1",
		"ipv6/conf/default/disable_ipv6": "1",
	}
	for name, value := range settings {
		err := os.WriteFile(filepath.Join("/proc/sys/net", name), []byte(value), 0o644)
		if err != nil && !(strings.HasPrefix(name, "ipv6/") && errors.Is(err, fs.ErrNotExist)) { // a kernel without IPv6
			return err
		}
	}
	return nil
}
