package dns

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// upstreamTimeout is for all upstream servers together: clients give up after five seconds.
const upstreamTimeout = 2 * time.Second

var errNoUpstream = errors.New("no upstream server")

// forward tries the upstream servers in turn, over the network that the client used, and returns the first answer unchanged.
func (s *server) forward(ctx context.Context, network string, message []byte) ([]byte, error) {
	err := errNoUpstream
	for _, upstream := range s.upstream {
		var answer []byte
		if answer, err = exchange(ctx, network, upstream, message, s.timeout/time.Duration(len(s.upstream))); err == nil {
			return answer, nil
		}
	}
	return nil, err
}

// exchange sends the query with a random id: the client's id may be known to others, who could forge an answer.
func exchange(ctx context.Context, network, upstream string, message []byte, timeout time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, network, withPort(upstream))
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	defer context.AfterFunc(ctx, func() { connection.Close() })()

	id := uint16(rand.Uint32())
	sent := binary.BigEndian.AppendUint16(nil, id)
	sent = append(sent, message[2:]...)
	if err := writeMessage(connection, network, sent); err != nil {
		return nil, err
	}
	for {
		answer, err := readMessage(connection, network)
		if err != nil {
			return nil, err
		}
		if !isAnswer(answer, sent) { // late, or forged
			continue
		}
		return append(binary.BigEndian.AppendUint16(nil, binary.BigEndian.Uint16(message)), answer[2:]...), nil
	}
}

func isAnswer(answer, sent []byte) bool {
	var theirs, ours dnsmessage.Parser
	received, err := theirs.Start(answer)
	header, _ := ours.Start(sent)
	if err != nil || !received.Response || received.ID != header.ID {
		return false
	}
	asked, _ := ours.Question()
	question, err := theirs.Question()
	return err == nil && question.Type == asked.Type && question.Class == asked.Class &&
		strings.EqualFold(question.Name.String(), asked.Name.String())
}

// resolve adds the records of an alias's target outside the cluster, because a pod's resolver does not follow aliases.
func (s *server) resolve(ctx context.Context, network string, asked query, answer reply) reply {
	answer.code = dnsmessage.RCodeServerFailure
	name, err := dnsmessage.NewName(answer.outside)
	if err != nil {
		return answer
	}
	question := dnsmessage.Message{
		Header:    dnsmessage.Header{RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: name, Type: asked.question.Type, Class: dnsmessage.ClassINET}},
	}
	message, err := question.Pack()
	if err != nil {
		return answer
	}
	packed, err := s.forward(ctx, network, message)
	if err != nil {
		return answer
	}
	var found dnsmessage.Message
	if err := found.Unpack(packed); err != nil {
		return answer
	}
	answer.code = found.Header.RCode
	answer.answers = append(answer.answers, found.Answers...)
	return answer
}

func withPort(address string) string {
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	return net.JoinHostPort(address, "53")
}

// readMessage reads one message: a packet, or from a stream as many bytes as it announces.
func readMessage(connection io.Reader, network string) ([]byte, error) {
	if network == "udp" {
		message := make([]byte, maxStream)
		size, err := connection.Read(message)
		return message[:size], err
	}
	var size [2]byte
	if _, err := io.ReadFull(connection, size[:]); err != nil {
		return nil, err
	}
	message := make([]byte, binary.BigEndian.Uint16(size[:]))
	_, err := io.ReadFull(connection, message)
	return message, err
}

func writeMessage(connection io.Writer, network string, message []byte) error {
	if network == "tcp" {
		message = append(binary.BigEndian.AppendUint16(nil, uint16(len(message))), message...)
	}
	_, err := connection.Write(message)
	return err
}
