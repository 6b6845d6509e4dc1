package pki

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"testing"
)

func TestOnlyCertificatesOfTheInstanceCompleteAHandshake(t *testing.T) {
	// The same name, so that only the signatures tell them apart.
	mine, theirs := prepare(t, "mine"), prepare(t, "mine")
	for _, test := range []struct {
		reason         string
		trusts         Keys
		shows          string // the path of a certificate, without extension
		server, client bool   // does each accept the other
	}{
		{"its own administrator", mine, mine.Path("admin"), true, true},
		{"another instance's administrator", mine, theirs.Path("admin"), false, true},
		{"a client that expects the other instance here", theirs, mine.Path("admin"), false, false},
		{"the front proxy's certificate is not a client's", mine, mine.Path("front-proxy-client"), false, true},
		{"a server's certificate is not a client's", mine, mine.Path("kubelet-server"), false, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			client, server := shakeHands(t, mine, test.trusts, test.shows)
			if (client == nil) != test.client {
				t.Errorf("the client says: %v", client)
			}
			if (server == nil) != test.server {
				t.Errorf("the server says: %v", server)
			}
		})
	}
}

// shakeHands connects to a server with the apiserver's certificate and returns what each side thinks of the other.
func shakeHands(t *testing.T, serving, trusted Keys, shown string) (client, server error) {
	t.Helper()
	load := func(path string) *tls.Certificate {
		certificate, err := tls.LoadX509KeyPair(path+".crt", path+".key")
		if err != nil {
			t.Fatal(err)
		}
		return &certificate
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	serverConfig := &tls.Config{
		Certificates: []tls.Certificate{*load(serving.Path("apiserver"))},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    poolOf(t, serving.Path("ca.crt")),
	}
	shownCertificate := load(shown)
	served := make(chan error, 1)
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			served <- err
			return
		}
		defer connection.Close()
		served <- tls.Server(connection, serverConfig).Handshake()
	}()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(readConfig(t, trusted.Path("admin.kubeconfig")).Clusters[0].Cluster.Authority)
	connection, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	dialer := tls.Client(connection, &tls.Config{
		ServerName: "127.0.0.1",
		RootCAs:    roots,
		// Certificates would be filtered by what the server asks for; a stranger shows what he has.
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return shownCertificate, nil },
	})
	client = dialer.Handshake()
	if client == nil {
		_, _ = io.Copy(io.Discard, dialer) // until the server has made up its mind and hung up
	}
	return client, <-served
}
