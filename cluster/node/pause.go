package node

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"tenon.dev/cluster/atomicfile"
)

// WritePause writes an image of one program, in the format of `docker save`, for the node to load.
func WritePause(dir, program string) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	layer, err := archive(file{"pause", 0o755, content})
	if err != nil {
		return err
	}
	type object = map[string]any
	image, err := json.Marshal(object{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config":       object{"Entrypoint": []string{"/pause"}, "User": "65535:65535"},
		"rootfs":       object{"type": "layers", "diff_ids": []string{digest(layer)}},
	})
	if err != nil {
		return err
	}
	manifest, err := json.Marshal([]object{{"Config": "config.json", "RepoTags": []string{pauseImage}, "Layers": []string{"layer.tar"}}})
	if err != nil {
		return err
	}
	whole, err := archive(file{"config.json", 0o644, image}, file{"layer.tar", 0o644, layer}, file{"manifest.json", 0o644, manifest})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, stateDir), 0o700); err != nil {
		return err
	}
	return atomicfile.Replace(filepath.Join(dir, stateDir, pauseArchive), whole)
}

type file struct {
	name    string
	mode    int64
	content []byte
}

func archive(files ...file) ([]byte, error) {
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for _, file := range files {
		header := &tar.Header{Name: file.name, Mode: file.mode, Size: int64(len(file.content)), Typeflag: tar.TypeReg}
		if err := writer.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := writer.Write(file.content); err != nil {
			return nil, err
		}
	}
	err := writer.Close()
	return buffer.Bytes(), err
}

func digest(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }
