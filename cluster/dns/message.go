package dns

import (
	"errors"

	"golang.org/x/net/dns/dnsmessage"
)

// How many bytes an answer may have. A larger packet than maxPacket may be fragmented, and is lost with any fragment.
const (
	minPacket = 512
	maxPacket = 1232
	maxStream = 65535
)

// query is a parsed message of a client.
type query struct {
	header     dnsmessage.Header
	question   dnsmessage.Question
	packet     int  // how large an answer the client takes in one packet
	isExtended bool // has EDNS options, so that the answer has them too
}

// parseQuery reads a message. The code is the answer to a message that cannot be parsed; isQuery is whether to answer at all.
func parseQuery(message []byte) (parsed query, code dnsmessage.RCode, isQuery bool) {
	var parser dnsmessage.Parser
	header, err := parser.Start(message)
	if err != nil || header.Response { // answering an answer could loop
		return query{}, 0, false
	}
	parsed = query{header: header, packet: minPacket}
	if header.OpCode != 0 {
		return parsed, dnsmessage.RCodeNotImplemented, true
	}
	questions, err := parser.AllQuestions()
	if err != nil || len(questions) != 1 {
		return parsed, dnsmessage.RCodeFormatError, true
	}
	parsed.question = questions[0]
	if parser.SkipAllAnswers() != nil || parser.SkipAllAuthorities() != nil {
		return parsed, dnsmessage.RCodeFormatError, true
	}
	for {
		extra, err := parser.AdditionalHeader()
		if errors.Is(err, dnsmessage.ErrSectionDone) {
			return parsed, dnsmessage.RCodeSuccess, true
		}
		if err != nil || parser.SkipAdditional() != nil {
			return parsed, dnsmessage.RCodeFormatError, true
		}
		if extra.Type == dnsmessage.TypeOPT {
			parsed.isExtended = true
			parsed.packet = min(max(int(extra.Class), minPacket), maxPacket)
		}
	}
}

// packReply writes the message that answers a query. Records that do not fit are left out, with the TC flag set: the client
// then repeats its query over TCP.
func packReply(asked query, answer reply, limit int) []byte {
	message := dnsmessage.Message{
		Header: dnsmessage.Header{
			ID:                 asked.header.ID,
			Response:           true,
			OpCode:             asked.header.OpCode,
			Authoritative:      answer.outside == "",
			RecursionDesired:   asked.header.RecursionDesired,
			RecursionAvailable: true,
			RCode:              answer.code,
		},
		Answers:     answer.answers,
		Authorities: answer.authority,
	}
	if asked.question.Name.Length > 0 {
		message.Questions = []dnsmessage.Question{asked.question}
	}
	var options []dnsmessage.Resource
	if asked.isExtended {
		option := dnsmessage.Resource{Body: &dnsmessage.OPTResource{}}
		_ = option.Header.SetEDNS0(maxPacket, dnsmessage.RCodeSuccess, false)
		options = append(options, option)
	}
	message.Additionals = append(options, answer.extra...)
	for {
		packed, err := message.Pack()
		switch {
		case err != nil:
			// A name that DNS cannot encode, such as an ExternalName with a label that is too long.
			message.Answers, message.Authorities, message.Additionals = nil, nil, options
			message.Header.RCode = dnsmessage.RCodeServerFailure
			if packed, err = message.Pack(); err != nil {
				return nil
			}
			return packed
		case len(packed) <= limit:
			return packed
		case len(message.Additionals) > len(options):
			message.Additionals = options
		case len(message.Answers) > 0:
			message.Answers = message.Answers[:len(message.Answers)/2]
			message.Header.Truncated = true
		default:
			return nil
		}
	}
}
