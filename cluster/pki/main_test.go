package pki

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

const (
	server     = "https://127.0.0.1:23456"
	nodeServer = "https://10.130.255.1:23456"
)

func clusterAt(name, server string) Cluster {
	node := Node{Name: name + "-node", Address: "10.130.255.2", Server: nodeServer, Gateway: "10.130.255.1"}
	return Cluster{Name: name, Server: server, ServerAddress: "10.130.128.1", Node: node}
}

// prepare makes the keys of an instance in a new data directory.
func prepare(t *testing.T, name string) Keys {
	t.Helper()
	keys := Keys{Dir: filepath.Join(t.TempDir(), "pki")}
	if err := keys.Prepare(clusterAt(name, server)); err != nil {
		t.Fatal(err)
	}
	return keys
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func readCertificate(t *testing.T, path string) *x509.Certificate {
	t.Helper()
	certificate, err := readPEM(path, x509.ParseCertificate)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

func poolOf(t *testing.T, path string) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AddCert(readCertificate(t, path))
	return pool
}

// config is what a kubeconfig holds. encoding/json decodes base64 into bytes.
type config struct {
	CurrentContext string `json:"current-context"`
	Clusters       []struct {
		Name    string
		Cluster struct {
			Server    string
			Authority []byte `json:"certificate-authority-data"`
		}
	}
	Users []struct {
		Name string
		User struct {
			Certificate []byte `json:"client-certificate-data"`
			Key         []byte `json:"client-key-data"`
		}
	}
	Contexts []struct {
		Name    string
		Context struct{ Cluster, User string }
	}
}

func readConfig(t *testing.T, path string) config {
	t.Helper()
	var c config
	if err := json.Unmarshal(read(t, path), &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Clusters) != 1 || len(c.Users) != 1 || len(c.Contexts) != 1 {
		t.Fatalf("%s has %d clusters, %d users and %d contexts, want one of each", path, len(c.Clusters), len(c.Users), len(c.Contexts))
	}
	return c
}

// readTree maps each path below a directory to its mode, time of change and content.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content []byte
		if entry.Type().IsRegular() {
			content = read(t, path)
		}
		tree[path] = fmt.Sprint(info.Mode(), info.ModTime().UnixNano(), string(content))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
