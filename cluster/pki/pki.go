// Package pki makes the keys, certificates and kubeconfigs of an instance.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"tenon.dev/cluster/atomicfile"
)

// Keys is a directory of keys and certificates. The authorities and the key that signs service account tokens are made
// once and kept; everything they sign is made anew at each start, so nothing expires in a cluster that is used.
type Keys struct {
	Dir string
}

const (
	authorityLife   = 20 * 365 * 24 * time.Hour
	certificateLife = 365 * 24 * time.Hour
)

// Cluster is what certificates and kubeconfigs say of the instance.
type Cluster struct {
	Name          string
	Server        string // the URL by which the machine calls the API server
	ServerAddress string // that of the Service by which pods call it
	Node          Node
}

// Node is the real one, there or not.
type Node struct {
	Name    string
	Address string
	Server  string // the URL by which it calls the API server
	Gateway string // the address in that URL
}

// Path is where a file of the directory is.
func (k Keys) Path(file string) string { return filepath.Join(k.Dir, file) }

// Prepare makes what is missing. The kept keys appear all at once, by a rename: a crash leaves all of them or none.
func (k Keys) Prepare(cluster Cluster) error {
	if _, err := os.Stat(k.Dir); errors.Is(err, fs.ErrNotExist) {
		if err := makeAuthorities(k.Dir+".new", cluster.Name); err != nil {
			return err
		}
		if err := os.Rename(k.Dir+".new", k.Dir); err != nil {
			return err
		}
	}
	ca, err := readPair(k.Path("ca"))
	if err != nil {
		return err
	}
	frontProxy, err := readPair(k.Path("front-proxy-ca"))
	if err != nil {
		return err
	}
	local := []string{"localhost", "127.0.0.1"}
	service := []string{
		cluster.ServerAddress, cluster.Node.Gateway,
		"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
	}
	node := pkix.Name{CommonName: "system:node:" + cluster.Node.Name, Organization: []string{"system:nodes"}}
	admins := []string{"system:masters"}
	for _, c := range []struct {
		file    string
		issuer  *pair
		subject pkix.Name
		hosts   []string // of a server; a client has none
		server  string   // of a kubeconfig, if there is to be one
	}{
		{file: "apiserver", issuer: ca, subject: pkix.Name{CommonName: "kube-apiserver"}, hosts: append(local, service...)},
		{file: "kubelet-server", issuer: ca, subject: node, hosts: append(local, cluster.Node.Name, cluster.Node.Address)},
		{file: "front-proxy-client", issuer: frontProxy, subject: pkix.Name{CommonName: "front-proxy-client"}},
		{file: "apiserver-kubelet-client", issuer: ca, subject: pkix.Name{CommonName: "kube-apiserver-kubelet-client", Organization: admins}},
		{file: "admin", issuer: ca, subject: pkix.Name{CommonName: "kubernetes-admin", Organization: admins}, server: cluster.Server},
		{file: "controller-manager", issuer: ca, subject: pkix.Name{CommonName: "system:kube-controller-manager"}, server: cluster.Server},
		{file: "scheduler", issuer: ca, subject: pkix.Name{CommonName: "system:kube-scheduler"}, server: cluster.Server},
		{file: "kubelet", issuer: ca, subject: node, server: cluster.Node.Server},
		{file: "kube-proxy", issuer: ca, subject: pkix.Name{CommonName: "system:kube-proxy"}, server: cluster.Node.Server},
	} {
		made, err := c.issuer.sign(c.subject, c.hosts)
		if err != nil {
			return err
		}
		if err := made.write(k.Path(c.file)); err != nil {
			return err
		}
		if c.server != "" {
			text, err := kubeconfig(cluster.Name, c.server, ca, made)
			if err != nil {
				return err
			}
			if err := atomicfile.Replace(k.Path(c.file+".kubeconfig"), text); err != nil {
				return err
			}
		}
	}
	return nil
}

func makeAuthorities(dir, name string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, file := range []string{"ca", "front-proxy-ca"} {
		authority, err := newAuthority(fmt.Sprintf("tenon-%s-%s", name, file))
		if err != nil {
			return err
		}
		if err := authority.write(filepath.Join(dir, file)); err != nil {
			return err
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	if err := atomicfile.Replace(filepath.Join(dir, "sa.pub"), encodePEM("PUBLIC KEY", public)); err != nil {
		return err
	}
	return writeKey(filepath.Join(dir, "sa.key"), key)
}

// pair is a certificate and its key.
type pair struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(commonName string) (*pair, error) {
	return issue(nil, &x509.Certificate{
		Subject:               pkix.Name{CommonName: commonName},
		NotAfter:              time.Now().Add(authorityLife),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		IsCA:                  true,
		BasicConstraintsValid: true,
	})
}

// sign issues a server's certificate when hosts are given, else a client's.
func (p *pair) sign(subject pkix.Name, hosts []string) (*pair, error) {
	template := &x509.Certificate{
		Subject:     subject,
		NotAfter:    time.Now().Add(certificateLife),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if len(hosts) > 0 {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return issue(p, template)
}

func issue(authority *pair, template *x509.Certificate) (*pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template.NotBefore = time.Now().Add(-time.Hour)
	if authority == nil {
		authority = &pair{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority.certificate, &key.PublicKey, authority.key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &pair{certificate, key}, err
}

func (p *pair) certificatePEM() []byte { return encodePEM("CERTIFICATE", p.certificate.Raw) }

func (p *pair) write(path string) error {
	if err := atomicfile.Replace(path+".crt", p.certificatePEM()); err != nil {
		return err
	}
	return writeKey(path+".key", p.key)
}

func readPair(path string) (*pair, error) {
	certificate, err := readPEM(path+".crt", x509.ParseCertificate)
	if err != nil {
		return nil, err
	}
	key, err := readPEM(path+".key", x509.ParseECPrivateKey)
	if err != nil {
		return nil, err
	}
	if !key.PublicKey.Equal(certificate.PublicKey) {
		return nil, fmt.Errorf("%s.key is not the key of %s.crt", path, path)
	}
	return &pair{certificate, key}, nil
}

func readPEM[T any](path string, parse func([]byte) (T, error)) (T, error) {
	var none T
	text, err := os.ReadFile(path)
	if err != nil {
		return none, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return none, fmt.Errorf("%s holds no PEM block", path)
	}
	parsed, err := parse(block.Bytes)
	if err != nil {
		return none, fmt.Errorf("%s: %w", path, err)
	}
	return parsed, nil
}

func writeKey(path string, key *ecdsa.PrivateKey) error {
	text, err := keyPEM(key)
	if err != nil {
		return err
	}
	return atomicfile.Replace(path, text)
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	return encodePEM("EC PRIVATE KEY", der), err
}

func encodePEM(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
