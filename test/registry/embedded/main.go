// The registry of the embedded cluster alone: it keeps images in the directory of its first argument, and listens on loopback on
// the port of its second one, or on a free one for 0, which it prints. It ends when its standard input does, so that no test
// leaves one behind. Built in the module cluster/.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"os"

	"tenon.dev/cluster/registry"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	if err := registry.Serve(ctx, registry.Options{Listener: listener, Dir: os.Args[1]}); err != nil {
		log.Fatal(err)
	}
}
