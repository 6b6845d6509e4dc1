package pki

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// kept are the files that are made once; whatever else is in the directory is made at each start.
var kept = []string{"ca.crt", "ca.key", "front-proxy-ca.crt", "front-proxy-ca.key", "sa.key", "sa.pub"}

func TestAuthoritiesAreKeptAndTheRestIsMadeAnew(t *testing.T) {
	keys := prepare(t, "mine")
	first := map[string][]byte{}
	files, err := os.ReadDir(keys.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		first[file.Name()] = read(t, keys.Path(file.Name()))
	}
	if err := keys.Prepare(clusterAt("mine", server)); err != nil {
		t.Fatal(err)
	}
	for file, content := range first {
		if isKept := slices.Contains(kept, file); isKept != bytes.Equal(content, read(t, keys.Path(file))) {
			t.Errorf("%s: kept = %v, want %v", file, !isKept, isKept)
		}
	}
	if again, err := os.ReadDir(keys.Dir); err != nil || len(again) != len(files) {
		t.Errorf("%d files, then %v, %v", len(files), again, err)
	}
	wantWhole(t, keys)
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0)) // which must not matter
	keys := prepare(t, "mine")
	if info, err := os.Stat(keys.Dir); err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("the directory has mode %v, %v", info.Mode(), err)
	}
	files, err := os.ReadDir(keys.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := file.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, %v", file.Name(), info.Mode(), err)
		}
	}
}

func TestEachCertificateServesItsPurposeOnly(t *testing.T) {
	keys := prepare(t, "mine")
	tests := map[string]struct {
		reason       string
		authority    string // ca, unless given
		commonName   string
		organization string
		hosts        []string // of a server; a client has none
	}{
		"apiserver": {
			reason:     "clients outside call it by loopback, those in pods by its Service",
			commonName: "kube-apiserver", hosts: []string{"127.0.0.1", "localhost", "10.130.128.1", "10.130.255.1", "kubernetes.default.svc"},
		},
		"kubelet-server": {
			reason:     "kube-apiserver calls it by node name or address",
			commonName: "system:node:mine-node", organization: "system:nodes", hosts: []string{"127.0.0.1", "localhost", "mine-node", "10.130.255.2"},
		},
		"front-proxy-client": {
			reason:    "its holder may act as any user, so it has an authority of its own",
			authority: "front-proxy-ca", commonName: "front-proxy-client",
		},
		"apiserver-kubelet-client": {
			reason:     "the kubelet's API asks for an administrator",
			commonName: "kube-apiserver-kubelet-client", organization: "system:masters",
		},
		"admin":              {reason: "RBAC lets this group do all", commonName: "kubernetes-admin", organization: "system:masters"},
		"controller-manager": {reason: "bound by name", commonName: "system:kube-controller-manager"},
		"scheduler":          {reason: "bound by name", commonName: "system:kube-scheduler"},
		"kubelet":            {reason: "the Node authorizer goes by both", commonName: "system:node:mine-node", organization: "system:nodes"},
		"kube-proxy":         {reason: "bound by name", commonName: "system:kube-proxy"},
	}
	made, err := filepath.Glob(keys.Path("*.crt"))
	if err != nil || len(made) != len(tests)+2 {
		t.Errorf("certificates of %d files and 2 authorities are tested; made were %v, %v", len(tests), made, err)
	}
	for file, test := range tests {
		t.Run(file, func(t *testing.T) {
			certificate := readCertificate(t, keys.Path(file+".crt"))
			subject := certificate.Subject
			if subject.CommonName != test.commonName || strings.Join(subject.Organization, ",") != test.organization {
				t.Errorf("is %v, want CN=%s,O=%s: %s", subject, test.commonName, test.organization, test.reason)
			}
			if certificate.IsCA {
				t.Error("may sign others")
			}
			authority, other := "ca", "front-proxy-ca"
			if test.authority == other {
				authority, other = other, authority
			}
			usage, otherUsage := x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth
			if len(test.hosts) > 0 {
				usage, otherUsage = otherUsage, usage
			}
			verify := func(authority string, usage x509.ExtKeyUsage, host string) error {
				_, err := certificate.Verify(x509.VerifyOptions{
					Roots: poolOf(t, keys.Path(authority+".crt")), KeyUsages: []x509.ExtKeyUsage{usage}, DNSName: host,
				})
				return err
			}
			for _, host := range append(test.hosts, "") {
				if err := verify(authority, usage, host); err != nil {
					t.Errorf("host %q: %v: %s", host, err, test.reason)
				}
			}
			if verify(authority, usage, "example.com") == nil {
				t.Error("serves as a foreign host")
			}
			if verify(authority, otherUsage, "") == nil {
				t.Error("serves the other purpose too")
			}
			if verify(other, usage, "") == nil {
				t.Errorf("%s accepts it", other)
			}
		})
	}
}

