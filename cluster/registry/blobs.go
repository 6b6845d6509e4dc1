package registry

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"k8s.io/klog/v2"
)

// maxBlob is larger than any layer that we expect.
const maxBlob = 16 << 30

func (h *handler) blob(response http.ResponseWriter, request *http.Request, repository, digest string) error {
	if !digestName.MatchString(digest) {
		return errNoDigest
	}
	path := h.store.path(repository, blobs, digest)
	switch request.Method {
	case http.MethodGet, http.MethodHead:
		file, err := os.Open(path)
		if err != nil {
			return missing(err, errNoBlob)
		}
		defer file.Close()
		response.Header().Set("Content-Type", "application/octet-stream")
		response.Header().Set("Docker-Content-Digest", digest)
		http.ServeContent(response, request, "", time.Time{}, file) // knows about ranges
		return nil
	case http.MethodDelete:
		if err := os.Remove(path); err != nil {
			return missing(err, errNoBlob)
		}
		response.WriteHeader(http.StatusAccepted)
		return nil
	}
	return errMethod
}

// upload takes a blob at once (POST with digest), in two steps (POST, PUT), or in pieces (POST, PATCH..., PUT).
func (h *handler) upload(response http.ResponseWriter, request *http.Request, repository, id string) error {
	if request.Method == http.MethodPost {
		if id != "" {
			return errNoPage
		}
		return h.beginUpload(response, request, repository)
	}
	if !uploadName.MatchString(id) {
		return errNoUpload
	}
	file, err := h.store.open(id)
	if errors.Is(err, errBusy) {
		return fault{http.StatusConflict, "BLOB_UPLOAD_INVALID", err.Error()}
	}
	if err != nil {
		return missing(err, errNoUpload)
	}
	defer file.Close()
	switch request.Method {
	case http.MethodGet:
		return tellProgress(response, file, repository, id, http.StatusNoContent)
	case http.MethodPatch:
		if err := receive(response, request, file); err != nil {
			return err
		}
		return tellProgress(response, file, repository, id, http.StatusAccepted)
	case http.MethodPut:
		return h.finishUpload(response, request, file, repository)
	case http.MethodDelete:
		if err := os.Remove(file.Name()); err != nil {
			return missing(err, errNoUpload)
		}
		response.WriteHeader(http.StatusNoContent)
		return nil
	}
	return errMethod
}

func (h *handler) beginUpload(response http.ResponseWriter, request *http.Request, repository string) error {
	query := request.URL.Query()
	from, mounted := query.Get("from"), query.Get("mount")
	if repositoryName.MatchString(from) && len(from) <= maxRepositoryName && digestName.MatchString(mounted) {
		if h.store.link(from, repository, mounted) == nil { // else the client sends it
			tellCreated(response, repository, blobs, mounted, mounted)
			return nil
		}
	}
	id, err := h.store.begin()
	if err != nil {
		return err
	}
	file, err := h.store.open(id)
	if err != nil {
		return err
	}
	defer file.Close()
	if query.Has("digest") {
		err := h.finishUpload(response, request, file, repository)
		if err != nil {
			_ = os.Remove(file.Name()) // the client does not know its name, so it cannot continue
		}
		return err
	}
	return tellProgress(response, file, repository, id, http.StatusAccepted)
}

func (h *handler) finishUpload(response http.ResponseWriter, request *http.Request, file *os.File, repository string) error {
	digest := request.URL.Query().Get("digest")
	if !digestName.MatchString(digest) {
		return errNoDigest
	}
	if err := receive(response, request, file); err != nil {
		return err
	}
	err := h.store.finish(file, h.store.path(repository, blobs, digest), digest)
	if errors.Is(err, errDigest) {
		_ = os.Remove(file.Name())
		return fault{http.StatusBadRequest, "DIGEST_INVALID", err.Error() + "; start a new upload"}
	}
	if err != nil {
		return err
	}
	tellCreated(response, repository, blobs, digest, digest)
	return nil
}

// receive appends a request's body to an upload. What arrives before a connection breaks is kept: the client can ask for
// the offset, and continue from there.
func receive(response http.ResponseWriter, request *http.Request, file *os.File) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if pieces := request.Header.Get("Content-Range"); pieces != "" {
		var first, last int64
		if _, err := fmt.Sscanf(pieces, "%d-%d", &first, &last); err != nil || first != size {
			return fault{http.StatusRequestedRangeNotSatisfiable, "BLOB_UPLOAD_INVALID", fmt.Sprintf("expected the next chunk to start at byte %d", size)}
		}
	}
	_, err = io.Copy(file, http.MaxBytesReader(response, request.Body, maxBlob-size))
	if _, isTooLarge := errors.AsType[*http.MaxBytesError](err); isTooLarge {
		return fault{http.StatusRequestEntityTooLarge, "SIZE_INVALID", fmt.Sprintf("a blob has at most %d bytes", int64(maxBlob))}
	}
	return err
}

func tellProgress(response http.ResponseWriter, file *os.File, repository, id string, status int) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	response.Header().Set("Location", fmt.Sprintf("/v2/%s/blobs/uploads/%s", repository, id))
	response.Header().Set("Range", fmt.Sprintf("0-%d", max(info.Size()-1, 0)))
	response.Header().Set("Docker-Upload-UUID", id)
	response.WriteHeader(status)
	return nil
}

func tellCreated(response http.ResponseWriter, repository, kind, reference, digest string) {
	response.Header().Set("Location", fmt.Sprintf("/v2/%s/%s/%s", repository, kind, reference))
	response.Header().Set("Docker-Content-Digest", digest)
	response.WriteHeader(http.StatusCreated)
}

func logFailure(request *http.Request, err error) {
	klog.Background().Error(err, "registry: request failed", "method", request.Method, "path", request.URL.Path)
}
