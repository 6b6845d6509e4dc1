// Package registry is an OCI registry that keeps images in a directory:
// https://github.com/opencontainers/distribution-spec/blob/main/spec.md. It has no authentication: it listens on loopback.
package registry

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Options say where to listen and where to keep images.
type Options struct {
	Listener net.Listener
	Dir      string // used by this package only
}

// Serve answers until ctx ends, which is not an error, and closes the listener.
func Serve(ctx context.Context, options Options) error {
	defer options.Listener.Close()
	images, err := openStore(options.Dir)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: &handler{images}, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	finished := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(finished)
		grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if server.Shutdown(grace) != nil {
			_ = server.Close()
		}
	})
	err = server.Serve(options.Listener)
	if !stop() { // ctx has ended
		<-finished
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
