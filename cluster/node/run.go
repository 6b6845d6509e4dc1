package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Run is the first process of the node's namespaces. It reads its settings from standard input, which the supervisor writes
// once the network exists, and ends on SIGTERM or SIGINT, or when one of its programs ends, but for a kubelet that is killed.
func Run(input io.Reader) error {
	stopped, cancel := signal.NotifyContext(context.Background(), unix.SIGTERM, unix.SIGINT)
	defer cancel()
	config := Config{}
	if err := json.NewDecoder(input).Decode(&config); err != nil {
		return fmt.Errorf("read the node's settings: %w", err)
	}
	if os.Getpid() != 1 {
		return errors.New("expected to be the first process of a PID namespace; `tenon-cluster up` starts it there")
	}
	if err := isolate(config); err != nil {
		return err
	}
	if err := os.Setenv("PATH", searchPath(config)); err != nil {
		return err
	}
	if err := writeFiles(config); err != nil {
		return err
	}
	all := newProcesses(config)
	if err := all.keep("containerd", "containerd", []string{"--config", configPath("containerd.toml")}); err != nil {
		return err
	}
	go all.reap()
	defer all.stop()
	if err := all.startAll(stopped); err != nil {
		return err
	}
	for {
		select {
		case <-stopped.Done():
			return nil
		case ended := <-all.ended:
			// As an init system does where the kernel or an administrator kills it: pods run on meanwhile.
			if ended.name != kubeletName || !ended.status.Signaled() {
				return ended.fault(config.Dir)
			}
			if err := all.startKubelet(); err != nil {
				return err
			}
		}
	}
}

// startAll starts kubelet and kube-proxy once containerd answers and has the pause image, which no registry has.
func (p *processes) startAll(stopped context.Context) error {
	if err := p.awaitContainerd(stopped); err != nil {
		return err
	}
	archive := filepath.Join(p.config.Dir, stateDir, pauseArchive)
	load, err := p.start("ctr", "ctr", []string{"--address", containerdSocket, "--namespace", "k8s.io", "images", "import", archive})
	if err != nil {
		return err
	}
	if <-load.done; load.status.ExitStatus() != 0 {
		return load.fault(p.config.Dir)
	}
	if err := p.startKubelet(); err != nil {
		return err
	}
	return p.keep("kube-proxy", "/proc/self/exe", proxyArgs(p.config))
}

const kubeletName = "kubelet"

func (p *processes) startKubelet() error {
	return p.keep(kubeletName, "/proc/self/exe", kubeletArgs(p.config))
}

func (p *processes) awaitContainerd(stopped context.Context) error {
	deadline := time.After(30 * time.Second)
	for {
		if connection, err := net.Dial("unix", containerdSocket); err == nil {
			return connection.Close()
		}
		select {
		case <-stopped.Done():
			return stopped.Err()
		case <-deadline:
			return errors.New("containerd does not answer after 30 s")
		case ended := <-p.ended:
			return ended.fault(p.config.Dir)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
