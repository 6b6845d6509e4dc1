package registry

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"strings"
)

type handler struct{ store store }

// fault is an answer in the specification's words.
type fault struct {
	status  int
	code    string
	message string
}

func (f fault) Error() string { return f.message }

var (
	errMethod   = fault{http.StatusMethodNotAllowed, "UNSUPPORTED", "this method is not supported here"}
	errNoPage   = fault{http.StatusNotFound, "UNSUPPORTED", "there is nothing at this path"}
	errName     = fault{http.StatusBadRequest, "NAME_INVALID", "the repository's name is invalid: lower case letters and digits, with . _ - and / between them"}
	errNoDigest = fault{http.StatusBadRequest, "DIGEST_INVALID", "the digest is not sha256: and 64 lower case hexadecimal digits"}
	errNoName   = fault{http.StatusNotFound, "NAME_UNKNOWN", "there is no such repository"}
	errNoBlob   = fault{http.StatusNotFound, "BLOB_UNKNOWN", "there is no such blob in this repository"}
	errNoUpload = fault{http.StatusNotFound, "BLOB_UPLOAD_UNKNOWN", "there is no such upload; begin again"}
	errNoImage  = fault{http.StatusNotFound, "MANIFEST_UNKNOWN", "there is no such manifest in this repository"}
)

// ServeHTTP never shows what went wrong with the disk to a client; that is for the log of whoever runs us.
func (h *handler) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	response.Header().Set("Docker-Distribution-API-Version", "registry/2.0")
	err := h.route(response, request)
	if err == nil {
		return
	}
	told, isFault := errors.AsType[fault](err)
	if !isFault {
		logFailure(request, err)
		told = fault{http.StatusInternalServerError, "UNKNOWN", "the registry failed; see its log"}
	}
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(told.status)
	if request.Method != http.MethodHead {
		_ = json.NewEncoder(response).Encode(map[string]any{"errors": []any{map[string]string{"code": told.code, "message": told.message}}})
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

// missing turns "no such file" into what that means to a client.
func missing(err error, meaning fault) error {
	if errors.Is(err, fs.ErrNotExist) {
		return meaning
	}
	return err
}
