package pki

import (
	"bytes"
	"crypto/tls"
	"path/filepath"
	"strings"
	"testing"
)

func TestKubeconfigNeedsNoOtherFileAndNamesOneInstance(t *testing.T) {
	keys := prepare(t, "mine")
	paths, err := filepath.Glob(keys.Path("*.kubeconfig"))
	if err != nil || len(paths) != 5 {
		t.Errorf("found %v, %v", paths, err)
	}
	for _, path := range paths {
		file := strings.TrimSuffix(filepath.Base(path), ".kubeconfig")
		t.Run(file, func(t *testing.T) {
			c := readConfig(t, path)
			cluster, user, context := c.Clusters[0], c.Users[0], c.Contexts[0]
			for _, name := range []string{c.CurrentContext, cluster.Name, user.Name, context.Name, context.Context.Cluster, context.Context.User} {
				if name != "tenon-mine" {
					t.Errorf("has a name %q", name)
				}
			}
			want := server
			if file == "kubelet" || file == "kube-proxy" { // the machine's loopback is not the node's
				want = nodeServer
			}
			if cluster.Cluster.Server != want {
				t.Errorf("server is %s", cluster.Cluster.Server)
			}
			if !bytes.Equal(cluster.Cluster.Authority, read(t, keys.Path("ca.crt"))) {
				t.Error("trusts another authority")
			}
			if _, err := tls.X509KeyPair(user.User.Certificate, user.User.Key); err != nil {
				t.Error(err)
			}
			if !bytes.Equal(user.User.Certificate, read(t, keys.Path(file+".crt"))) {
				t.Error("holds another certificate than the file beside it")
			}
		})
	}
}

func TestKubeconfigFollowsTheServer(t *testing.T) {
	keys := prepare(t, "mine")
	const moved = "https://127.0.0.1:29999"
	if err := keys.Prepare(clusterAt("mine", moved)); err != nil {
		t.Fatal(err)
	}
	if c := readConfig(t, keys.Path("admin.kubeconfig")); c.Clusters[0].Cluster.Server != moved {
		t.Errorf("server is %s", c.Clusters[0].Cluster.Server)
	}
}
