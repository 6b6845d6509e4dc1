package registry

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"strings"
)

type handler struct{ store store }

// fault is an error response with a code of the specification.
type fault struct {
	status  int
	code    string
	message string
}

func (f fault) Error() string { return f.message }

var (
	errMethod   = fault{http.StatusMethodNotAllowed, "UNSUPPORTED", "this method is not supported here"}
	errNoPage   = fault{http.StatusNotFound, "UNSUPPORTED", "no such path"}
	errName     = fault{http.StatusBadRequest, "NAME_INVALID", "invalid repository name: expected lower case letters and digits, with . _ - and / between them"}
	errNoDigest = fault{http.StatusBadRequest, "DIGEST_INVALID", "invalid digest: expected sha256: and 64 lower case hexadecimal digits"}
	errNoName   = fault{http.StatusNotFound, "NAME_UNKNOWN", "repository not found"}
	errNoBlob   = fault{http.StatusNotFound, "BLOB_UNKNOWN", "blob not found in this repository"}
	errNoUpload = fault{http.StatusNotFound, "BLOB_UPLOAD_UNKNOWN", "upload not found; start a new one"}
	errNoImage  = fault{http.StatusNotFound, "MANIFEST_UNKNOWN", "manifest not found in this repository"}
)

// ServeHTTP logs errors of the disk and does not show them to clients.
func (h *handler) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	response.Header().Set("Docker-Distribution-API-Version", "registry/2.0")
	err := h.route(response, request)
	if err == nil {
		return
	}
	known, isFault := errors.AsType[fault](err)
	if !isFault {
		logFailure(request, err)
		known = fault{http.StatusInternalServerError, "UNKNOWN", "the registry failed; see its log"}
	}
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(known.status)
	if request.Method != http.MethodHead {
		_ = json.NewEncoder(response).Encode(map[string]any{"errors": []any{map[string]string{"code": known.code, "message": known.message}}})
	}
}

// route reads a path from its end, because a repository's name may have any number of parts.
func (h *handler) route(response http.ResponseWriter, request *http.Request) error {
	path, isOurs := strings.CutPrefix(request.URL.Path, "/v2/")
	if !isOurs {
		return errNoPage
	}
	if path == "" {
		_, err := response.Write([]byte("{}"))
		return err
	}
	parts := strings.Split(path, "/")
	last := func(n int) string { return parts[max(len(parts)-n, 0)] }
	in := func(count int) (string, error) {
		name := strings.Join(parts[:max(len(parts)-count, 0)], "/")
		if len(name) > maxRepositoryName || !repositoryName.MatchString(name) {
			return "", errName
		}
		return name, nil
	}
	switch {
	case len(parts) > 3 && last(3) == "blobs" && last(2) == "uploads":
		repository, err := in(3)
		if err != nil {
			return err
		}
		return h.upload(response, request, repository, last(1))
	case len(parts) > 2 && last(2) == "blobs":
		repository, err := in(2)
		if err != nil {
			return err
		}
		return h.blob(response, request, repository, last(1))
	case len(parts) > 2 && last(2) == "manifests":
		repository, err := in(2)
		if err != nil {
			return err
		}
		return h.manifest(response, request, repository, last(1))
	case len(parts) > 2 && last(2) == "tags" && last(1) == "list":
		repository, err := in(2)
		if err != nil {
			return err
		}
		return h.listTags(response, request, repository)
	}
	return errNoPage
}

// missing turns "no such file" into the response that it means.
func missing(err error, meaning fault) error {
	if errors.Is(err, fs.ErrNotExist) {
		return meaning
	}
	return err
}
