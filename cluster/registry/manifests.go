package registry

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"
)

// maxManifest is the limit that other registries have, too.
const maxManifest = 4 << 20

func (h *handler) manifest(response http.ResponseWriter, request *http.Request, repository, reference string) error {
	if !digestName.MatchString(reference) && !tagName.MatchString(reference) {
		return fault{http.StatusBadRequest, "TAG_INVALID", "expected a tag or a sha256 digest"}
	}
	switch request.Method {
	case http.MethodGet, http.MethodHead:
		return h.getManifest(response, request, repository, reference)
	case http.MethodPut:
		return h.putManifest(response, request, repository, reference)
	case http.MethodDelete:
		var err error
		if digestName.MatchString(reference) {
			err = h.store.removeManifest(repository, reference)
		} else {
			err = os.Remove(h.store.path(repository, tags, reference))
		}
		if err != nil {
			return missing(err, errNoImage)
		}
		response.WriteHeader(http.StatusAccepted)
		return nil
	}
	return errMethod
}

func (h *handler) getManifest(response http.ResponseWriter, request *http.Request, repository, reference string) error {
	digest, err := h.store.resolve(repository, reference)
	if err != nil {
		return missing(err, errNoImage)
	}
	content, err := os.ReadFile(h.store.path(repository, manifests, digest))
	if err != nil {
		return missing(err, errNoImage)
	}
	parsed, err := parseManifest(content)
	if err != nil {
		return err
	}
	response.Header().Set("Content-Type", parsed.MediaType)
	response.Header().Set("Docker-Content-Digest", digest)
	http.ServeContent(response, request, "", time.Time{}, bytes.NewReader(content))
	return nil
}

func (h *handler) putManifest(response http.ResponseWriter, request *http.Request, repository, reference string) error {
	content, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxManifest))
	if _, isTooLarge := errors.AsType[*http.MaxBytesError](err); isTooLarge {
		return fault{http.StatusRequestEntityTooLarge, "SIZE_INVALID", fmt.Sprintf("a manifest has at most %d bytes", maxManifest)}
	}
	if err != nil {
		return err
	}
	parsed, err := parseManifest(content)
	if err != nil {
		return fault{http.StatusBadRequest, "MANIFEST_INVALID", err.Error()}
	}
	if said := request.Header.Get("Content-Type"); said != "" && said != parsed.MediaType {
		return fault{http.StatusBadRequest, "MANIFEST_INVALID", fmt.Sprintf("Content-Type is %s, but the manifest is %s", said, parsed.MediaType)}
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(content))
	if digestName.MatchString(reference) && reference != digest {
		return fault{http.StatusBadRequest, "DIGEST_INVALID", errDigest.Error()}
	}
	for _, blob := range parsed.blobs() {
		if _, err := os.Stat(h.store.path(repository, blobs, blob)); err != nil {
			return missing(err, fault{http.StatusBadRequest, "MANIFEST_BLOB_UNKNOWN", "blob not found: " + blob + "; push it first"})
		}
	}
	if err := h.store.put(h.store.path(repository, manifests, digest), content); err != nil {
		return err
	}
	if reference != digest {
		if err := h.store.put(h.store.path(repository, tags, reference), []byte(digest)); err != nil {
			return err
		}
	}
	tellCreated(response, repository, manifests, reference, digest)
	return nil
}

func (h *handler) listTags(response http.ResponseWriter, request *http.Request, repository string) error {
	if request.Method != http.MethodGet {
		return errMethod
	}
	names, err := h.store.tags(repository)
	if err != nil {
		return missing(err, errNoName)
	}
	query := request.URL.Query()
	if last := query.Get("last"); last != "" {
		at, isThere := slices.BinarySearch(names, last)
		if isThere {
			at++
		}
		names = names[at:]
	}
	if count, err := strconv.Atoi(query.Get("n")); err == nil && count >= 0 && count < len(names) {
		names = names[:count]
		if count > 0 {
			next := url.Values{"n": {strconv.Itoa(count)}, "last": {names[count-1]}}
			response.Header().Set("Link", fmt.Sprintf(`</v2/%s/tags/list?%s>; rel="next"`, repository, next.Encode()))
		}
	}
	response.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(response).Encode(map[string]any{"name": repository, "tags": names})
}
