package volumes

import (
	"path/filepath"

	core "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// storageClass is for the real node only: pods on a fake node do not use directories.
func storageClass(node string) *storage.StorageClass {
	return &storage.StorageClass{
		ObjectMeta: meta.ObjectMeta{
			Name:        className,
			Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"},
		},
		Provisioner:          provisioner,
		ReclaimPolicy:        new(core.PersistentVolumeReclaimDelete),
		VolumeBindingMode:    new(storage.VolumeBindingWaitForFirstConsumer),
		AllowVolumeExpansion: new(true),
		AllowedTopologies: []core.TopologySelectorTerm{{
			MatchLabelExpressions: []core.TopologySelectorLabelRequirement{{Key: core.LabelHostname, Values: []string{node}}},
		}},
	}
}

// volumeFor is bound to its claim from the start, so that no other claim can take it.
func volumeFor(claim *core.PersistentVolumeClaim, node, dir string) *core.PersistentVolume {
	name := prefix + string(claim.UID)
	return &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{
			Name: name,
			// Without this the controller manager would delete the volume's data itself, and fail.
			Annotations: map[string]string{provisionedBy: provisioner},
		},
		Spec: core.PersistentVolumeSpec{
			AccessModes:                   claim.Spec.AccessModes,
			Capacity:                      core.ResourceList{core.ResourceStorage: sizeOf(claim.Spec.Resources.Requests)},
			PersistentVolumeReclaimPolicy: core.PersistentVolumeReclaimDelete,
			StorageClassName:              className,
			VolumeMode:                    new(core.PersistentVolumeFilesystem),
			ClaimRef: &core.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			PersistentVolumeSource: core.PersistentVolumeSource{
				HostPath: &core.HostPathVolumeSource{
					Path: filepath.Join(dir, name),
					Type: new(core.HostPathDirectoryOrCreate),
				},
			},
			NodeAffinity: &core.VolumeNodeAffinity{Required: &core.NodeSelector{
				NodeSelectorTerms: []core.NodeSelectorTerm{{
					MatchExpressions: []core.NodeSelectorRequirement{{
						Key: core.LabelHostname, Operator: core.NodeSelectorOpIn, Values: []string{node},
					}},
				}},
			}},
		},
	}
}

// withoutResizing drops the conditions about a resize, which is complete now.
func withoutResizing(conditions []core.PersistentVolumeClaimCondition) []core.PersistentVolumeClaimCondition {
	kept := []core.PersistentVolumeClaimCondition{}
	for _, condition := range conditions {
		switch condition.Type {
		case core.PersistentVolumeClaimResizing, core.PersistentVolumeClaimFileSystemResizePending:
		default:
			kept = append(kept, condition)
		}
	}
	return kept
}
