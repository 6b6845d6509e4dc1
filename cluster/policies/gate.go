package policies

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
)

// Announcement is what the last network plugin of a pod says before any container of the pod starts, or after all ended.
type Announcement struct {
	Container string     `json:"container"` // that holds the pod's network
	Namespace string     `json:"namespace"`
	Pod       string     `json:"pod"`
	Address   netip.Addr `json:"address"` // none: the pod has ended
}

// Answer lets the pod start if there is no problem.
type Answer struct {
	Problem string `json:"problem,omitempty"`
}

// patience is how long a pod waits for its rules; the kubelet tries again later.
const patience = 20 * time.Second

// serveGate answers announcements until ctx ends.
func (e *enforcer) serveGate(ctx context.Context, listener net.Listener) error {
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	for {
		connection, err := listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		go func() {
			defer connection.Close()
			said := Announcement{}
			if err := json.NewDecoder(connection).Decode(&said); err != nil {
				return // the plugin has ended
			}
			answer := Answer{}
			if err := e.admit(ctx, said); err != nil {
				klog.FromContext(ctx).Error(err, "network policies", "namespace", said.Namespace, "pod", said.Pod)
				answer.Problem = err.Error()
			}
			_ = json.NewEncoder(connection).Encode(answer)
		}()
	}
}

// admit returns once the rules for a pod hold: its containers may not run a moment without them.
func (e *enforcer) admit(ctx context.Context, said Announcement) error {
	if !said.Address.IsValid() {
		e.lock.Lock()
		delete(e.sandboxes, said.Container)
		e.lock.Unlock()
		return nil // rules of an address that no pod has do no harm, and the next pod brings its own
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := e.client.CoreV1().Pods(said.Namespace).Get(ctx, said.Pod, meta.GetOptions{})
	if err != nil {
		return err
	}
	if err := e.awaitPolicies(ctx, said.Namespace); err != nil {
		return err
	}
	known := pod{namespace: said.Namespace, labels: found.Labels, ports: portsOf(found), address: said.Address}
	e.lock.Lock()
	e.sandboxes[said.Container] = &sandbox{known, said.Pod, found.UID}
	e.lock.Unlock()
	return e.enforce(ctx, true)
}

// awaitPolicies waits until the cache has the policies that there are: a pod that starts now is subject to them.
func (e *enforcer) awaitPolicies(ctx context.Context, namespace string) error {
	live, err := e.client.NetworkingV1().NetworkPolicies(namespace).List(ctx, meta.ListOptions{})
	if err != nil {
		return err
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for _, policy := range live.Items {
		for {
			cached, err := e.policies.NetworkPolicies(namespace).Get(policy.Name)
			if err == nil && (cached.UID != policy.UID || cached.Generation >= policy.Generation) {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("NetworkPolicy %s/%s is not known yet: %w", namespace, policy.Name, ctx.Err())
			case <-tick.C:
			}
		}
	}
	return nil
}
