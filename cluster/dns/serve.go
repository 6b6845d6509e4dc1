// Package dns answers for the names of a cluster's Services, as
// https://github.com/kubernetes/dns/blob/master/docs/specification.md defines it.
package dns

import (
	"context"
	"net"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/net/netutil"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// How much one server does at a time. A packet beyond that is dropped, and its client retries.
const (
	maxPending     = 512
	maxConnections = 128
)

// idle is how long a connection may stay open between two queries.
const idle = 10 * time.Second

// Options are the address to listen on, the domain to answer for, and the servers for all other names.
type Options struct {
	Client   kubernetes.Interface
	Address  string   // IP:port, for UDP and TCP
	Domain   string   // such as cluster.local
	Upstream []string // IP or IP:port; without any, names outside the domain fail
}

type server struct {
	records  records
	upstream []string
	timeout  time.Duration
}

// Serve answers until ctx ends, which is not an error. It answers no query before the cluster's Services are known: clients
// would cache a wrong NXDOMAIN.
func Serve(ctx context.Context, options Options) error {
	packets, err := net.ListenPacket("udp", options.Address)
	if err != nil {
		return err
	}
	defer packets.Close()
	streams, err := net.Listen("tcp", options.Address)
	if err != nil {
		return err
	}
	defer streams.Close()

	ctx, cancel := context.WithCancel(ctx)
	factory := informers.NewSharedInformerFactory(options.Client, 0)
	defer factory.Shutdown()
	defer cancel() // before Shutdown, which waits for it
	known, err := watch(ctx, factory, options.Domain)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil
	}
	s := &server{records: known, upstream: options.Upstream, timeout: upstreamTimeout}
	ended := make(chan error, 2)
	go func() { ended <- s.servePackets(ctx, packets) }()
	go func() { ended <- s.serveStreams(ctx, netutil.LimitListener(streams, maxConnections)) }()
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		return err
	}
}

// watch returns when the caches are filled, or when ctx ends.
func watch(ctx context.Context, factory informers.SharedInformerFactory, domain string) (records, error) {
	services := factory.Core().V1().Services().Informer()
	// Informers of a factory have an index by namespace already, and refuse a second one.
	if err := services.AddIndexers(cache.Indexers{byAddress: serviceIndexers[byAddress]}); err != nil {
		return records{}, err
	}
	slices := factory.Discovery().V1().EndpointSlices().Informer()
	if err := slices.AddIndexers(sliceIndexers); err != nil {
		return records{}, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return records{domain: absolute(strings.ToLower(domain)), services: services.GetIndexer(), slices: slices.GetIndexer()}, nil
}

func (s *server) servePackets(ctx context.Context, packets net.PacketConn) error {
	pending := make(chan struct{}, maxPending)
	buffer := make([]byte, maxStream)
	for {
		size, client, err := packets.ReadFrom(buffer)
		if err != nil {
			return err
		}
		select {
		case pending <- struct{}{}:
		default:
			continue
		}
		message := append([]byte(nil), buffer[:size]...)
		go func() {
			defer func() { <-pending }()
			if answer := s.respond(ctx, "udp", message); answer != nil {
				_, _ = packets.WriteTo(answer, client)
			}
		}()
	}
}

func (s *server) serveStreams(ctx context.Context, streams net.Listener) error {
	for {
		connection, err := streams.Accept()
		if err != nil {
			return err
		}
		go s.serveStream(ctx, connection)
	}
}

func (s *server) serveStream(ctx context.Context, connection net.Conn) {
	defer connection.Close()
	defer context.AfterFunc(ctx, func() { connection.Close() })()
	for {
		_ = connection.SetDeadline(time.Now().Add(idle))
		message, err := readMessage(connection, "tcp")
		if err != nil {
			return
		}
		answer := s.respond(ctx, "tcp", message)
		if answer == nil || writeMessage(connection, "tcp", answer) != nil {
			return
		}
	}
}

// respond returns the answer to a message, or nil if it must not be answered.
func (s *server) respond(ctx context.Context, network string, message []byte) []byte {
	asked, code, isQuery := parseQuery(message)
	if !isQuery {
		return nil
	}
	limit := maxStream
	if network == "udp" {
		limit = asked.packet
	}
	if code != dnsmessage.RCodeSuccess {
		return packReply(asked, reply{code: code}, limit)
	}
	answer := s.records.answer(asked.question)
	switch {
	case answer.outside == "":
	case len(answer.answers) > 0:
		answer = s.resolve(ctx, network, asked, answer)
	default:
		if forwarded, err := s.forward(ctx, network, message); err == nil {
			return forwarded
		}
		answer.code = dnsmessage.RCodeServerFailure
	}
	return packReply(asked, answer, limit)
}
