// Package forward lets a node call servers that listen on the machine's loopback only.
package forward

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// Listen accepts connections at one address and passes each on to another, until the context ends.
func Listen(ctx context.Context, from, to string) (<-chan error, error) {
	listener, err := net.Listen("tcp", from)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = listener.Close() })
	ended := make(chan error, 1)
	go func() { ended <- accept(ctx, listener, to) }()
	return ended, nil
}

func accept(ctx context.Context, listener net.Listener, to string) error {
	for {
		connection, err := listener.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // such as too many open files: accepting the next one may succeed
			time.Sleep(50 * time.Millisecond)
		default:
			go pass(ctx, connection.(*net.TCPConn), to)
		}
	}
}

// pass ends when both directions have ended, or the context. The end of one direction is forwarded on its own: a client may
// have sent everything and still read.
func pass(ctx context.Context, from *net.TCPConn, address string) {
	defer from.Close()
	dialer := net.Dialer{}
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return
	}
	to := connection.(*net.TCPConn)
	defer to.Close()
	stop := context.AfterFunc(ctx, func() {
		_ = from.Close()
		_ = to.Close()
	})
	defer stop()
	done := make(chan struct{})
	go func() {
		copyOneWay(to, from)
		close(done)
	}()
	copyOneWay(from, to)
	<-done
}

func copyOneWay(to, from *net.TCPConn) {
	_, err := io.Copy(to, from)
	if err == nil {
		err = to.CloseWrite()
	}
	if err != nil { // one side is gone: so is the connection
		_ = to.Close()
		_ = from.Close()
	}
}
