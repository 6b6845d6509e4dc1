// Package volumes gives claims of the storage class `standard` directories on this machine.
package volumes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// workers is more than one so that deleting a large directory does not delay the start of a pod.
const workers = 4

// Options name the node that the volumes are for, and their directory.
type Options struct {
	Client   kubernetes.Interface
	NodeName string
	Dir      string // absolute; used by this package only
}

// key is a claim, or with an empty namespace a volume.
type key struct{ namespace, name string }

type controller struct {
	client  kubernetes.Interface
	node    string
	dir     string
	root    *os.Root // confines file access to dir, whatever the name of a volume contains
	claims  listers.PersistentVolumeClaimLister
	volumes listers.PersistentVolumeLister
	events  record.EventRecorder
}

// Run provisions and deletes volumes until ctx ends; that is not an error.
func Run(ctx context.Context, options Options) error {
	if !filepath.IsAbs(options.Dir) {
		return fmt.Errorf("directory of volumes %q is not absolute", options.Dir)
	}
	if err := os.MkdirAll(options.Dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(options.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := ensureClass(ctx, options.Client, options.NodeName); err != nil {
		return fmt.Errorf("storage class %s: %w", className, err)
	}
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typed.EventSinkImpl{Interface: options.Client.CoreV1().Events("")})

	ctx, cancel := context.WithCancel(ctx)
	factory := informers.NewSharedInformerFactory(options.Client, 0)
	defer factory.Shutdown()
	defer cancel() // before Shutdown, which waits for it
	c := &controller{
		client:  options.Client,
		node:    options.NodeName,
		dir:     filepath.Clean(options.Dir),
		root:    root,
		claims:  factory.Core().V1().PersistentVolumeClaims().Lister(),
		volumes: factory.Core().V1().PersistentVolumes().Lister(),
		events:  broadcaster.NewRecorder(scheme.Scheme, core.EventSource{Component: provisioner}),
	}
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[key]())
	if err := enqueueChanges(factory, queue); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	var working sync.WaitGroup
	for range workers {
		working.Go(func() { c.work(ctx, queue) })
	}
	<-ctx.Done()
	queue.ShutDown()
	working.Wait()
	return nil
}

// ensureClass leaves an existing class as it is: a user may have changed it on purpose.
func ensureClass(ctx context.Context, client kubernetes.Interface, node string) error {
	_, err := client.StorageV1().StorageClasses().Create(ctx, storageClass(node), meta.CreateOptions{})
	if err != nil && !errors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// enqueueChanges also looks at a claim when its volume changed.
func enqueueChanges(factory informers.SharedInformerFactory, queue workqueue.TypedRateLimitingInterface[key]) error {
	onClaim := func(object any) {
		if claim, isClaim := object.(*core.PersistentVolumeClaim); isClaim {
			queue.Add(key{claim.Namespace, claim.Name})
		}
	}
	onVolume := func(object any) {
		volume, isVolume := object.(*core.PersistentVolume)
		if !isVolume {
			return
		}
		queue.Add(key{name: volume.Name})
		if claim := volume.Spec.ClaimRef; claim != nil && claim.Namespace != "" {
			queue.Add(key{claim.Namespace, claim.Name})
		}
	}
	if err := enqueue(factory.Core().V1().PersistentVolumeClaims().Informer(), onClaim); err != nil {
		return err
	}
	return enqueue(factory.Core().V1().PersistentVolumes().Informer(), onVolume)
}

// enqueue leaves deletions out: a deleted object needs no work.
func enqueue(informer cache.SharedIndexInformer, add func(object any)) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(_, object any) { add(object) },
	})
	return err
}

func (c *controller) work(ctx context.Context, queue workqueue.TypedRateLimitingInterface[key]) {
	for {
		next, isOver := queue.Get()
		if isOver {
			return
		}
		if err := c.handle(ctx, next); err != nil && ctx.Err() == nil {
			klog.FromContext(ctx).Error(err, "volume: will be retried", "namespace", next.namespace, "name", next.name)
			queue.AddRateLimited(next)
		} else {
			queue.Forget(next)
		}
		queue.Done(next)
	}
}
