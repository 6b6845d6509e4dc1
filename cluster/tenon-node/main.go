// Command tenon-node is what only a real node needs: kubelet and kube-proxy, linked from their Go modules without patches,
// and `node`, the first process of the node's namespaces, which starts both. The supervisor in tenon-cluster starts `node`.
package main

import (
	"context"
	"fmt"
	"os"
	_ "time/tzdata"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
	"tenon.dev/cluster/multicall"
	"tenon.dev/cluster/node"
)

func main() {
	multicall.Run("tenon-node", map[string]func() int{
		"kubelet":    func() int { return cli.Run(kubelet.NewKubeletCommand(context.Background())) },
		"kube-proxy": func() int { return cli.Run(proxy.NewProxyCommand()) },
		"node":       nodeMain,
	})
}

// nodeMain reports its error in the format of Kubernetes' components, which instance.LastError looks for.
func nodeMain() int {
	if err := node.Run(os.Stdin); err != nil {
		fmt.Fprintf(os.Stderr, "\"command failed\" err=%s\n", err)
		return 1
	}
	return 0
}
