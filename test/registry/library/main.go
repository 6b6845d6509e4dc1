// go-containerregistry's registry, in memory, on a free port of loopback, which it prints. It has referrers unless
// --no-referrers is given. It ends when its standard input does, so that no test leaves one behind.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	hasReferrers := !slices.Contains(os.Args, "--no-referrers")
	quiet := registry.Logger(log.New(io.Discard, "", 0))
	log.Fatal(http.Serve(listener, registry.New(quiet, registry.WithReferrersSupport(hasReferrers))))
}
