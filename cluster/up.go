package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/client-go/kubernetes"
	"tenon.dev/cluster/atomicfile"
	"tenon.dev/cluster/instance"
	"tenon.dev/cluster/machine"
	"tenon.dev/cluster/pki"
)

// asBefore keeps the setting that the instance has.
const asBefore = -1

// ofMachine selects the containerd that is installed.
const ofMachine = "machine"

type upOptions struct {
	dir          string
	name         string
	port         int
	registryPort int
	fakeNodes    int
	node         string // on, off or as before
	program      string // the path of tenon-node
	containerd   string // a directory, or ofMachine; default: as before
	isTied       bool
}

// upMain runs an instance until SIGTERM or SIGINT, or until a component ends. It reports on standard output, one JSON
// event a line, until the cluster is ready; after that it writes to its log only.
func upMain() int {
	runtime.LockOSThread() // see children
	options := upOptions{}
	flags := flag.NewFlagSet("up", flag.ExitOnError)
	flags.StringVar(&options.dir, "data-dir", "", "data directory")
	flags.StringVar(&options.name, "name", "default", "instance name")
	flags.IntVar(&options.port, "port", asBefore, "port of the API server; 0 picks a free one; default: as before")
	flags.IntVar(&options.registryPort, "registry-port", asBefore, "port of the registry of a real node; 0 picks a free one; default: as before")
	flags.IntVar(&options.fakeNodes, "fake-nodes", asBefore, "how many nodes kwok fakes; default: as before")
	flags.StringVar(&options.node, "node", "", "on or off: whether there is a real node; default: as before")
	flags.StringVar(&options.program, "node-program", "", "path of tenon-node, which a real node needs")
	flags.StringVar(&options.containerd, "containerd", "", "directory with the containerd of a real node, or "+ofMachine+"; default: as before")
	flags.BoolVar(&options.isTied, "until-stdin-ends", false, "stop when standard input ends, as it does with the process that holds it")
	_ = flags.Parse(os.Args[1:])

	// The reader closes the pipe once the cluster is ready, or earlier; a write must not end the supervisor then.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	if options.isTied {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
	}
	if err := up(ctx, options); err != nil && !errors.Is(err, context.Canceled) {
		failed(err, options.dir).emit()
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// up takes hold of the data directory, then boots the cluster in it and waits for the end.
func up(ctx context.Context, options upOptions) error {
	begin := time.Now()
	dir, err := filepath.Abs(options.dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, instance.LogDir), 0o700); err != nil {
		return err
	}
	lock, err := instance.Lock(dir, options.name)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := machine.Undo(dir); err != nil { // a supervisor that was killed could not
		return err
	}
	in, err := configure(dir, options)
	if err != nil {
		return err
	}
	keys := pki.Keys{Dir: filepath.Join(dir, "pki")}
	if err := keys.Prepare(certified(in)); err != nil {
		return instance.Fault{What: err.Error(), Next: instance.ResetHint(in.Name)}
	}
	run, err := instance.NewRun(keys.Path("admin.kubeconfig"))
	if err != nil {
		return err
	}
	if err := run.Save(dir); err != nil {
		return err
	}
	defer run.Remove(dir)

	if err := os.Chdir(dir); err != nil { // see etcdEndpoint
		return err
	}
	etcd, err := startEtcd("etcd")
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer etcd.Close()
	defer undo(dir)
	processes := newChildren(dir, in.Name)
	defer processes.stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	services := newServices(ctx)
	progress := func(message string) {
		event{Event: "progress", Message: message, Millis: time.Since(begin).Milliseconds()}.emit()
	}
	progress("etcd is up")
	if err := boot(ctx, in, keys, processes, services, options.program, progress); err != nil {
		return err
	}
	run.Ready, run.NodePID = true, processes.pidOf(nodeChild)
	if err := run.Save(dir); err != nil {
		return err
	}
	event{Event: "ready", Millis: time.Since(begin).Milliseconds(), Instance: in}.emit()
	return wait(ctx, processes, services, etcd)
}

