package volumes

import (
	"context"
	"encoding/json"
	"os"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

// handle reads a claim or a volume and carries out its next step.
func (c *controller) handle(ctx context.Context, next key) error {
	if next.namespace == "" {
		volume, err := c.volumes.Get(next.name)
		if errors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if decideVolume(volume, c.dir) == (discard{}) {
			return c.discard(ctx, volume.Name)
		}
		return nil
	}
	claim, err := c.claims.PersistentVolumeClaims(next.namespace).Get(next.name)
	if errors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var volume *core.PersistentVolume
	if claim.Spec.VolumeName != "" {
		volume, err = c.volumes.Get(claim.Spec.VolumeName)
		if err != nil && !errors.IsNotFound(err) {
			return err
		}
	}
	switch due := decideClaim(claim, volume, c.node, c.dir).(type) {
	case provide:
		return c.provide(ctx, claim)
	case refuse:
		c.events.Event(claim, core.EventTypeWarning, "ProvisioningFailed", due.why)
	case enlarge:
		return c.enlarge(ctx, volume, due.to)
	case report:
		return c.report(ctx, claim, due.to)
	}
	return nil
}

// provide makes the directory before the volume, so that no pod starts without one; a second try finds what the first
// one made.
func (c *controller) provide(ctx context.Context, claim *core.PersistentVolumeClaim) error {
	volume := volumeFor(claim, c.node, c.dir)
	if err := c.root.Mkdir(volume.Name, 0o777); err != nil && !os.IsExist(err) {
		return err
	}
	if err := c.root.Chmod(volume.Name, 0o777); err != nil { // Mkdir subtracts the umask
		return err
	}
	_, err := c.client.CoreV1().PersistentVolumes().Create(ctx, volume, meta.CreateOptions{})
	if errors.IsAlreadyExists(err) {
		return nil
	}
	if err != nil {
		return err
	}
	klog.FromContext(ctx).Info("volume provided", "namespace", claim.Namespace, "claim", claim.Name, "volume", volume.Name)
	c.events.Eventf(claim, core.EventTypeNormal, "ProvisioningSucceeded", "made volume %s", volume.Name)
	return nil
}

func (c *controller) enlarge(ctx context.Context, volume *core.PersistentVolume, to core.ResourceList) error {
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"capacity": to}})
	if err != nil {
		return err
	}
	_, err = c.client.CoreV1().PersistentVolumes().Patch(ctx, volume.Name, types.MergePatchType, patch, meta.PatchOptions{})
	return err
}

func (c *controller) report(ctx context.Context, claim *core.PersistentVolumeClaim, to core.ResourceList) error {
	patch, err := json.Marshal(map[string]any{
		// Conditions are replaced as a whole, so the resource version must still be the one that was read.
		"metadata": map[string]any{"resourceVersion": claim.ResourceVersion},
		"status":   map[string]any{"capacity": to, "conditions": withoutResizing(claim.Status.Conditions)},
	})
	if err != nil {
		return err
	}
	_, err = c.client.CoreV1().PersistentVolumeClaims(claim.Namespace).
		Patch(ctx, claim.Name, types.MergePatchType, patch, meta.PatchOptions{}, "status")
	if err != nil {
		return err
	}
	c.events.Eventf(claim, core.EventTypeNormal, "FileSystemResizeSuccessful", "grown to %s", to.Storage())
	return nil
}

// discard reads the volume from the server once more, because the cache may be stale and deleted data is lost. The
// directory goes first: once the volume is gone, nothing refers to the directory.
func (c *controller) discard(ctx context.Context, name string) error {
	volume, err := c.client.CoreV1().PersistentVolumes().Get(ctx, name, meta.GetOptions{})
	if errors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if decideVolume(volume, c.dir) != (discard{}) {
		return nil
	}
	if err := c.root.RemoveAll(volume.Name); err != nil {
		return err
	}
	if volume.DeletionTimestamp != nil { // and kept by a finalizer, for a moment
		return nil
	}
	err = c.client.CoreV1().PersistentVolumes().Delete(ctx, name, meta.DeleteOptions{Preconditions: &meta.Preconditions{UID: &volume.UID}})
	if errors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	klog.FromContext(ctx).Info("volume discarded", "volume", name)
	return nil
}
