// Command tenon-cluster is Kubernetes for laptops and tests in one binary: etcd, the control plane, the parts of a node,
// kubectl and kwok, linked from their Go modules without patches. `up` is the supervisor, `node` the first process of a real
// node, `undo` what is left to do when a supervisor was killed; the other commands are the components themselves, chosen by the first argument or by the name the binary is called by.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	_ "time/tzdata"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/component-base/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

var commands = map[string]func() int{
	"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
	"kube-controller-manager": func() int { return cli.Run(controllermanager.NewControllerManagerCommand()) },
	"kube-scheduler":          func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
	"kubelet":                 kubeletMain,
	"kube-proxy":              kubeProxyMain,
	"kubectl":                 kubectlMain,
	"kwok":                    kwokMain,
	"node":                    nodeMain,
	"undo":                    undoMain,
	"up":                      upMain,
	"version":                 versionMain,
}

func main() {
	name := filepath.Base(os.Args[0])
	if _, isCommand := commands[name]; !isCommand {
		if len(os.Args) < 2 {
			usage()
		}
		name = os.Args[1]
		os.Args = os.Args[1:]
	}
	run, isCommand := commands[name]
	if !isCommand {
		usage()
	}
	os.Exit(run())
}

func usage() {
	names := strings.Join(slices.Sorted(maps.Keys(commands)), " ")
	fmt.Fprintf(os.Stderr, "usage: tenon-cluster COMMAND [flags]\ncommands: %s\n", names)
	os.Exit(2)
}

// kubernetesVersion is stamped into the binary by the build; see src/cluster/build.ts.
func kubernetesVersion() string { return version.Get().GitVersion }

func versionMain() int {
	_ = json.NewEncoder(os.Stdout).Encode(map[string]string{"kubernetes": kubernetesVersion()})
	return 0
}
