package node

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// pauseImage is the container that holds the namespaces of a pod; see cluster/pause.
const pauseImage = "localhost/pause:1"

// cniDirs are where distributions put the network plugins; the first is Debian's.
var cniDirs = []string{"/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"}

func configPath(name string) string { return filepath.Join(configDir, name) }

// writeFiles writes the settings of the programs, which are the same for every start, into /run.
func writeFiles(config Config) error {
	kubelet, err := json.MarshalIndent(kubeletConfig(config), "", "  ")
	if err != nil {
		return err
	}
	files := map[string]string{
		"kubelet.json":    string(kubelet),
		"containerd.toml": containerdConfig(),
		"pod-network":     podNetwork(config),
		"resolv.conf":     fmt.Sprintf("nameserver %s\n", config.Gateway),
	}
	// Pods push by the machine's end of the link, and what they push has that name on the machine, too.
	for _, host := range []string{"127.0.0.1", config.Gateway.String()} {
		registry := fmt.Sprintf("%s:%d", host, config.RegistryPort)
		files[filepath.Join("registries", registry, "hosts.toml")] = registryHosts(config)
	}
	for name, content := range files {
		path := configPath(name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	if err := linkPlugins(config); err != nil {
		return err
	}
	return os.MkdirAll("/run/cni/net.d", 0o755)
}

// linkPlugins puts the machine's network plugins and our own into one directory.
func linkPlugins(config Config) error {
	ofMachine := cniDirs[0]
	for _, dir := range cniDirs {
		if _, err := os.Stat(filepath.Join(dir, "ptp")); err == nil {
			ofMachine = dir
			break
		}
	}
	entries, err := os.ReadDir(ofMachine)
	if err != nil {
		return fmt.Errorf("network plugins: %w", err)
	}
	plugins := map[string]string{"gate": filepath.Join(config.Dir, gateProgram)}
	for _, entry := range entries {
		plugins[entry.Name()] = filepath.Join(ofMachine, entry.Name())
	}
	if err := os.MkdirAll(configPath("cni"), 0o755); err != nil {
		return err
	}
	for name, target := range plugins {
		if err := os.Symlink(target, filepath.Join(configPath("cni"), name)); err != nil {
			return err
		}
	}
	return nil
}

// podNetwork becomes the network's settings once Kubernetes has given the node a range for its pods. Each pod has a link
// of its own to the node, rather than a port of a bridge: what passes a bridge passes by kube-proxy's rules, unless a
// kernel module is loaded for the whole machine, and then pods cannot call each other through Services. The gate is last:
// it returns when the network policies hold for the pod.
func podNetwork(config Config) string {
	return fmt.Sprintf(`{
  "cniVersion": "1.0.0",
  "name": "tenon",
  "plugins": [
    {
      "type": "ptp",
      "ipMasq": false,
      "ipam": {
        "type": "host-local",
        "dataDir": "/run/cni",
        "ranges": [[{"subnet": "{{.PodCIDR}}"}]],
        "routes": [{"dst": "0.0.0.0/0"}]
      }
    },
    {"type": "portmap", "capabilities": {"portMappings": true}},
    {"type": "gate", "directory": %q, "socket": %q}
  ]
}
`, config.Dir, gateSocket)
}

func containerdConfig() string {
	// restrict_oom_score_adj: without it no pod starts where root lacks CAP_SYS_RESOURCE, as in many virtual machines.
	// The plugin opt would make /opt/containerd on the machine.
	return fmt.Sprintf(`version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt"]
[grpc]
  address = %q
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = %q
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = %q
    conf_dir = "/run/cni/net.d"
    conf_template = %q
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = %q
`, containerdSocket, pauseImage, configPath("cni"), configPath("pod-network"), configPath("registries"))
}

// registryHosts: an image is named by the loopback address of the machine or by the machine's end of the link, and pulled
// through the latter.
func registryHosts(config Config) string {
	return fmt.Sprintf("server = %q\n[host.%[1]q]\n  capabilities = [\"pull\", \"resolve\"]\n",
		fmt.Sprintf("http://%s:%d", config.Gateway, config.RegistryPort))
}

func kubeletConfig(config Config) map[string]any {
	type object = map[string]any
	pki := filepath.Join(config.Dir, "pki")
	return object{
		"apiVersion":               "kubelet.config.k8s.io/v1beta1",
		"kind":                     "KubeletConfiguration",
		"failCgroupV1":             false,
		"cgroupDriver":             "cgroupfs",
		"cgroupRoot":               "/" + config.Cgroup,
		"containerRuntimeEndpoint": "unix://" + containerdSocket,
		"address":                  config.Address.Addr().String(),
		"authentication": object{
			"anonymous": object{"enabled": false},
			"webhook":   object{"enabled": true},
			"x509":      object{"clientCAFile": filepath.Join(pki, "ca.crt")},
		},
		"authorization":               object{"mode": "Webhook"},
		"tlsCertFile":                 filepath.Join(pki, "kubelet-server.crt"),
		"tlsPrivateKeyFile":           filepath.Join(pki, "kubelet-server.key"),
		"clusterDomain":               ClusterDomain,
		"clusterDNS":                  []string{config.Gateway.String()},
		"resolvConf":                  configPath("resolv.conf"),
		"volumePluginDir":             "/var/lib/kubelet/volume-plugins",
		"podLogsDir":                  "/var/log/pods",
		"failSwapOn":                  false,
		"enforceNodeAllocatable":      []string{},
		"serializeImagePulls":         false,
		"registryPullQPS":             0,
		"eventRecordQPS":              0,
		"syncFrequency":               "10s",
		"nodeStatusUpdateFrequency":   "5s",
		"imageGCHighThresholdPercent": 100, // images come from files and are not pulled again
		"imageGCLowThresholdPercent":  99,
		"evictionHard":                object{"memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
	}
}

// ClusterDomain ends the names of Services.
const ClusterDomain = "cluster.local"

func kubeletArgs(config Config) []string {
	return []string{
		"--config=" + configPath("kubelet.json"),
		"--kubeconfig=" + filepath.Join(config.Dir, "pki", "kubelet.kubeconfig"),
		"--hostname-override=" + config.Name,
		"--node-ip=" + config.Address.Addr().String(),
	}
}

// proxyArgs leave the connection tracking's settings alone (0): most are the whole machine's.
func proxyArgs(config Config) []string {
	return []string{
		"--kubeconfig=" + filepath.Join(config.Dir, "pki", "kube-proxy.kubeconfig"),
		"--hostname-override=" + config.Name,
		"--proxy-mode=iptables",
		"--cluster-cidr=" + config.Pods.String(),
		"--conntrack-max-per-core=0",
		"--conntrack-min=0",
		"--conntrack-tcp-timeout-established=0s",
		"--conntrack-tcp-timeout-close-wait=0s",
	}
}
