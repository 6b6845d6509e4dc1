package dns

import (
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// ttl is short because pods come and go, and an answer is cheap: it comes from a cache in memory.
const ttl = 5

// maxAliases bounds a chain of Services of type ExternalName that point at each other.
const maxAliases = 8

// reply is the answer to a question, before it is a packet.
type reply struct {
	code      dnsmessage.RCode
	answers   []dnsmessage.Resource
	authority []dnsmessage.Resource
	extra     []dnsmessage.Resource
	// outside is a name that an upstream server must resolve: the name in the question, or the target of our alias.
	outside string
}

// answer is pure: the same question about the same records gets the same answer.
func (r records) answer(question dnsmessage.Question) reply {
	if question.Class != dnsmessage.ClassINET && question.Class != dnsmessage.ClassANY {
		return reply{code: dnsmessage.RCodeRefused}
	}
	name := strings.ToLower(question.Name.String())
	if address, isReverse := parseReverse(name); isReverse {
		found, exists := r.findAddress(address)
		if !exists {
			return reply{outside: name}
		}
		return r.reply(question, nil, found)
	}
	owner := question.Name
	var aliases []dnsmessage.Resource
	for {
		labels, isOurs := r.labelsOf(name)
		if !isOurs {
			return reply{answers: aliases, outside: name}
		}
		found, exists := r.find(labels)
		switch {
		case !exists:
			return reply{code: dnsmessage.RCodeNameError, answers: aliases, authority: r.authority()}
		case found.alias == "":
			return r.reply(dnsmessage.Question{Name: owner, Type: question.Type}, aliases, found)
		case len(aliases) == maxAliases:
			return reply{code: dnsmessage.RCodeServerFailure}
		}
		target, err := dnsmessage.NewName(found.alias)
		if err != nil {
			return reply{code: dnsmessage.RCodeServerFailure}
		}
		aliases = append(aliases, resource(owner, &dnsmessage.CNAMEResource{CNAME: target}))
		if question.Type == dnsmessage.TypeCNAME {
			return reply{answers: aliases}
		}
		name, owner = found.alias, target
	}
}

// reply picks the records of the requested type. If there are none, the answer is empty, with the zone's SOA.
func (r records) reply(question dnsmessage.Question, aliases []dnsmessage.Resource, found entry) reply {
	result := reply{answers: aliases}
	wants := func(kind dnsmessage.Type) bool { return question.Type == kind || question.Type == dnsmessage.TypeALL }
	add := func(body dnsmessage.ResourceBody) {
		result.answers = append(result.answers, resource(question.Name, body))
	}
	for _, address := range found.addresses {
		if address.Is4() && wants(dnsmessage.TypeA) || address.Is6() && wants(dnsmessage.TypeAAAA) {
			add(addressBody(address))
		}
	}
	if wants(dnsmessage.TypeSRV) {
		for _, port := range found.ports {
			target, err := dnsmessage.NewName(port.target)
			if err != nil {
				return reply{code: dnsmessage.RCodeServerFailure}
			}
			add(&dnsmessage.SRVResource{Weight: 100, Port: port.number, Target: target})
			result.extra = append(result.extra, r.addressesOf(port.target, target)...)
		}
	}
	if wants(dnsmessage.TypePTR) {
		for _, pointer := range found.pointers {
			target, err := dnsmessage.NewName(pointer)
			if err != nil {
				return reply{code: dnsmessage.RCodeServerFailure}
			}
			add(&dnsmessage.PTRResource{PTR: target})
		}
	}
	if found.text != "" && wants(dnsmessage.TypeTXT) {
		add(&dnsmessage.TXTResource{TXT: []string{found.text}})
	}
	if found.isApex && wants(dnsmessage.TypeSOA) {
		result.answers = append(result.answers, r.authority()...)
	}
	if len(result.answers) == len(aliases) {
		result.authority = r.authority()
	}
	return result
}

// addressesOf adds the addresses of a SRV record's target, so that the client need not ask for them.
func (r records) addressesOf(name string, owner dnsmessage.Name) []dnsmessage.Resource {
	labels, _ := r.labelsOf(name)
	found, _ := r.find(labels)
	var resources []dnsmessage.Resource
	for _, address := range found.addresses {
		resources = append(resources, resource(owner, addressBody(address)))
	}
	return resources
}

// authority tells clients how long they may cache a negative answer. The serial number is for zone transfers, which are
// not offered.
func (r records) authority() []dnsmessage.Resource {
	zone, err := dnsmessage.NewName(r.domain)
	if err != nil {
		return nil
	}
	return []dnsmessage.Resource{resource(zone, &dnsmessage.SOAResource{
		NS: zone, MBox: zone, Serial: 1, Refresh: 7200, Retry: 1800, Expire: 86400, MinTTL: ttl,
	})}
}

// labelsOf cuts a name of our domain into its labels below the domain, the last one first.
func (r records) labelsOf(name string) ([]string, bool) {
	if name == r.domain {
		return nil, true
	}
	below, isOurs := strings.CutSuffix(name, "."+r.domain)
	if !isOurs {
		return nil, false
	}
	labels := strings.Split(below, ".")
	slices.Reverse(labels)
	return labels, true
}

// parseReverse reads a name such as 4.3.2.1.in-addr.arpa.
func parseReverse(name string) (netip.Addr, bool) {
	digits, isReverse := strings.CutSuffix(name, ".in-addr.arpa.")
	if !isReverse {
		return netip.Addr{}, false
	}
	parts := strings.Split(digits, ".")
	slices.Reverse(parts)
	address, err := netip.ParseAddr(strings.Join(parts, "."))
	return address, err == nil
}

func resource(owner dnsmessage.Name, body dnsmessage.ResourceBody) dnsmessage.Resource {
	return dnsmessage.Resource{
		Header: dnsmessage.ResourceHeader{Name: owner, Class: dnsmessage.ClassINET, TTL: ttl},
		Body:   body,
	}
}

func addressBody(address netip.Addr) dnsmessage.ResourceBody {
	if address.Is4() {
		return &dnsmessage.AResource{A: address.As4()}
	}
	return &dnsmessage.AAAAResource{AAAA: address.As16()}
}
