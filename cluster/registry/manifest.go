package registry

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A manifest without a media type of its own is one of these: https://github.com/opencontainers/image-spec.
const (
	imageManifest = "application/vnd.oci.image.manifest.v1+json"
	imageIndex    = "application/vnd.oci.image.index.v1+json"
)

type manifest struct {
	MediaType string `json:"mediaType"`
	Config    *part  `json:"config"`
	Layers    []part `json:"layers"`
	Manifests []part `json:"manifests"`
}

type part struct {
	Digest string   `json:"digest"`
	URLs   []string `json:"urls"`
}

func parseManifest(content []byte) (manifest, error) {
	var parsed manifest
	if err := json.Unmarshal(content, &parsed); err != nil {
		return parsed, fmt.Errorf("not a manifest: %w", err)
	}
	switch {
	case parsed.MediaType != "":
	case parsed.Manifests != nil:
		parsed.MediaType = imageIndex
	case parsed.Config != nil:
		parsed.MediaType = imageManifest
	default:
		return parsed, errors.New("not a manifest: expected \"config\" or \"manifests\"")
	}
	for _, blob := range parsed.blobs() {
		if !digestName.MatchString(blob) {
			return parsed, fmt.Errorf("expected a sha256 digest, got %q", blob)
		}
	}
	return parsed, nil
}

// blobs are those that must exist. The images of an index need not: users may copy only those of their platform.
func (m manifest) blobs() []string {
	var digests []string
	if m.Config != nil {
		digests = append(digests, m.Config.Digest)
	}
	for _, layer := range m.Layers {
		if len(layer.URLs) == 0 { // else it is stored elsewhere
			digests = append(digests, layer.Digest)
		}
	}
	return digests
}