// configure reads the settings of the instance, applies the options, and saves the result.
func configure(dir string, options upOptions) (*instance.Instance, error) {
	in, err := instance.Open(dir, options.name, kubernetesVersion())
	if err != nil {
		return nil, err
	}
	if err := instance.RequireSpace(dir); err != nil {
		return nil, err
	}
	if options.port != asBefore {
		in.Port = options.port
	}
	if in.Port, err = instance.ChoosePort(in.Port, instance.PortTimeout(dir), anotherPort(in.Name, "--port")); err != nil {
		return nil, err
	}
	if options.node == "on" && !in.Node {
		in.FakeNodes = 0 // or the scheduler would put some pods on fake nodes, where they do not run
	}
	if options.fakeNodes != asBefore {
		in.FakeNodes = options.fakeNodes
	}
	if options.node != "" {
		in.Node = options.node == "on"
	}
	if in.Node && options.program == "" {
		return nil, instance.Fault{
			What: "a real node needs the program tenon-node, but --node-program is not set",
			Next: fmt.Sprintf("start it with `tenon cluster start --node --name %s`, which builds the program", in.Name),
		}
	}
	if options.containerd == ofMachine {
		in.Containerd = ""
	} else if options.containerd != "" {
		in.Containerd = options.containerd
	}
	if options.registryPort != asBefore {
		in.RegistryPort = options.registryPort
	}
	if err := configureNetwork(dir, in); err != nil {
		return nil, err
	}
	return in, in.Save(dir)
}

// configureNetwork finds addresses for a new instance, and refuses a node that could not run.
func configureNetwork(dir string, in *instance.Instance) error {
	inUse, err := machine.Routes()
	if err != nil {
		return err
	}
	if err := in.EnsureNetwork(dir, inUse); err != nil || !in.Node {
		return err
	}
	if err := in.Network.RequireFree(in.Name, inUse); err != nil {
		return err
	}
	if err := machine.RequireWatches(); err != nil {
		return err
	}
	in.RegistryPort, err = instance.ChoosePort(in.RegistryPort, instance.PortTimeout(dir), anotherPort(in.Name, "--registry-port"))
	return err
}

// anotherPort is the command that moves the server with this option to a free port.
func anotherPort(name, option string) string {
	if name == "default" {
		return fmt.Sprintf("tenon cluster start %s 0", option)
	}
	return fmt.Sprintf("tenon cluster start --name %s %s 0", name, option)
}

// certified is what the instance's certificates are issued for.
func certified(in *instance.Instance) pki.Cluster {
	gateway := in.Network.HostAddress().String()
	return pki.Cluster{
		Name:          in.Name,
		Server:        fmt.Sprintf("https://127.0.0.1:%d", in.Port),
		ServerAddress: in.Network.ServerAddress().String(),
		Node: pki.Node{
			Name:    in.NodeName(),
			Address: in.Network.NodeAddress().String(),
			Server:  fmt.Sprintf("https://%s:%d", gateway, in.Port),
			Gateway: gateway,
		},
	}
}

// boot starts the components in order and returns once pods can be made. Started together, the others would compete with
// the API server for the processor while they wait for it.
func boot(
	ctx context.Context, in *instance.Instance, keys pki.Keys, processes *children, services *services, program string,
	progress func(string),
) error {
	if err := processes.start("kube-apiserver", apiServerArgs(keys, in)); err != nil {
		return err
	}
	client, err := adminClient(keys)
	if err != nil {
		return err
	}
	await := func(ask func(context.Context, *kubernetes.Clientset) bool) error {
		return awaitAnswer(ctx, processes, func(ctx context.Context) bool { return ask(ctx, client) })
	}
	if err := await(isLive); err != nil {
		return err
	}
	progress("kube-apiserver answers")
	// It gives the others their rights after its first answer; on a busy machine the controller manager would give up before.
	if err := await(hasRoles); err != nil {
		return err
	}
	if err := processes.start("kube-controller-manager", controllerManagerArgs(keys, in)); err != nil {
		return err
	}
	if err := processes.start("kube-scheduler", schedulerArgs(keys)); err != nil {
		return err
	}
	if err := await(isReady); err != nil {
		return err
	}
	progress("/readyz is ok")
	if in.FakeNodes > 0 {
		if err := atomicfile.Replace("kwok.yaml", []byte(kwokStages())); err != nil {
			return err
		}
		if err := processes.start("kwok", kwokArgs(keys, "kwok.yaml")); err != nil {
			return err
		}
	}
	if err := ensureFakeNodes(ctx, client, in.FakeNodes); err != nil {
		return err
	}
	begin := time.Now().Truncate(time.Second)
	if err := ensureNode(ctx, in, keys, processes, services, client, program); err != nil {
		return err
	}
	if in.Node {
		progress("the node starts")
	}
	return await(func(ctx context.Context, client *kubernetes.Clientset) bool { return isUsable(ctx, client, in, begin) })
}

func wait(ctx context.Context, processes *children, services *services, etcd *embed.Etcd) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-services.ended:
		return err
	case ended := <-processes.ended:
		return ended.fault()
	case err := <-etcd.Err():
		return fmt.Errorf("etcd: %w", err)
	}
}
