package volumes

import (
	"reflect"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	dir  = "/data/volumes"
	node = "mine-node"
	uid  = types.UID("1234")
)

func size(text string) core.ResourceList {
	return core.ResourceList{core.ResourceStorage: resource.MustParse(text)}
}

// waiting is a claim whose pod has been given our node.
func waiting() *core.PersistentVolumeClaim {
	return &core.PersistentVolumeClaim{
		ObjectMeta: meta.ObjectMeta{
			Namespace: "shop", Name: "data-db-0", UID: uid,
			Annotations: map[string]string{selectedNode: node},
		},
		Spec: core.PersistentVolumeClaimSpec{
			StorageClassName: new(className),
			AccessModes:      []core.PersistentVolumeAccessMode{core.ReadWriteOnce},
			Resources:        core.VolumeResourceRequirements{Requests: size("1Gi")},
		},
		Status: core.PersistentVolumeClaimStatus{Phase: core.ClaimPending},
	}
}

func bound() *core.PersistentVolumeClaim {
	claim := waiting()
	claim.Spec.VolumeName = "pvc-1234"
	claim.Status = core.PersistentVolumeClaimStatus{Phase: core.ClaimBound, Capacity: size("1Gi")}
	return claim
}

func TestDecideClaim(t *testing.T) {
	type claim = core.PersistentVolumeClaim
	type volume = core.PersistentVolume
	for _, test := range []struct {
		reason string
		claim  *claim
		change func(*claim, *volume) // nil: as it is
		want   action
	}{
		{reason: "a pod waits for it on our node", claim: waiting(), want: provide{}},
		{reason: "no pod uses it yet", claim: waiting(), change: func(c *claim, _ *volume) { c.Annotations = nil }, want: none{}},
		{reason: "its pod is on another node, which has no disk here", claim: waiting(), change: func(c *claim, _ *volume) { c.Annotations[selectedNode] = "fake-0" }, want: none{}},
		{reason: "another class", claim: waiting(), change: func(c *claim, _ *volume) { c.Spec.StorageClassName = new("fast") }, want: none{}},
		{reason: "no class", claim: waiting(), change: func(c *claim, _ *volume) { c.Spec.StorageClassName = nil }, want: none{}},
		{reason: "being deleted", claim: waiting(), change: func(c *claim, _ *volume) { c.DeletionTimestamp = &meta.Time{Time: time.Unix(1, 0)} }, want: none{}},
		{reason: "has chosen a volume, and is not bound to it yet", claim: waiting(), change: func(c *claim, _ *volume) { c.Spec.VolumeName = "pvc-1234" }, want: none{}},

		{reason: "asks for a block device", claim: waiting(), change: func(c *claim, _ *volume) { c.Spec.VolumeMode = new(core.PersistentVolumeBlock) }, want: refuse{}},
		{reason: "asks for the data of a snapshot, and must not get an empty volume", claim: waiting(), change: func(c *claim, _ *volume) { c.Spec.DataSource = &core.TypedLocalObjectReference{} }, want: refuse{}},
		{reason: "asks for the data of another object", claim: waiting(), change: func(c *claim, _ *volume) { c.Spec.DataSourceRef = &core.TypedObjectReference{} }, want: refuse{}},
		{reason: "selects volumes by label", claim: waiting(), change: func(c *claim, _ *volume) { c.Spec.Selector = &meta.LabelSelector{} }, want: refuse{}},

		{reason: "bound, and nothing changed", claim: bound(), want: none{}},
		{reason: "grown: the volume comes first", claim: bound(), change: func(c *claim, _ *volume) { c.Spec.Resources.Requests = size("2Gi") }, want: enlarge{size("2Gi")}},
		{reason: "grown, and the volume is: then the claim", claim: bound(), change: func(c *claim, v *volume) { c.Spec.Resources.Requests, v.Spec.Capacity = size("2Gi"), size("2Gi") }, want: report{size("2Gi")}},
		{reason: "the same size in another unit", claim: bound(), change: func(c *claim, _ *volume) { c.Spec.Resources.Requests = size("1024Mi") }, want: none{}},
		{reason: "grown, and requested less before the status of the claim was updated", claim: bound(), change: func(c *claim, v *volume) { c.Spec.Resources.Requests, v.Spec.Capacity = size("2Gi"), size("3Gi") }, want: report{size("3Gi")}},
		{reason: "grown, on a volume of another provisioner", claim: bound(), change: func(c *claim, v *volume) { c.Spec.Resources.Requests, v.Annotations = size("2Gi"), nil }, want: none{}},
		{reason: "grown, and the volume is of a claim that had its name before", claim: bound(), change: func(c *claim, _ *volume) { c.Spec.Resources.Requests, c.UID = size("2Gi"), "5678" }, want: none{}},
		{reason: "grown, and its volume is lost", claim: bound(), change: func(c *claim, _ *volume) { c.Spec.Resources.Requests, c.Status.Phase = size("2Gi"), core.ClaimLost }, want: none{}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			volume := volumeFor(test.claim, node, dir)
			if test.change != nil {
				test.change(test.claim, volume)
			}
			if test.claim.Spec.VolumeName == "" {
				volume = nil
			}
			got := decideClaim(test.claim, volume, node, dir)
			if refusal, isRefusal := got.(refuse); isRefusal && refusal.why != "" {
				got = refuse{}
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %#v, want %#v", got, test.want)
			}
		})
	}
}

