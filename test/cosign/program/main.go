// Command cosign-signer makes keys, signatures and attestations with the commands of cosign itself, for registries without
// TLS. cosign's own program also links the key stores of several clouds, which take most of its build.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/sigstore/cosign/v3/cmd/cosign/cli/attest"
	"github.com/sigstore/cosign/v3/cmd/cosign/cli/options"
	"github.com/sigstore/cosign/v3/cmd/cosign/cli/sign"
	"github.com/sigstore/cosign/v3/pkg/cosign"
)

func main() {
	key := flag.String("key", "cosign.key", "file of the private key, without a password")
	bundle := flag.Bool("bundle", false, "attach a bundle, as cosign does since version 3, and not a tag")
	predicate := flag.String("predicate", "", "file with a provenance to attest")
	flag.Parse()
	if err := run(flag.Args(), *key, *predicate, *bundle); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(words []string, key, predicate string, bundle bool) error {
	if len(words) == 0 {
		return fmt.Errorf("expected generate, sign IMAGE or attest IMAGE")
	}
	noPassword := func(bool) ([]byte, error) { return nil, nil }
	keyOptions := options.KeyOpts{KeyRef: key, PassFunc: noPassword, NewBundleFormat: bundle, SkipConfirmation: true}
	registry := options.RegistryOptions{AllowHTTPRegistry: true}
	ctx := context.Background()
	switch words[0] {
	case "generate":
		pair, err := cosign.GenerateKeyPair(noPassword)
		if err != nil {
			return err
		}
		if err := os.WriteFile(key, pair.PrivateBytes, 0o600); err != nil {
			return err
		}
		_, err = os.Stdout.Write(pair.PublicBytes)
		return err
	case "sign":
		signing := options.SignOptions{Upload: true, NewBundleFormat: bundle, Registry: registry}
		return sign.SignCmd(ctx, &options.RootOptions{Timeout: 10 * time.Minute}, keyOptions, signing, words[1:])
	case "attest":
		command := attest.AttestCommand{
			KeyOpts: keyOptions, RegistryOptions: registry, PredicatePath: predicate, PredicateType: "slsaprovenance1",
			RekorEntryType: "dsse",
		}
		return command.Exec(ctx, words[1])
	}
	return fmt.Errorf("expected generate, sign or attest, got %s", words[0])
}
