package main

import (
	"crypto/dsa" //nolint:staticcheck // sprig still makes such keys
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"

	"golang.org/x/crypto/bcrypt"
)

type verifyRequest struct {
	Kind        string
	Certificate string
	Key         string
	CA          string
	Names       []string
	Hash        string
	Password    string
}

// answerVerify checks what was generated elsewhere: an error if it is unsound, else what Go sees in it.
func answerVerify(line []byte, answer *answer) error {
	var request verifyRequest
	if err := json.Unmarshal(line, &request); err != nil {
		return err
	}
	verifiers := map[string]func(verifyRequest) (any, error){
		"certificate": verifyCertificate,
		"privateKey":  verifyPrivateKey,
		"bcrypt":      verifyBcrypt,
	}
	verify, known := verifiers[request.Kind]
	if !known {
		return fmt.Errorf("nothing verifies %q", request.Kind)
	}
	seen, err := verify(request)
	if err != nil {
		return err
	}
	text, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	answer.setOutput(string(text))
	return nil
}

func verifyCertificate(request verifyRequest) (any, error) {
	certificate, err := parseCertificate(request.Certificate)
	if err != nil {
		return nil, err
	}
	if _, err := tls.X509KeyPair([]byte(request.Certificate), []byte(request.Key)); err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(orElse(request.CA, request.Certificate))) {
		return nil, errors.New("the CA is not a certificate in PEM")
	}
	for _, name := range append(request.Names, "") {
		options := x509.VerifyOptions{DNSName: name, Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}
		if _, err := certificate.Verify(options); err != nil {
			return nil, err
		}
	}
	return map[string]any{
		"version":            certificate.Version,
		"commonName":         certificate.Subject.CommonName,
		"subject":            certificate.Subject.String(),
		"issuer":             certificate.Issuer.String(),
		"dnsNames":           certificate.DNSNames,
		"addresses":          addressTexts(certificate.IPAddresses),
		"isCA":               certificate.IsCA,
		"basicConstraints":   certificate.BasicConstraintsValid,
		"keyUsage":           certificate.KeyUsage,
		"extKeyUsage":        certificate.ExtKeyUsage,
		"seconds":            certificate.NotAfter.Sub(certificate.NotBefore).Seconds(),
		"signatureAlgorithm": certificate.SignatureAlgorithm.String(),
		"publicKeyAlgorithm": certificate.PublicKeyAlgorithm.String(),
		"serialBits":         certificate.SerialNumber.BitLen(),
		"extensions":         extensionIDs(certificate),
	}, nil
}

func parseCertificate(text string) (*x509.Certificate, error) {
	block, rest := pem.Decode([]byte(text))
	if block == nil || block.Type != "CERTIFICATE" || len(rest) > 0 {
		return nil, errors.New("not one certificate in PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}

func addressTexts(addresses []net.IP) []string {
	texts := []string{}
	for _, address := range addresses {
		texts = append(texts, fmt.Sprintf("%s (%d bytes)", address, len(address)))
	}
	return texts
}

// extensionIDs tells which extensions there are, with an exclamation mark if critical.
func extensionIDs(certificate *x509.Certificate) []string {
	ids := []string{}
	for _, extension := range certificate.Extensions {
		id := extension.Id.String()
		if extension.Critical {
			id += "!"
		}
		ids = append(ids, id)
	}
	return ids
}

func verifyPrivateKey(request verifyRequest) (any, error) {
	block, rest := pem.Decode([]byte(request.Key))
	if block == nil || len(rest) > 0 {
		return nil, errors.New("not one key in PEM")
	}
	kind, err := describeKey(block)
	if err != nil {
		return nil, err
	}
	return map[string]any{"block": block.Type, "key": kind}, nil
}

func describeKey(block *pem.Block) (string, error) {
	switch block.Type {
	case "RSA PRIVATE KEY":
		key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
		if err != nil {
			return "", err
		}
		return describeRSA(key), key.Validate()
	case "EC PRIVATE KEY":
		key, err := x509.ParseECPrivateKey(block.Bytes)
		if err != nil {
			return "", err
		}
		return key.Curve.Params().Name, nil
	case "DSA PRIVATE KEY":
		return describeDSA(block.Bytes)
	case "PRIVATE KEY":
		key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			return "", err
		}
		switch key := key.(type) {
		case *rsa.PrivateKey:
			return describeRSA(key), key.Validate()
		case *ecdsa.PrivateKey:
			return key.Curve.Params().Name, nil
		case ed25519.PrivateKey:
			return "ed25519", nil
		}
	}
	return "", fmt.Errorf("unexpected block %q", block.Type)
}

func describeRSA(key *rsa.PrivateKey) string { return fmt.Sprintf("rsa %d", key.N.BitLen()) }

func describeDSA(der []byte) (string, error) {
	var key struct {
		Version       int
		P, Q, G, Y, X *big.Int
	}
	rest, err := asn1.Unmarshal(der, &key)
	if err != nil {
		return "", err
	}
	if len(rest) > 0 {
		return "", errors.New("something follows the key")
	}
	private := dsa.PrivateKey{X: key.X}
	private.P, private.Q, private.G = key.P, key.Q, key.G
	if new(big.Int).Exp(private.G, private.X, private.P).Cmp(key.Y) != 0 {
		return "", errors.New("the public key is not of the private key")
	}
	return fmt.Sprintf("dsa %d %d", key.P.BitLen(), key.Q.BitLen()), nil
}

func verifyBcrypt(request verifyRequest) (any, error) {
	if err := bcrypt.CompareHashAndPassword([]byte(request.Hash), []byte(request.Password)); err != nil {
		return nil, err
	}
	cost, err := bcrypt.Cost([]byte(request.Hash))
	return map[string]any{"cost": cost}, err
}
