package policies

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// first is the chain that every packet passes before those of kube-proxy.
const first = "TENON-POLICIES"

// state is all that the rules depend on.
type state struct {
	pods       []pod
	namespaces map[string]labels.Set
	policies   []*networking.NetworkPolicy
	dns        netip.Addr // of the cluster
}

// pod is one on the node that has an address of its own. Those in the network of the node are not subject to policies.
type pod struct {
	namespace string
	labels    labels.Set
	ports     []core.ContainerPort
	address   netip.Addr
	isDNS     bool
}

// dnsPod stands for the DNS of the cluster, which is no pod here: policies allow it as what they know from other clusters.
// What else has that address, such as the API server, is not allowed with it.
func dnsPod(address netip.Addr) pod {
	return pod{namespace: meta.NamespaceSystem, labels: labels.Set{"k8s-app": "kube-dns"}, address: address, isDNS: true}
}

// rules are chains of the packet filter; the first one is what every packet passes.
type rules []chain

type chain struct {
	name  string
	lines []string
}

// decide returns the rules for what may reach pods, and what they may reach. A connection that was allowed stays so.
func decide(s state) rules {
	pods := slices.SortedFunc(slices.Values(s.pods), func(a, b pod) int { return a.address.Compare(b.address) })
	entry := chain{first, []string{"-m conntrack --ctstate RELATED,ESTABLISHED -j RETURN"}}
	ofPods := rules{}
	for _, subject := range pods {
		for _, direction := range []networking.PolicyType{networking.PolicyTypeEgress, networking.PolicyTypeIngress} {
			selected := s.selecting(subject, direction)
			if len(selected) == 0 {
				continue
			}
			words := directions[direction]
			name := fmt.Sprintf("%s-%s", words.mark, subject.address)
			entry.lines = append(entry.lines, fmt.Sprintf("%s %s -j %s", words.own, subject.address, name))
			// A pod may always reach itself.
			lines := []string{fmt.Sprintf("%s %s -j RETURN", words.other, subject.address)}
			for _, policy := range selected {
				lines = append(lines, s.allowed(subject, policy, direction)...)
			}
			ofPods = append(ofPods, chain{name, append(lines, "-j REJECT --reject-with icmp-admin-prohibited")})
		}
	}
	return append(rules{entry}, ofPods...)
}

// directions have the part of a chain's name, and the options that match the pod and what it speaks with.
var directions = map[networking.PolicyType]struct{ mark, own, other string }{
	networking.PolicyTypeEgress:  {"TENON-OUT", "-s", "-d"},
	networking.PolicyTypeIngress: {"TENON-IN", "-d", "-s"},
}

func (s state) selecting(subject pod, direction networking.PolicyType) []*networking.NetworkPolicy {
	selected := []*networking.NetworkPolicy{}
	for _, policy := range s.policies {
		if policy.Namespace == subject.namespace && hasType(policy, direction) && matches(&policy.Spec.PodSelector, subject.labels) {
			selected = append(selected, policy)
		}
	}
	slices.SortFunc(selected, func(a, b *networking.NetworkPolicy) int { return cmp.Compare(a.Name, b.Name) })
	return selected
}

// hasType: the API server fills in the types, but for policies from before it did.
func hasType(policy *networking.NetworkPolicy, direction networking.PolicyType) bool {
	if len(policy.Spec.PolicyTypes) > 0 {
		return slices.Contains(policy.Spec.PolicyTypes, direction)
	}
	return direction == networking.PolicyTypeIngress || len(policy.Spec.Egress) > 0
}

// allowed are the lines that let through what a policy allows.
func (s state) allowed(subject pod, policy *networking.NetworkPolicy, direction networking.PolicyType) []string {
	lines := []string{}
	add := func(peers []networking.NetworkPolicyPeer, ports []networking.NetworkPolicyPort) {
		for _, peer := range s.resolve(peers, policy.Namespace) {
			// A port is one of the pod that is called.
			called := &subject
			if direction == networking.PolicyTypeEgress {
				called = peer.pod
			}
			for _, port := range portMatches(ports, called) {
				line := "-j RETURN"
				if port != "" {
					line = port + " " + line
				}
				if peer.prefix.IsValid() {
					line = fmt.Sprintf("%s %s %s", directions[direction].other, peer.prefix, line)
				}
				lines = append(lines, line)
			}
		}
	}
	if direction == networking.PolicyTypeEgress {
		for _, rule := range policy.Spec.Egress {
			add(rule.To, rule.Ports)
		}
		return lines
	}
	for _, rule := range policy.Spec.Ingress {
		add(rule.From, rule.Ports)
	}
	return lines
}

// resolved is a range of addresses, or with an invalid prefix all of them; and the pod that has the address, if one has it.
type resolved struct {
	prefix netip.Prefix
	pod    *pod
}

func (s state) resolve(peers []networking.NetworkPolicyPeer, namespace string) []resolved {
	if len(peers) == 0 {
		return []resolved{{}}
	}
	found := []resolved{}
	for _, peer := range peers {
		if peer.IPBlock != nil {
			for _, prefix := range blockOf(*peer.IPBlock) {
				found = append(found, resolved{prefix: prefix})
			}
			continue
		}
		for _, candidate := range append(slices.Clone(s.pods), dnsPod(s.dns)) {
			if s.isPeer(peer, candidate, namespace) {
				found = append(found, resolved{netip.PrefixFrom(candidate.address, candidate.address.BitLen()), &candidate})
			}
		}
	}
	slices.SortFunc(found, func(a, b resolved) int { return a.prefix.Compare(b.prefix) })
	return found
}

