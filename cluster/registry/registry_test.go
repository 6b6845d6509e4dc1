package registry

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBlobCanBePushedInEachWay(t *testing.T) {
	const content = "a layer of many bytes"
	digest := digestOf(content)
	for _, test := range []struct {
		reason string
		push   func(r running)
	}{
		{reason: "in one request", push: func(r running) { r.pushBlob("team/app", content) }},
		{reason: "in two requests", push: func(r running) {
			at := r.want(http.StatusAccepted, "POST", "/v2/team/app/blobs/uploads/", "").header.Get("Location")
			r.want(http.StatusCreated, "PUT", at+"?digest="+digest, content)
		}},
		{reason: "as a stream", push: func(r running) {
			at := r.want(http.StatusAccepted, "POST", "/v2/team/app/blobs/uploads/", "").header.Get("Location")
			at = r.want(http.StatusAccepted, "PATCH", at, content).header.Get("Location")
			r.want(http.StatusCreated, "PUT", at+"?digest="+digest, "")
		}},
		{reason: "in chunks, the last one with the final request", push: func(r running) {
			at := r.want(http.StatusAccepted, "POST", "/v2/team/app/blobs/uploads/", "").header.Get("Location")
			got := r.want(http.StatusAccepted, "PATCH", at, content[:5], "Content-Range", "0-4")
			if got.header.Get("Range") != "0-4" {
				r.t.Errorf("Range is %q", got.header.Get("Range"))
			}
			got = r.want(http.StatusRequestedRangeNotSatisfiable, "PATCH", at, content[9:], "Content-Range", "9-20")
			if got.code() != "BLOB_UPLOAD_INVALID" {
				r.t.Error(got.body)
			}
			got = r.want(http.StatusNoContent, "GET", at, "")
			if got.header.Get("Range") != "0-4" {
				r.t.Errorf("after a piece out of turn, Range is %q", got.header.Get("Range"))
			}
			r.want(http.StatusAccepted, "PATCH", at, content[5:9], "Content-Range", "5-8")
			r.want(http.StatusCreated, "PUT", at+"?digest="+digest, content[9:], "Content-Range", "9-20")
			r.want(http.StatusNotFound, "GET", at, "")
		}},
		{reason: "by mounting it from another repository", push: func(r running) {
			r.pushBlob("base", content)
			r.want(http.StatusCreated, "POST", "/v2/team/app/blobs/uploads/?from=base&mount="+digest, "")
		}},
		{reason: "twice", push: func(r running) {
			r.pushBlob("team/app", content)
			r.pushBlob("team/app", content)
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			r := start(t, dir)
			test.push(r)
			path := "/v2/team/app/blobs/" + digest
			if got := r.want(http.StatusOK, "GET", path, ""); got.body != content || got.header.Get("Docker-Content-Digest") != digest {
				t.Errorf("got %q, digest %q", got.body, got.header.Get("Docker-Content-Digest"))
			}
			if got := r.want(http.StatusOK, "HEAD", path, ""); got.header.Get("Content-Length") != fmt.Sprint(len(content)) {
				t.Errorf("HEAD says %s bytes", got.header.Get("Content-Length"))
			}
			if got := r.want(http.StatusPartialContent, "GET", path, "", "Range", "bytes=2-6"); got.body != content[2:7] {
				t.Errorf("a range is %q", got.body)
			}
			if left, err := os.ReadDir(filepath.Join(dir, "uploads")); err != nil || len(left) != 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestImagesSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir)
	manifest := first.pushImage("team/app", "v1", "layer")
	first.pushImage("team/app", "v1.new", "another layer") // a tag that ends like a file being written
	upload := first.want(http.StatusAccepted, "POST", "/v2/team/app/blobs/uploads/", "").header.Get("Location")
	first.stop()

	second := start(t, dir)
	for _, reference := range []string{"v1", digestOf(manifest)} {
		got := second.want(http.StatusOK, "GET", "/v2/team/app/manifests/"+reference, "")
		if got.body != manifest || got.header.Get("Content-Type") != imageManifest || got.header.Get("Docker-Content-Digest") != digestOf(manifest) {
			t.Errorf("%s is %q with %v", reference, got.body, got.header)
		}
	}
	second.want(http.StatusOK, "GET", "/v2/team/app/blobs/"+digestOf("layer"), "")
	if got := second.want(http.StatusOK, "GET", "/v2/team/app/tags/list", ""); got.body != `{"name":"team/app","tags":["v1","v1.new"]}`+"\n" {
		t.Errorf("tags: %s", got.body)
	}
	if got := second.want(http.StatusNotFound, "PATCH", upload, "more"); got.code() != "BLOB_UPLOAD_UNKNOWN" {
		t.Errorf("an upload of before: %s", got.body)
	}
}

func TestTagMovesAndTheOldManifestStays(t *testing.T) {
	r := start(t, t.TempDir())
	before, after := r.pushImage("app", "latest", "one"), r.pushImage("app", "latest", "two")
	if got := r.want(http.StatusOK, "GET", "/v2/app/manifests/latest", ""); got.body != after {
		t.Errorf("latest is %q", got.body)
	}
	if got := r.want(http.StatusOK, "GET", "/v2/app/manifests/"+digestOf(before), ""); got.body != before {
		t.Errorf("the old one is %q", got.body)
	}
}

func TestDeletingManifestsTagsAndBlobs(t *testing.T) {
	r := start(t, t.TempDir())
	manifest := r.pushImage("app", "v1", "layer")
	r.pushImage("app", "stable", "layer")
	r.pushImage("app", "v2", "other")
	r.pushImage("friend", "v1", "layer")

	r.want(http.StatusAccepted, "DELETE", "/v2/app/manifests/v2", "")
	r.want(http.StatusNotFound, "GET", "/v2/app/manifests/v2", "")
	r.want(http.StatusAccepted, "DELETE", "/v2/app/manifests/"+digestOf(manifest), "")
	for _, reference := range []string{"v1", "stable", digestOf(manifest)} {
		if got := r.want(http.StatusNotFound, "GET", "/v2/app/manifests/"+reference, ""); got.code() != "MANIFEST_UNKNOWN" {
			t.Errorf("%s: %s", reference, got.body)
		}
	}
	if got := r.want(http.StatusOK, "GET", "/v2/app/tags/list", ""); got.body != `{"name":"app","tags":[]}`+"\n" {
		t.Errorf("tags: %s", got.body)
	}
	layer := "/blobs/" + digestOf("layer")
	r.want(http.StatusAccepted, "DELETE", "/v2/app"+layer, "")
	r.want(http.StatusNotFound, "GET", "/v2/app"+layer, "")
	r.want(http.StatusNotFound, "DELETE", "/v2/app"+layer, "")
	r.want(http.StatusOK, "GET", "/v2/friend"+layer, "")
}

func TestTagsAreListedInPages(t *testing.T) {
	r := start(t, t.TempDir())
	for _, tag := range []string{"c", "a", "d", "b", "e"} {
		r.pushImage("app", tag, "layer")
	}
	var pages []string
	for next := "/v2/app/tags/list?n=2"; next != ""; {
		got := r.want(http.StatusOK, "GET", next, "")
		pages = append(pages, strings.TrimSpace(got.body))
		next, _, _ = strings.Cut(strings.TrimPrefix(got.header.Get("Link"), "<"), ">")
	}
	want := []string{`{"name":"app","tags":["a","b"]}`, `{"name":"app","tags":["c","d"]}`, `{"name":"app","tags":["e"]}`}
	if !slices.Equal(pages, want) {
		t.Errorf("got %q", pages)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	r := start(t, filepath.Join(dir, "registry"))
	config, layer := r.pushBlob("app", "{}"), r.pushBlob("app", "layer")
	image := imageOf(config, layer)
	const blob = "/v2/app/blobs/uploads/?digest="
	for _, test := range []struct {
		reason       string
		method, path string
		body, kind   string
		status       int
		code         string
	}{
		{reason: "content that does not match its digest", method: "POST", path: blob + digestOf("this"), body: "that", status: 400, code: "DIGEST_INVALID"},
		{reason: "a digest of another kind", method: "POST", path: blob + "sha512:00", body: "that", status: 400, code: "DIGEST_INVALID"},
		{reason: "a digest that climbs outside", method: "POST", path: blob + "sha256:../../../../x", body: "that", status: 400, code: "DIGEST_INVALID"},
		{reason: "a name in upper case", method: "POST", path: "/v2/App/blobs/uploads/", status: 400, code: "NAME_INVALID"},
		{reason: "a name that climbs outside", method: "POST", path: "/v2/a/%2e%2e/%2e%2e/blobs/uploads/", status: 400, code: "NAME_INVALID"},
		{reason: "a name that is too long", method: "POST", path: "/v2/" + strings.Repeat("a", 256) + "/blobs/uploads/", status: 400, code: "NAME_INVALID"},
		{reason: "an upload that climbs outside", method: "PATCH", path: "/v2/app/blobs/uploads/..%5c..", status: 404, code: "BLOB_UPLOAD_UNKNOWN"},
		{reason: "no such upload", method: "PUT", path: "/v2/app/blobs/uploads/ABCDEFGHIJKLMNOPQRSTUVWXYZ?digest=" + layer, status: 404, code: "BLOB_UPLOAD_UNKNOWN"},
		{reason: "a blob of another repository", method: "GET", path: "/v2/other/blobs/" + layer, status: 404, code: "BLOB_UNKNOWN"},
		{reason: "no such repository", method: "GET", path: "/v2/other/tags/list", status: 404, code: "NAME_UNKNOWN"},
		{reason: "no such tag", method: "GET", path: "/v2/app/manifests/v1", status: 404, code: "MANIFEST_UNKNOWN"},
		{reason: "an invalid tag", method: "PUT", path: "/v2/app/manifests/.hidden", body: image, status: 400, code: "TAG_INVALID"},
		{reason: "not JSON", method: "PUT", path: "/v2/app/manifests/v1", body: "image", status: 400, code: "MANIFEST_INVALID"},
		{reason: "JSON that is not a manifest", method: "PUT", path: "/v2/app/manifests/v1", body: "{}", status: 400, code: "MANIFEST_INVALID"},
		{reason: "a Content-Type that it does not have", method: "PUT", path: "/v2/app/manifests/v1", body: image, kind: imageIndex, status: 400, code: "MANIFEST_INVALID"},
		{reason: "a layer that climbs outside", method: "PUT", path: "/v2/app/manifests/v1", body: imageOf(config, "../../x"), status: 400, code: "MANIFEST_INVALID"},
		{reason: "a layer that does not exist", method: "PUT", path: "/v2/app/manifests/v1", body: imageOf(config, digestOf("nothing")), status: 400, code: "MANIFEST_BLOB_UNKNOWN"},
		{reason: "a layer that is in another repository", method: "PUT", path: "/v2/other/manifests/v1", body: image, status: 400, code: "MANIFEST_BLOB_UNKNOWN"},
		{reason: "a manifest under another digest", method: "PUT", path: "/v2/app/manifests/" + digestOf("x"), body: image, status: 400, code: "DIGEST_INVALID"},
		{reason: "too large a manifest", method: "PUT", path: "/v2/app/manifests/v1", body: strings.Repeat(" ", maxManifest) + image, status: 413, code: "SIZE_INVALID"},
		{reason: "another path", method: "GET", path: "/metrics", status: 404, code: "UNSUPPORTED"},
		{reason: "no repository name", method: "GET", path: "/v2/manifests/v1", status: 404, code: "UNSUPPORTED"},
		{reason: "the catalog", method: "GET", path: "/v2/_catalog", status: 404, code: "UNSUPPORTED"},
		{reason: "another method", method: "POST", path: "/v2/app/manifests/v1", status: 405, code: "UNSUPPORTED"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			before := filesIn(t, dir)
			header := []string{}
			if test.kind != "" {
				header = []string{"Content-Type", test.kind}
			}
			if got := r.ask(test.method, test.path, test.body, header...); got.status != test.status || got.code() != test.code {
				t.Errorf("got %d %s, want %d %s", got.status, got.body, test.status, test.code)
			}
			if after := filesIn(t, dir); !slices.Equal(before, after) {
				t.Errorf("left behind: %q", after)
			}
		})
	}
}

func TestIncompleteManifestsThatAreAccepted(t *testing.T) {
	r := start(t, t.TempDir())
	config := r.pushBlob("app", "{}")
	for _, test := range []struct{ reason, manifest, kind string }{
		{
			reason:   "an index without its images: users copy only those of their platform",
			manifest: fmt.Sprintf(`{"manifests": [{"digest": %q}]}`, digestOf("elsewhere")),
			kind:     imageIndex,
		},
		{
			reason:   "a layer with a URL of its own",
			manifest: fmt.Sprintf(`{"config": {"digest": %q}, "layers": [{"digest": %q, "urls": ["https://example.org"]}]}`, config, digestOf("elsewhere")),
			kind:     imageManifest,
		},
		{
			reason:   "another media type",
			manifest: `{"mediaType": "application/vnd.example+json"}`,
			kind:     "application/vnd.example+json",
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			r.want(http.StatusCreated, "PUT", "/v2/app/manifests/v1", test.manifest, "Content-Type", test.kind)
			if got := r.want(http.StatusOK, "HEAD", "/v2/app/manifests/v1", ""); got.header.Get("Content-Type") != test.kind {
				t.Errorf("is %s now", got.header.Get("Content-Type"))
			}
		})
	}
}

func TestUploadHasOneWriter(t *testing.T) {
	images, err := openStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	id, err := images.begin()
	if err != nil {
		t.Fatal(err)
	}
	file, err := images.open(id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := images.open(id); err != errBusy {
		t.Errorf("a second writer: %v", err)
	}
	file.Close()
	again, err := images.open(id)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

func TestRepositoriesWhoseNamesLookLikePathsAreKeptApart(t *testing.T) {
	r := start(t, t.TempDir())
	r.pushImage("a", "v1", "layer")
	r.pushImage("a/tags", "v2", "layer")
	r.pushImage("a/blobs/uploads", "v3", "layer")
	for repository, tag := range map[string]string{"a": "v1", "a/tags": "v2", "a/blobs/uploads": "v3"} {
		if got := r.want(http.StatusOK, "GET", "/v2/"+repository+"/tags/list", ""); got.body != fmt.Sprintf("{%q:%q,%q:[%q]}\n", "name", repository, "tags", tag) {
			t.Errorf("%s has %s", repository, got.body)
		}
	}
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