func TestDecideClaimWhoseVolumeIsGone(t *testing.T) {
	claim := bound()
	claim.Spec.Resources.Requests = size("2Gi")
	if got := decideClaim(claim, nil, node, dir); got != (none{}) {
		t.Errorf("got %#v", got)
	}
}

func TestDecideVolumeDiscardsOnlyVolumesThatWeMade(t *testing.T) {
	type volume = core.PersistentVolume
	for _, test := range []struct {
		reason string
		change func(*volume)
		want   action
	}{
		{reason: "released by its claim", change: func(*volume) {}, want: discard{}},
		{reason: "in use", change: func(v *volume) { v.Status.Phase = core.VolumeBound }, want: none{}},
		{reason: "new", change: func(v *volume) { v.Status.Phase = "" }, want: none{}},
		{reason: "its reclaim policy is Retain", change: func(v *volume) { v.Spec.PersistentVolumeReclaimPolicy = core.PersistentVolumeReclaimRetain }, want: none{}},
		{reason: "not made by us", change: func(v *volume) { v.Annotations = nil }, want: none{}},
		{reason: "made by another", change: func(v *volume) { v.Annotations[provisionedBy] = "example.org/nfs" }, want: none{}},
		{reason: "a path outside", change: func(v *volume) { v.Spec.HostPath.Path = "/etc" }, want: none{}},
		{reason: "a path that climbs outside", change: func(v *volume) { v.Spec.HostPath.Path = dir + "/pvc-1234/../../etc" }, want: none{}},
		{reason: "all directories", change: func(v *volume) { v.Spec.HostPath.Path = dir }, want: none{}},
		{reason: "a name that climbs outside", change: func(v *volume) {
			v.Name, v.Spec.ClaimRef.UID, v.Spec.HostPath.Path = "pvc-/../../etc", "/../../etc", "/data/etc"
		}, want: none{}},
		{reason: "the directory of another volume", change: func(v *volume) { v.Spec.HostPath.Path = dir + "/pvc-5678" }, want: none{}},
		{reason: "a directory that is not of its claim", change: func(v *volume) { v.Name, v.Spec.HostPath.Path = "copy", dir+"/copy" }, want: none{}},
		{reason: "no claim", change: func(v *volume) { v.Spec.ClaimRef = nil }, want: none{}},
		{reason: "a claim without a UID", change: func(v *volume) { v.Name, v.Spec.ClaimRef.UID, v.Spec.HostPath.Path = "pvc-", "", dir+"/pvc-" }, want: none{}},
		{reason: "not a directory", change: func(v *volume) { v.Spec.PersistentVolumeSource = core.PersistentVolumeSource{} }, want: none{}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			volume := volumeFor(waiting(), node, dir)
			volume.Status.Phase = core.VolumeReleased
			test.change(volume)
			if got := decideVolume(volume, dir); got != test.want {
				t.Errorf("got %#v, want %#v", got, test.want)
			}
		})
	}
}

func TestWithoutResizingKeepsTheOtherConditions(t *testing.T) {
	got := withoutResizing([]core.PersistentVolumeClaimCondition{
		{Type: core.PersistentVolumeClaimResizing},
		{Type: "example.org/Inspected"},
		{Type: core.PersistentVolumeClaimFileSystemResizePending},
	})
	if len(got) != 1 || got[0].Type != "example.org/Inspected" {
		t.Errorf("got %v", got)
	}
}
