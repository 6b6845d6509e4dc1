package dns

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

func TestRespondToWhatIsNoQuestionOfOurs(t *testing.T) {
	question := pack(t, dnsmessage.Message{Questions: []dnsmessage.Question{ask("web.shop.svc.cluster.local.", dnsmessage.TypeA)}})
	changed := func(at int, to byte) []byte {
		message := bytes.Clone(question)
		message[at] = to
		return message
	}
	for _, test := range []struct {
		reason   string
		message  []byte
		code     dnsmessage.RCode
		isSilent bool
	}{
		{reason: "nothing", message: nil, isSilent: true},
		{reason: "half a header", message: question[:11], isSilent: true},
		{reason: "an answer, so that two servers do not talk for ever", message: changed(2, 0x80), isSilent: true},
		{reason: "an update", message: changed(2, 5<<3), code: dnsmessage.RCodeNotImplemented},
		{reason: "no question", message: changed(5, 0)[:12], code: dnsmessage.RCodeFormatError},
		{reason: "two questions announced, one there", message: changed(5, 2), code: dnsmessage.RCodeFormatError},
		{reason: "half a question", message: question[:20], code: dnsmessage.RCodeFormatError},
		{reason: "an extra record announced, none there", message: changed(11, 1), code: dnsmessage.RCodeFormatError},
		{reason: "another class", message: changed(len(question)-1, 3), code: dnsmessage.RCodeRefused},
		{reason: "no upstream server for other names", message: pack(t, dnsmessage.Message{Questions: []dnsmessage.Question{ask("example.org.", dnsmessage.TypeA)}}), code: dnsmessage.RCodeServerFailure},
		{reason: "an alias that DNS has no room for", message: pack(t, dnsmessage.Message{Questions: []dnsmessage.Question{ask("too-long.shop.svc.cluster.local.", dnsmessage.TypeA)}}), code: dnsmessage.RCodeServerFailure},
	} {
		t.Run(test.reason, func(t *testing.T) {
			s := &server{records: example(t), timeout: upstreamTimeout}
			answer := s.respond(t.Context(), "udp", test.message)
			if test.isSilent {
				if answer != nil {
					t.Errorf("answered %x", answer)
				}
				return
			}
			if got := unpack(t, answer); got.Header.RCode != test.code || !got.Header.Response {
				t.Errorf("got %v, want %v", got.Header.RCode, test.code)
			}
		})
	}
}

func TestRespondFitsWhatTheClientTakes(t *testing.T) {
	const pods = 100
	known := example(t)
	crowd := sliceOf("db", "db-crowd")
	for i := range pods {
		crowd.Endpoints = append(crowd.Endpoints, endpointOf(fmt.Sprintf("10.129.0.%d", i), fmt.Sprintf("pod-%d", i)))
	}
	must(t, known.slices.Add(crowd))
	s := &server{records: known}
	for _, test := range []struct {
		reason  string
		network string
		packet  int // announced by EDNS; 0: not at all
		limit   int
		isWhole bool
	}{
		{reason: "a client of the first hour", network: "udp", limit: 512},
		{reason: "one that announces less than all must take", network: "udp", packet: 100, limit: 512},
		{reason: "one that takes more", network: "udp", packet: 1000, limit: 1000},
		{reason: "one that takes more than the network does in one piece", network: "udp", packet: 65535, limit: maxPacket},
		{reason: "a stream", network: "tcp", limit: maxStream, isWhole: true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			for _, kind := range []struct {
				name string
				kind dnsmessage.Type
			}{{"db.shop.svc.cluster.local.", dnsmessage.TypeA}, {"_sql._tcp.db.shop.svc.cluster.local.", dnsmessage.TypeSRV}} {
				message := dnsmessage.Message{Questions: []dnsmessage.Question{ask(kind.name, kind.kind)}}
				if test.packet > 0 {
					option := dnsmessage.Resource{Body: &dnsmessage.OPTResource{}}
					must(t, option.Header.SetEDNS0(test.packet, 0, false))
					message.Additionals = []dnsmessage.Resource{option}
				}
				packed := s.respond(t.Context(), test.network, pack(t, message))
				if len(packed) > test.limit {
					t.Errorf("%d bytes, more than %d", len(packed), test.limit)
				}
				got := unpack(t, packed)
				if got.Header.Truncated == test.isWhole || (len(got.Answers) == pods+2) != test.isWhole || len(got.Answers) == 0 {
					t.Errorf("%d answers, truncated: %v", len(got.Answers), got.Header.Truncated)
				}
				hasOptions := slices.ContainsFunc(got.Additionals, func(extra dnsmessage.Resource) bool { return extra.Header.Type == dnsmessage.TypeOPT })
				if hasOptions != (test.packet > 0) {
					t.Errorf("EDNS options in the answer: %v", hasOptions)
				}
			}
		})
	}
}