func TestPrepareRecoversFromACrash(t *testing.T) {
	complete := func(t *testing.T, keys Keys) {
		if err := makeAuthorities(keys.Dir+".new", "mine"); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(t *testing.T, keys Keys, files ...string) {
		complete(t, keys)
		for _, file := range files {
			if err := os.Remove(filepath.Join(keys.Dir+".new", file)); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(t *testing.T, path, content string) {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		reason string
		crash  func(t *testing.T, keys Keys)
	}{
		{"before the rename: all authorities are there", complete},
		{"with the directory made", func(t *testing.T, keys Keys) { remove(t, keys, kept...) }},
		{"between a certificate and its key", func(t *testing.T, keys Keys) { remove(t, keys, kept[1:]...) }},
		{"between two authorities", func(t *testing.T, keys Keys) { remove(t, keys, kept[2:]...) }},
		{"before the last file", func(t *testing.T, keys Keys) { remove(t, keys, "sa.key") }},
		{"in the middle of a file", func(t *testing.T, keys Keys) {
			remove(t, keys, kept[1:]...)
			write(t, filepath.Join(keys.Dir+".new", "ca.key.new"), "-----BEGIN EC PRI")
		}},
		{"between a new certificate and its new key, at a later start", func(t *testing.T, keys Keys) {
			if err := keys.Prepare(clusterAt("mine", server)); err != nil {
				t.Fatal(err)
			}
			write(t, keys.Path("apiserver.crt"), string(read(t, keys.Path("admin.crt"))))
			write(t, keys.Path("apiserver.key.new"), "-----BEGIN EC PRI")
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			keys := Keys{Dir: filepath.Join(t.TempDir(), "pki")}
			test.crash(t, keys)
			if err := keys.Prepare(clusterAt("mine", server)); err != nil {
				t.Fatal(err)
			}
			wantWhole(t, keys)
		})
	}
}

func TestPrepareNamesTheDamagedFileAndTouchesNothing(t *testing.T) {
	foreign := prepare(t, "foreign")
	for _, test := range []struct {
		reason  string
		file    string
		content string
	}{
		{"a key that is not PEM", "ca.key", "garbage"},
		{"an empty key", "ca.key", ""},
		{"a key of another kind", "ca.key", "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n"},
		{"another authority's key", "ca.key", string(read(t, foreign.Path("ca.key")))},
		{"a certificate that is not PEM", "ca.crt", "garbage"},
		{"the front proxy's key", "front-proxy-ca.key", "garbage"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			keys := prepare(t, "mine")
			if err := os.WriteFile(keys.Path(test.file), []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			wantRefusal(t, keys, test.file)
		})
	}
	t.Run("a missing key: a new one would not fit what the old one signed", func(t *testing.T) {
		keys := prepare(t, "mine")
		if err := os.Remove(keys.Path("ca.key")); err != nil {
			t.Fatal(err)
		}
		wantRefusal(t, keys, "ca.key")
	})
}

func wantRefusal(t *testing.T, keys Keys, file string) {
	t.Helper()
	before := readTree(t, keys.Dir)
	err := keys.Prepare(clusterAt("mine", server))
	if err == nil || !strings.Contains(err.Error(), keys.Path(file)) {
		t.Errorf("got %v, want an error that names %s", err, keys.Path(file))
	}
	if !maps.Equal(before, readTree(t, keys.Dir)) {
		t.Error("the directory has changed")
	}
}

// wantWhole fails unless every key belongs to its other half and nothing half-made is left.
func wantWhole(t *testing.T, keys Keys) {
	t.Helper()
	certificates, err := filepath.Glob(keys.Path("*.crt"))
	if err != nil || len(certificates) == 0 {
		t.Errorf("found %v, %v", certificates, err)
	}
	for _, path := range certificates {
		if _, err := tls.LoadX509KeyPair(path, strings.TrimSuffix(path, ".crt")+".key"); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	private, err := readPEM(keys.Path("sa.key"), x509.ParseECPrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	public, err := readPEM(keys.Path("sa.pub"), x509.ParsePKIXPublicKey)
	if err != nil {
		t.Fatal(err)
	}
	if !public.(*ecdsa.PublicKey).Equal(&private.PublicKey) {
		t.Error("sa.pub is not the public half of sa.key")
	}
	if _, err := os.Stat(keys.Dir + ".new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("pki.new: %v", err)
	}
	if left, err := filepath.Glob(keys.Path("*.new")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
