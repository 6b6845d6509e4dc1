package forward

import (
	"context"
	"io"
	"net"
	"testing"
)

// answer serves one connection: it reads all there is, and only then answers.
func answer(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				text, _ := io.ReadAll(connection)
				_, _ = connection.Write(append([]byte("heard "), text...))
			}()
		}
	}()
	return listener.Addr().String()
}

// free finds an address that no process listens on.
func free(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func TestAClientThatHasSentEverythingStillGetsTheAnswer(t *testing.T) {
	from := free(t)
	if _, err := Listen(t.Context(), from, answer(t)); err != nil {
		t.Fatal(err)
	}
	connection, err := net.Dial("tcp", from)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := connection.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(connection); err != nil || string(text) != "heard hello" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestATargetThatIsDownEndsTheConnectionButNotTheForwarding(t *testing.T) {
	from := free(t)
	if _, err := Listen(t.Context(), from, free(t)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		connection, err := net.Dial("tcp", from)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := io.ReadAll(connection); len(text) > 0 {
			t.Errorf("got %q", text)
		}
		connection.Close()
	}
}

func TestTheEndOfTheContextEndsConnectionsToo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	from := free(t)
	ended, err := Listen(ctx, from, answer(t))
	if err != nil {
		t.Fatal(err)
	}
	connection, err := net.Dial("tcp", from)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if text, _ := io.ReadAll(connection); len(text) > 0 {
		t.Errorf("got %q", text)
	}
}