func TestRespondAsksUpstream(t *testing.T) {
	silent := listen(t) // takes packets and says nothing
	for _, test := range []struct {
		reason   string
		name     string
		upstream []string
		code     dnsmessage.RCode
		answer   string
	}{
		{reason: "a name outside", name: "example.org.", upstream: []string{startUpstream(t)}, answer: "example.org. A 192.0.2.1"},
		{reason: "an alias of one", name: "outside.shop.svc.cluster.local.", upstream: []string{startUpstream(t)}, answer: "outside.shop.svc.cluster.local. CNAME example.org.\nexample.org. A 192.0.2.1"},
		{reason: "a name that upstream does not know", name: "nobody.org.", upstream: []string{startUpstream(t)}, code: dnsmessage.RCodeNameError},
		{reason: "the first server is silent", name: "example.org.", upstream: []string{silent.LocalAddr().String(), startUpstream(t)}, answer: "example.org. A 192.0.2.1"},
		{reason: "all are", name: "example.org.", upstream: []string{silent.LocalAddr().String()}, code: dnsmessage.RCodeServerFailure},
		{reason: "all are, behind an alias, which is still said", name: "outside.shop.svc.cluster.local.", upstream: []string{silent.LocalAddr().String()}, code: dnsmessage.RCodeServerFailure, answer: "outside.shop.svc.cluster.local. CNAME example.org."},
	} {
		t.Run(test.reason, func(t *testing.T) {
			s := &server{records: example(t), upstream: test.upstream, timeout: 200 * time.Millisecond}
			question := pack(t, dnsmessage.Message{
				Header:    dnsmessage.Header{ID: 4711, RecursionDesired: true},
				Questions: []dnsmessage.Question{ask(test.name, dnsmessage.TypeA)},
			})
			got := unpack(t, s.respond(t.Context(), "udp", question))
			if got.Header.ID != 4711 || got.Header.RCode != test.code || show(got.Answers) != test.answer {
				t.Errorf("id %d, code %v, answers\n%s", got.Header.ID, got.Header.RCode, show(got.Answers))
			}
		})
	}
}

func TestServedOverUDPAndTCP(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &server{records: example(t)}
	packets := listen(t)
	streams, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ended := make(chan error, 2)
	go func() { ended <- s.servePackets(ctx, packets) }()
	go func() { ended <- s.serveStreams(ctx, streams) }()
	question := pack(t, dnsmessage.Message{Questions: []dnsmessage.Question{ask("web.shop.svc.cluster.local.", dnsmessage.TypeA)}})
	var connections []net.Conn
	for _, address := range []net.Addr{packets.LocalAddr(), streams.Addr()} {
		connection, err := net.Dial(address.Network(), address.String())
		must(t, err)
		defer connection.Close()
		must(t, connection.SetDeadline(time.Now().Add(10*time.Second)))
		for range 2 { // a stream takes more than one question
			must(t, writeMessage(connection, address.Network(), question))
			answer, err := readMessage(connection, address.Network())
			must(t, err)
			if got := show(unpack(t, answer).Answers); got != "web.shop.svc.cluster.local. A 10.64.0.7" {
				t.Errorf("%s: %s", address.Network(), got)
			}
		}
		connections = append(connections, connection)
	}
	cancel()
	if _, err := readMessage(connections[1], "tcp"); err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("the stream is open after the end: %v", err)
	}
	packets.Close()
	streams.Close()
	<-ended
	<-ended
}

func FuzzRespond(f *testing.F) {
	for _, name := range []string{"web.shop.svc.cluster.local.", "db.shop.svc.cluster.local.", "outside.shop.svc.cluster.local.", "7.0.64.10.in-addr.arpa.", "."} {
		f.Add(pack(f, dnsmessage.Message{Questions: []dnsmessage.Question{ask(name, dnsmessage.TypeALL)}}))
	}
	option := dnsmessage.Resource{Body: &dnsmessage.OPTResource{}}
	must(f, option.Header.SetEDNS0(4096, 0, true))
	f.Add(pack(f, dnsmessage.Message{
		Questions:   []dnsmessage.Question{ask("_sql._tcp.db.shop.svc.cluster.local.", dnsmessage.TypeSRV)},
		Additionals: []dnsmessage.Resource{option},
	}))
	s := &server{records: example(f)}
	f.Fuzz(func(t *testing.T, message []byte) {
		answer := s.respond(t.Context(), "udp", message)
		if answer == nil {
			return
		}
		got := unpack(t, answer)
		if got.Header.ID != binary.BigEndian.Uint16(message) || !got.Header.Response || len(answer) > maxPacket {
			t.Errorf("%x is answered by %x", message, answer)
		}
	})
}

// startUpstream knows example.org only. Before each answer it sends a forged one, with another id.
func startUpstream(t *testing.T) string {
	packets := listen(t)
	go func() {
		buffer := make([]byte, maxPacket)
		for {
			size, client, err := packets.ReadFrom(buffer)
			if err != nil {
				return
			}
			var message dnsmessage.Message
			if message.Unpack(buffer[:size]) != nil {
				return
			}
			message.Header.Response = true
			address := [4]byte{192, 0, 2, 1}
			if name := message.Questions[0].Name; name.String() == "example.org." {
				message.Answers = []dnsmessage.Resource{resource(name, &dnsmessage.AResource{A: address})}
			} else {
				message.Header.RCode = dnsmessage.RCodeNameError
			}
			truth, _ := message.Pack()
			message.Header.ID++
			message.Header.RCode = dnsmessage.RCodeRefused
			lie, _ := message.Pack()
			_, _ = packets.WriteTo(lie, client)
			_, _ = packets.WriteTo(truth, client)
		}
	}()
	return packets.LocalAddr().String()
}

func listen(t *testing.T) net.PacketConn {
	t.Helper()
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { packets.Close() })
	return packets
}

func pack(t testing.TB, message dnsmessage.Message) []byte {
	t.Helper()
	packed, err := message.Pack()
	must(t, err)
	return packed
}

func unpack(t testing.TB, packed []byte) dnsmessage.Message {
	t.Helper()
	var message dnsmessage.Message
	must(t, message.Unpack(packed))
	return message
}
