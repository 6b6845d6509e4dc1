package registry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
)

// running is a registry that serves.
type running struct {
	t    *testing.T
	url  string
	stop func()
}

// start serves a directory until stop, or until the test ends.
func start(t *testing.T, dir string) running {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, Options{Listener: listener, Dir: dir}) }()
	stop := func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		ended <- nil
	}
	t.Cleanup(stop)
	return running{t, "http://" + listener.Addr().String(), stop}
}

type answer struct {
	status int
	header http.Header
	body   string
}

// code is the registry's word for what is wrong.
func (a answer) code() string {
	var said struct {
		Errors []struct{ Code, Message string }
	}
	if json.Unmarshal([]byte(a.body), &said) != nil || len(said.Errors) != 1 || said.Errors[0].Message == "" {
		return "not an error: " + a.body
	}
	return said.Errors[0].Code
}

func (r running) ask(method, path, body string, header ...string) answer {
	r.t.Helper()
	request, err := http.NewRequest(method, r.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

// want asks and fails the test on another status.
func (r running) want(status int, method, path, body string, header ...string) answer {
	r.t.Helper()
	got := r.ask(method, path, body, header...)
	if got.status != status {
		r.t.Fatalf("%s %s: %d %s, want %d", method, path, got.status, got.body, status)
	}
	return got
}

func digestOf(content string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(content))) }

func (r running) pushBlob(repository, content string) string {
	r.t.Helper()
	digest := digestOf(content)
	r.want(http.StatusCreated, "POST", "/v2/"+repository+"/blobs/uploads/?digest="+digest, content)
	return digest
}

// pushImage makes an image of a config and a layer, and gives its manifest.
func (r running) pushImage(repository, tag, layer string) string {
	r.t.Helper()
	manifest := imageOf(r.pushBlob(repository, "{}"), r.pushBlob(repository, layer))
	r.want(http.StatusCreated, "PUT", "/v2/"+repository+"/manifests/"+tag, manifest, "Content-Type", imageManifest)
	return manifest
}

func imageOf(config, layer string) string {
	return fmt.Sprintf(`{"schemaVersion": 2, "config": {"digest": %q}, "layers": [{"digest": %q}]}`, config, layer)
}