func (s state) isPeer(peer networking.NetworkPolicyPeer, candidate pod, namespace string) bool {
	if peer.NamespaceSelector == nil {
		if candidate.namespace != namespace {
			return false
		}
	} else if !matches(peer.NamespaceSelector, s.namespaces[candidate.namespace]) {
		return false
	}
	return peer.PodSelector == nil || matches(peer.PodSelector, candidate.labels)
}

// matches: the API server refuses selectors that cannot be read.
func matches(selector *meta.LabelSelector, set labels.Set) bool {
	parsed, err := meta.LabelSelectorAsSelector(selector)
	return err == nil && parsed.Matches(set)
}

// portMatches are the words that match the ports of a rule; an empty one matches all.
func portMatches(ports []networking.NetworkPolicyPort, called *pod) []string {
	isDNS := called != nil && called.isDNS
	if len(ports) == 0 && isDNS {
		return []string{dnsMatch(core.ProtocolUDP), dnsMatch(core.ProtocolTCP)}
	}
	if len(ports) == 0 {
		return []string{""}
	}
	found := []string{}
	for _, port := range ports {
		protocol := core.ProtocolTCP
		if port.Protocol != nil {
			protocol = *port.Protocol
		}
		for _, span := range spansOf(port, protocol, called) {
			if !isDNS {
				found = append(found, span.match(protocol))
			} else if span.first <= dnsPort && dnsPort <= span.last && protocol != core.ProtocolSCTP {
				found = append(found, dnsMatch(protocol))
			}
		}
	}
	return found
}

const dnsPort = 53

func dnsMatch(protocol core.Protocol) string { return span{dnsPort, dnsPort}.match(protocol) }

type span struct{ first, last int32 }

func (s span) match(protocol core.Protocol) string {
	words := "-p " + strings.ToLower(string(protocol))
	if s.first == 0 {
		return words
	}
	if s.first == s.last {
		return fmt.Sprintf("%s --dport %d", words, s.first)
	}
	return fmt.Sprintf("%s --dport %d:%d", words, s.first, s.last)
}

// spansOf: a name leads to the ports of that name in the pod that is called.
func spansOf(port networking.NetworkPolicyPort, protocol core.Protocol, called *pod) []span {
	if port.Port == nil {
		return []span{{0, 65535}}
	}
	if port.Port.Type == intstr.Int {
		if port.EndPort != nil {
			return []span{{port.Port.IntVal, *port.EndPort}}
		}
		return []span{{port.Port.IntVal, port.Port.IntVal}}
	}
	found := []span{}
	if called == nil {
		return found
	}
	for _, candidate := range called.ports {
		if candidate.Name == port.Port.StrVal && (cmp.Or(candidate.Protocol, core.ProtocolTCP)) == protocol {
			found = append(found, span{candidate.ContainerPort, candidate.ContainerPort})
		}
	}
	return found
}

// blockOf are the ranges of a block without what it leaves out. The node has no addresses of IPv6.
func blockOf(block networking.IPBlock) []netip.Prefix {
	whole, err := netip.ParsePrefix(block.CIDR)
	if err != nil || !whole.Addr().Is4() {
		return nil
	}
	left := []netip.Prefix{whole.Masked()}
	for _, text := range block.Except {
		except, err := netip.ParsePrefix(text)
		if err != nil {
			continue
		}
		next := []netip.Prefix{}
		for _, prefix := range left {
			next = append(next, subtract(prefix, except.Masked())...)
		}
		left = next
	}
	return left
}

// subtract halves a range until each part is within the other one or apart from it.
func subtract(from, other netip.Prefix) []netip.Prefix {
	if !from.Overlaps(other) {
		return []netip.Prefix{from}
	}
	if from.Bits() >= other.Bits() {
		return nil
	}
	lower := netip.PrefixFrom(from.Addr(), from.Bits()+1)
	bytes := from.Addr().As4()
	bytes[from.Bits()/8] |= 0x80 >> (from.Bits() % 8)
	upper := netip.PrefixFrom(netip.AddrFrom4(bytes), from.Bits()+1)
	return append(subtract(lower, other), subtract(upper, other)...)
}

// script is what iptables-restore reads to change the filter from the rules before, nil the first time, to these at once.
func (r rules) script(before rules) string {
	text := &strings.Builder{}
	text.WriteString("*filter\n")
	kept := map[string]bool{}
	for _, each := range r {
		kept[each.name] = true
		fmt.Fprintf(text, ":%s - [0:0]\n", each.name)
	}
	gone := []string{}
	for _, each := range before {
		if !kept[each.name] {
			fmt.Fprintf(text, ":%s - [0:0]\n", each.name)
			gone = append(gone, each.name)
		}
	}
	// First again: kube-proxy puts its own before them, but once.
	for _, hook := range []string{"FORWARD", "INPUT"} {
		if before != nil {
			fmt.Fprintf(text, "-D %s -j %s\n", hook, first)
		}
		fmt.Fprintf(text, "-I %s 1 -j %s\n", hook, first)
	}
	for _, each := range r {
		for _, line := range each.lines {
			fmt.Fprintf(text, "-A %s %s\n", each.name, line)
		}
	}
	for _, name := range gone {
		fmt.Fprintf(text, "-X %s\n", name)
	}
	text.WriteString("COMMIT\n")
	return text.String()
}
