// Command tenon-cluster is a Kubernetes control plane for laptops and tests in one binary: etcd, kube-apiserver,
// kube-controller-manager, kube-scheduler, kubectl and kwok, linked from their Go modules without patches. `up` is the
// supervisor, and `undo` cleans up after a supervisor that was killed; the other commands are the components themselves,
// chosen by the first argument or by the name that the binary is called by. What only a real node needs is in tenon-node.
package main

import (
	"encoding/json"
	"os"
	_ "time/tzdata"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/component-base/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	"tenon.dev/cluster/multicall"
)

func main() {
	multicall.Run("tenon-cluster", map[string]func() int{
		"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
		"kube-controller-manager": func() int { return cli.Run(controllermanager.NewControllerManagerCommand()) },
		"kube-scheduler":          func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
		"kubectl":                 kubectlMain,
		"kwok":                    kwokMain,
		"undo":                    undoMain,
		"up":                      upMain,
		"version":                 versionMain,
	})
}

// kubernetesVersion is stamped into the binary by the build; see src/cluster/source.ts.
func kubernetesVersion() string { return version.Get().GitVersion }

func versionMain() int {
	_ = json.NewEncoder(os.Stdout).Encode(map[string]string{"kubernetes": kubernetesVersion()})
	return 0
}
