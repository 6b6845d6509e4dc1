package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	fakeNodeAnnotation = "kwok.x-k8s.io/node"
	fakeNodePrefix     = "fake-"
)

// ensureFakeNodes makes the nodes that kwok keeps alive, fake-0 to fake-(count-1), and removes others.
func ensureFakeNodes(ctx context.Context, client kubernetes.Interface, count int) error {
	nodes := client.CoreV1().Nodes()
	desired := map[string]bool{}
	for i := range count {
		node := fakeNode(fmt.Sprintf("%s%d", fakeNodePrefix, i))
		desired[node.Name] = true
		if _, err := nodes.Create(ctx, node, meta.CreateOptions{}); err != nil && !errors.IsAlreadyExists(err) {
			return err
		}
	}
	existing, err := nodes.List(ctx, meta.ListOptions{LabelSelector: "type=kwok"})
	if err != nil {
		return err
	}
	for _, node := range existing.Items {
		if strings.HasPrefix(node.Name, fakeNodePrefix) && !desired[node.Name] {
			if err := nodes.Delete(ctx, node.Name, meta.DeleteOptions{}); err != nil && !errors.IsNotFound(err) {
				return err
			}
		}
	}
	return nil
}

// countReadyNodes counts the nodes that report Ready.
func countReadyNodes(ctx context.Context, client kubernetes.Interface) (int, error) {
	nodes, err := client.CoreV1().Nodes().List(ctx, meta.ListOptions{})
	if err != nil {
		return 0, err
	}
	ready := 0
	for _, node := range nodes.Items {
		if isNodeReady(&node) {
			ready++
		}
	}
	return ready, nil
}

func isNodeReady(node *core.Node) bool {
	return readyCondition(node).Status == core.ConditionTrue
}

// readyCondition is the zero value until the node has reported.
func readyCondition(node *core.Node) core.NodeCondition {
	for _, condition := range node.Status.Conditions {
		if condition.Type == core.NodeReady {
			return condition
		}
	}
	return core.NodeCondition{}
}

func fakeNode(name string) *core.Node {
	capacity := core.ResourceList{
		core.ResourceCPU:    resource.MustParse("32"),
		core.ResourceMemory: resource.MustParse("256Gi"),
		core.ResourcePods:   resource.MustParse("1000"),
	}
	return &core.Node{
		ObjectMeta: meta.ObjectMeta{
			Name:        name,
			Annotations: map[string]string{fakeNodeAnnotation: "fake"},
			Labels: map[string]string{
				"type":               "kwok",
				core.LabelHostname:   name,
				core.LabelOSStable:   "linux",
				core.LabelArchStable: runtime.GOARCH,
			},
		},
		Status: core.NodeStatus{Capacity: capacity, Allocatable: capacity},
	}
}
