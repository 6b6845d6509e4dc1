package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"tenon.dev/cluster/instance"
	"tenon.dev/cluster/machine"
	"tenon.dev/cluster/node"
	"tenon.dev/cluster/pki"
)

// undoMain undoes what a killed supervisor left on the machine.
func undoMain() int {
	flags := flag.NewFlagSet("undo", flag.ExitOnError)
	dir := flags.String("data-dir", "", "data directory")
	_ = flags.Parse(os.Args[1:])
	if err := machine.Undo(*dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func undo(dir string) {
	if err := machine.Undo(dir); err != nil {
		fmt.Fprintln(os.Stderr, "undo:", err)
	}
}

// ensureNode starts the real node and what it needs on the machine; or, if the instance has none any more, deletes its
// Node object, so that no pod is scheduled to it. The program is the path of tenon-node.
func ensureNode(
	ctx context.Context, in *instance.Instance, keys pki.Keys, processes *children, services *services, client kubernetes.Interface,
	program string,
) error {
	if !in.Node {
		err := client.CoreV1().Nodes().Delete(ctx, in.NodeName(), meta.DeleteOptions{})
		if errors.IsNotFound(err) {
			return nil
		}
		return err
	}
	dir := processes.dir
	if err := node.WritePause(dir, filepath.Join(filepath.Dir(program), "pause")); err != nil {
		return err
	}
	if err := node.WriteGate(dir, filepath.Join(filepath.Dir(program), "gate")); err != nil {
		return err
	}
	record := machine.NewRecord(dir, in.Name)
	if err := record.Save(dir); err != nil {
		return err
	}
	if err := record.MakeCgroups(); err != nil {
		return err
	}
	first, settings, err := processes.startNode(program)
	if err != nil {
		return err
	}
	defer settings.Close()
	if err := record.MakeLink(*in.Network, first.cmd.Process.Pid); err != nil {
		return err
	}
	if err := services.start(in, keys, dir, first.cmd.Process.Pid); err != nil {
		return err
	}
	return json.NewEncoder(settings).Encode(node.Config{
		Owner:        in.Name,
		Dir:          dir,
		Name:         in.NodeName(),
		Address:      netip.PrefixFrom(in.Network.NodeAddress(), in.Network.Link.Bits()),
		Gateway:      in.Network.HostAddress(),
		Pods:         in.Network.Pods,
		Cgroup:       record.Cgroup,
		RegistryPort: in.RegistryPort,
		Containerd:   in.Containerd,
	})
}
