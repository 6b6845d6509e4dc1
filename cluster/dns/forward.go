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

// patience is for all upstream servers together: a client gives up after five seconds and would never see a later answer.
const patience = 2 * time.Second

var errNoUpstream = errors.New("no upstream server")

// forward asks the upstream servers in turn, over the network that the client used, and gives the first answer as it came.
func (s *server) forward(ctx context.Context, network string, message []byte) ([]byte, error) {
	err := errNoUpstream
	for _, upstream := range s.upstream {
		var answer []byte
		if answer, err = exchange(ctx, network, upstream, message, s.patience/time.Duration(len(s.upstream))); err == nil {
			return answer, nil
		}
	}
	return nil, err
}

// exchange asks under an id of its own: the client's is known to whoever it talks to.
func exchange(ctx context.Context, network, upstream string, message []byte, patience time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
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
	said, err := theirs.Start(answer)
	asked, _ := ours.Start(sent)
	if err != nil || !said.Response || said.ID != asked.ID {
		return false
	}
	wanted, _ := ours.Question()
	question, err := theirs.Question()
	return err == nil && question.Type == wanted.Type && question.Class == wanted.Class &&
		strings.EqualFold(question.Name.String(), wanted.Name.String())
}

// resolve finishes an answer that is an alias of a name outside, because a pod's resolver does not follow aliases itself.
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
