// Package policies enforces NetworkPolicies for the pods of a real node, whose packets all pass the filter of the node.
package policies

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	policylisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Options name the node whose pods are meant.
type Options struct {
	Client   kubernetes.Interface
	NodeName string
	DNS      netip.Addr   // of the cluster
	Gate     net.Listener // where network plugins announce pods; see gate.go
	// Restore changes the packet filter of the node at once, by a script for iptables-restore.
	Restore func(ctx context.Context, script string) error
}

// period is how often the rules become the first ones again.
const period = 10 * time.Second

type enforcer struct {
	client     kubernetes.Interface
	dns        netip.Addr
	restore    func(ctx context.Context, script string) error
	pods       listers.PodLister
	namespaces listers.NamespaceLister
	policies   policylisters.NetworkPolicyLister

	lock      sync.Mutex
	sandboxes map[string]*sandbox // by container
	applied   rules
}

// sandbox is a pod that has an address, as it was seen last: its containers may outlive it.
type sandbox struct {
	pod
	name string
	uid  types.UID
}

// Run enforces policies until ctx ends; that is not an error.
func Run(ctx context.Context, options Options) error {
	ctx, cancel := context.WithCancel(ctx)
	onNode := informers.NewSharedInformerFactoryWithOptions(options.Client, 0, informers.WithTweakListOptions(func(list *meta.ListOptions) {
		list.FieldSelector = fields.OneTermEqualSelector("spec.nodeName", options.NodeName).String()
	}))
	all := informers.NewSharedInformerFactory(options.Client, 0)
	defer onNode.Shutdown()
	defer all.Shutdown()
	defer cancel() // before Shutdown, which waits for it
	e := &enforcer{
		client:     options.Client,
		dns:        options.DNS,
		restore:    options.Restore,
		pods:       onNode.Core().V1().Pods().Lister(),
		namespaces: all.Core().V1().Namespaces().Lister(),
		policies:   all.Networking().V1().NetworkPolicies().Lister(),
		sandboxes:  map[string]*sandbox{},
	}
	changed := make(chan struct{}, 1)
	for _, informer := range []cache.SharedIndexInformer{
		onNode.Core().V1().Pods().Informer(), all.Core().V1().Namespaces().Informer(), all.Networking().V1().NetworkPolicies().Informer(),
	} {
		if err := signal(informer, changed); err != nil {
			return err
		}
	}
	onNode.Start(ctx.Done())
	all.Start(ctx.Done())
	onNode.WaitForCacheSync(ctx.Done())
	all.WaitForCacheSync(ctx.Done())
	serving := make(chan error, 1)
	go func() { serving <- e.serveGate(ctx, options.Gate) }()
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		isDue := false
		select {
		case <-ctx.Done():
			return nil
		case err := <-serving:
			return err
		case <-changed:
		case <-tick.C:
			isDue = true
		}
		if err := e.enforce(ctx, isDue); err != nil && ctx.Err() == nil {
			klog.FromContext(ctx).Error(err, "network policies: will be tried again", "node", options.NodeName)
		}
	}
}

func signal(informer cache.SharedIndexInformer, changed chan<- struct{}) error {
	wake := func() {
		select {
		case changed <- struct{}{}:
		default: // it is due already
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { wake() },
		UpdateFunc: func(_, _ any) { wake() },
		DeleteFunc: func(any) { wake() },
	})
	return err
}

// enforce changes the filter if it has to. Where another program may have put rules before ours, it always does.
func (e *enforcer) enforce(ctx context.Context, always bool) error {
	e.lock.Lock()
	defer e.lock.Unlock()
	current, err := e.state()
	if err != nil {
		return err
	}
	wanted := decide(current)
	if !always && reflect.DeepEqual(wanted, e.applied) {
		return nil
	}
	if err := e.restore(ctx, wanted.script(e.applied)); err != nil {
		return fmt.Errorf("change the packet filter: %w", err)
	}
	e.applied = wanted
	return nil
}

// state reads the caches.
func (e *enforcer) state() (state, error) {
	namespaces, err := e.namespaces.List(labels.Everything())
	if err != nil {
		return state{}, err
	}
	policies, err := e.policies.List(labels.Everything())
	if err != nil {
		return state{}, err
	}
	current := state{dns: e.dns, policies: policies, namespaces: map[string]labels.Set{}}
	for _, namespace := range namespaces {
		current.namespaces[namespace.Name] = namespace.Labels
	}
	for _, each := range e.sandboxes {
		if found, err := e.pods.Pods(each.namespace).Get(each.name); err == nil && found.UID == each.uid {
			each.labels, each.ports = found.Labels, portsOf(found)
		}
		current.pods = append(current.pods, each.pod)
	}
	return current, nil
}

func portsOf(pod *core.Pod) []core.ContainerPort {
	ports := []core.ContainerPort{}
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		ports = append(ports, container.Ports...)
	}
	return ports
}
