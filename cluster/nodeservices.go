package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"tenon.dev/cluster/dns"
	"tenon.dev/cluster/forward"
	"tenon.dev/cluster/instance"
	"tenon.dev/cluster/node"
	"tenon.dev/cluster/pki"
	"tenon.dev/cluster/policies"
	"tenon.dev/cluster/registry"
	"tenon.dev/cluster/volumes"
)

// services are what a real node needs on the machine: forwarding to the API server and the registry, which listen on
// loopback; DNS; volumes; network policies. They run in the supervisor until the context ends.
type services struct {
	ctx   context.Context
	ended chan error // buffered for each of them
}

func newServices(ctx context.Context) *services { return &services{ctx, make(chan error, 8)} }

// start starts them before the node has its settings; nodePID is that of the node's first process.
func (s *services) start(in *instance.Instance, keys pki.Keys, dir string, nodePID int) error {
	gateway := in.Network.HostAddress().String()
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", in.RegistryPort))
	if err != nil {
		return fmt.Errorf("registry: %w", err)
	}
	s.run("registry", func() error {
		return registry.Serve(s.ctx, registry.Options{Listener: listener, Dir: filepath.Join(dir, "registry")})
	})
	for _, port := range []int{in.Port, in.RegistryPort} {
		if err := s.forward(fmt.Sprintf("%s:%d", gateway, port), fmt.Sprintf("127.0.0.1:%d", port)); err != nil {
			return err
		}
	}
	client, err := watchingClient(keys)
	if err != nil {
		return err
	}
	s.run("DNS", func() error {
		return dns.Serve(s.ctx, dns.Options{
			Client: client, Address: gateway + ":53", Domain: node.ClusterDomain, Upstream: nameServers("/etc/resolv.conf"),
		})
	})
	s.run("volumes", func() error {
		return volumes.Run(s.ctx, volumes.Options{Client: client, NodeName: in.NodeName(), Dir: filepath.Join(dir, "volumes")})
	})
	gate, err := node.ListenGate()
	if err != nil {
		return fmt.Errorf("network policies: %w", err)
	}
	s.run("network policies", func() error {
		return policies.Run(s.ctx, policies.Options{
			Client: client, NodeName: in.NodeName(), DNS: in.Network.HostAddress(), Gate: gate,
			Restore: func(ctx context.Context, script string) error { return node.RestoreFilter(ctx, nodePID, script) },
		})
	})
	return nil
}

// nameServers are those in the machine's resolv.conf.
func nameServers(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	servers := []string{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "nameserver" {
			servers = append(servers, fields[1])
		}
	}
	return servers
}

func (s *services) forward(from, to string) error {
	ended, err := forward.Listen(s.ctx, from, to)
	if err != nil {
		return fmt.Errorf("forward to %s: %w", to, err)
	}
	s.run("forward to "+to, func() error { return <-ended })
	return nil
}

// run ends the instance when a service fails before the context ends.
func (s *services) run(name string, serve func() error) {
	go func() {
		if err := serve(); err != nil && s.ctx.Err() == nil {
			s.ended <- fmt.Errorf("%s: %w", name, err)
		}
	}()
}

// watchingClient has no timeout, because a watch lasts.
func watchingClient(keys pki.Keys) (*kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", keys.Path("admin.kubeconfig"))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	return kubernetes.NewForConfig(config)
}
