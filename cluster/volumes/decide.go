package volumes

import (
	"fmt"
	"path/filepath"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	provisioner = "tenon.dev/directory"
	className   = "standard"
	prefix      = "pvc-"

	selectedNode  = "volume.kubernetes.io/selected-node"
	provisionedBy = "pv.kubernetes.io/provisioned-by"
)

// action is the next step for a claim or a volume. Its change triggers another look, which decides the step after it.
type action interface{ isAction() }

type (
	none    struct{}
	provide struct{}                       // make the claim's directory and volume
	refuse  struct{ why string }           // record an Event at the claim
	enlarge struct{ to core.ResourceList } // set the capacity of the volume
	report  struct{ to core.ResourceList } // set the capacity in the claim's status
	discard struct{}                       // delete the volume and its directory
)

func (none) isAction()    {}
func (provide) isAction() {}
func (refuse) isAction()  {}
func (enlarge) isAction() {}
func (report) isAction()  {}
func (discard) isAction() {}

// decideClaim decides the next step for a claim. The volume is the one it is bound to, or nil.
func decideClaim(claim *core.PersistentVolumeClaim, volume *core.PersistentVolume, node, dir string) action {
	if claim.DeletionTimestamp != nil || claim.Spec.StorageClassName == nil || *claim.Spec.StorageClassName != className {
		return none{}
	}
	if claim.Spec.VolumeName == "" {
		if claim.Annotations[selectedNode] != node {
			return none{}
		}
		if why := unfit(claim); why != "" {
			return refuse{why}
		}
		return provide{}
	}
	if claim.Status.Phase != core.ClaimBound || volume == nil || !isOurs(volume, dir) || volume.Spec.ClaimRef.UID != claim.UID {
		return none{}
	}
	// A directory can use the whole disk: its size is a number in the objects only.
	requested, actual := sizeOf(claim.Spec.Resources.Requests), sizeOf(volume.Spec.Capacity)
	if requested.Cmp(actual) > 0 {
		return enlarge{core.ResourceList{core.ResourceStorage: requested}}
	}
	if shown := sizeOf(claim.Status.Capacity); shown.Cmp(actual) < 0 {
		return report{core.ResourceList{core.ResourceStorage: actual}}
	}
	return none{}
}

// unfit gives the reason why a directory cannot satisfy the claim; empty if it can.
func unfit(claim *core.PersistentVolumeClaim) string {
	switch spec := claim.Spec; {
	case spec.VolumeMode != nil && *spec.VolumeMode != core.PersistentVolumeFilesystem:
		return fmt.Sprintf("storage class %s gives directories, not volumeMode %s; use volumeMode Filesystem", className, *spec.VolumeMode)
	case spec.DataSource != nil || spec.DataSourceRef != nil:
		return fmt.Sprintf("storage class %s cannot fill a volume from a dataSource; leave it out and copy the data", className)
	case spec.Selector != nil:
		return fmt.Sprintf("storage class %s makes a new volume, which no selector can choose; leave the selector out", className)
	}
	return ""
}

// decideVolume discards a volume that its claim has released.
func decideVolume(volume *core.PersistentVolume, dir string) action {
	if volume.Status.Phase != core.VolumeReleased || volume.Spec.PersistentVolumeReclaimPolicy != core.PersistentVolumeReclaimDelete {
		return none{}
	}
	if !isOurs(volume, dir) {
		return none{}
	}
	return discard{}
}

// isOurs reports whether the volume is exactly as this package makes them: any user can write our provisioner into an
// annotation, and the directory that such a volume names must stay.
func isOurs(volume *core.PersistentVolume, dir string) bool {
	return volume.Annotations[provisionedBy] == provisioner &&
		volume.Spec.HostPath != nil && volume.Spec.ClaimRef != nil && volume.Spec.ClaimRef.UID != "" &&
		volume.Name == prefix+string(volume.Spec.ClaimRef.UID) &&
		filepath.Base(volume.Name) == volume.Name &&
		volume.Spec.HostPath.Path == filepath.Join(dir, volume.Name)
}

func sizeOf(list core.ResourceList) resource.Quantity { return list[core.ResourceStorage] }
