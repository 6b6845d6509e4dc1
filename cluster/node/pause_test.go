package node

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func unpack(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for reader := tar.NewReader(bytes.NewReader(content)); ; {
		header, err := reader.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(reader); err != nil {
			t.Fatal(err)
		}
	}
}

func TestThePauseImageNamesItsLayerByDigest(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("ELF"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WritePause(dir, program); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, stateDir, pauseArchive))
	if err != nil {
		t.Fatal(err)
	}
	files := unpack(t, whole)
	var list []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := json.Unmarshal(files["manifest.json"], &list); err != nil || len(list) != 1 || list[0].RepoTags[0] != pauseImage {
		t.Fatalf("manifest %s, %v", files["manifest.json"], err)
	}
	layer := files[list[0].Layers[0]]
	var image struct {
		Rootfs struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	if err := json.Unmarshal(files[list[0].Config], &image); err != nil || image.Rootfs.DiffIDs[0] != digest(layer) {
		t.Errorf("config %s, %v", files[list[0].Config], err)
	}
	if string(unpack(t, layer)["pause"]) != "ELF" {
		t.Error("the layer does not contain the program")
	}
}
