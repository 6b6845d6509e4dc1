package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"tenon.dev/cluster/instance"
	"tenon.dev/cluster/pki"
)

func adminClient(keys pki.Keys) (*kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", keys.Path("admin.kubeconfig"))
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // no limit
	config.Timeout = 5 * time.Second
	return kubernetes.NewForConfig(config)
}

// isLive needs the administrator's certificate: an anonymous request for /livez/ping is refused.
func isLive(ctx context.Context, client *kubernetes.Clientset) bool {
	return isOK(ctx, client, "/livez/ping")
}

func hasRoles(ctx context.Context, client *kubernetes.Clientset) bool {
	return isOK(ctx, client, "/readyz/poststarthook/rbac/bootstrap-roles")
}

func isReady(ctx context.Context, client *kubernetes.Clientset) bool {
	return isOK(ctx, client, "/readyz")
}

func isOK(ctx context.Context, client *kubernetes.Clientset, path string) bool {
	var status int
	client.Discovery().RESTClient().Get().AbsPath(path).MaxRetries(0).Do(ctx).StatusCode(&status)
	return status == http.StatusOK
}

// isUsable reports whether a pod can be made: its namespace has the service account that the controller manager makes,
// and the nodes are ready.
func isUsable(ctx context.Context, client *kubernetes.Clientset, in *instance.Instance, begin time.Time) bool {
	if _, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", meta.GetOptions{}); err != nil {
		return false
	}
	if in.Node {
		node, err := client.CoreV1().Nodes().Get(ctx, in.NodeName(), meta.GetOptions{})
		// What the node reported before the last stop is still in etcd.
		if err != nil || !isNodeReady(node) || readyCondition(node).LastHeartbeatTime.Time.Before(begin) {
			return false
		}
	}
	if in.FakeNodes == 0 {
		return true
	}
	ready, err := countReadyNodes(ctx, client)
	return err == nil && ready >= in.FakeNodes
}

// awaitAnswer checks every 25 ms until the answer is yes, a component ends, or two minutes have passed.
func awaitAnswer(ctx context.Context, processes *children, ask func(context.Context) bool) error {
	deadline := time.After(5 * time.Minute)
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return errors.New("the cluster is not ready after 5 minutes")
		case ended := <-processes.ended:
			return ended.fault()
		case <-tick.C:
			if ask(ctx) {
				return nil
			}
		}
	}
}
