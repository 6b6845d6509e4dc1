// Package node is a Kubernetes node inside Linux namespaces of its own: processes, mounts, network and host name. What
// kubelet, kube-proxy, containerd and pods change, they change there; when the first process of the namespaces ends, the
// kernel takes along every other process, mount and interface in them.
package node

import "net/netip"

// Config is what the supervisor tells the node on its standard input.
type Config struct {
	Owner        string // the instance's name
	Dir          string // its data directory
	Name         string // of the node
	Address      netip.Prefix
	Gateway      netip.Addr // the machine's end of the link: API server, DNS and registry are there
	Pods         netip.Prefix
	Cgroup       string
	RegistryPort int
	Containerd   string // a directory with its programs; default: those of the machine
}

// Below the data directory.
const (
	stateDir     = "node"
	pauseArchive = "pause.tar"
)

// Within the node.
const (
	configDir        = "/run/tenon"
	containerdSocket = "/run/containerd/containerd.sock" // src/cluster/load-images.ts calls it from outside
)
