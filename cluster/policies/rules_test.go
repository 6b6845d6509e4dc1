package policies

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	web   = "10.1.0.2"
	db    = "10.1.0.3"
	other = "10.1.0.9"
)

// world has two pods in `shop`, one of them with a named port, and one in `else`.
func world(policies ...*networking.NetworkPolicy) state {
	at := func(namespace, app, address string, ports ...core.ContainerPort) pod {
		return pod{namespace: namespace, labels: labels.Set{"app": app}, ports: ports, address: netip.MustParseAddr(address)}
	}
	named := func(name string) labels.Set { return labels.Set{"kubernetes.io/metadata.name": name} }
	return state{
		pods: []pod{
			at("shop", "web", web, core.ContainerPort{Name: "http", ContainerPort: 8080}),
			at("shop", "db", db),
			at("else", "web", other),
		},
		namespaces: map[string]labels.Set{"shop": named("shop"), "else": named("else"), "kube-system": named("kube-system")},
		policies:   policies,
		dns:        netip.MustParseAddr("10.1.255.1"),
	}
}

func policy(spec networking.NetworkPolicySpec) *networking.NetworkPolicy {
	return &networking.NetworkPolicy{ObjectMeta: meta.ObjectMeta{Namespace: "shop", Name: "bound"}, Spec: spec}
}

func app(name string) *meta.LabelSelector {
	return &meta.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

func namespaceNamed(name string) *meta.LabelSelector {
	return &meta.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": name}}
}

func linesOf(t *testing.T, all rules, name string) []string {
	t.Helper()
	for _, each := range all {
		if each.name == name {
			return each.lines
		}
	}
	return nil
}

const refuse = "-j REJECT --reject-with icmp-admin-prohibited"

func TestWhatAPolicyAllowsIsLetThroughAndTheRestRefused(t *testing.T) {
	type peers = []networking.NetworkPolicyPeer
	type ports = []networking.NetworkPolicyPort
	egress := func(to peers, on ...networking.NetworkPolicyPort) networking.NetworkPolicySpec {
		rules := []networking.NetworkPolicyEgressRule{{To: to, Ports: on}}
		return networking.NetworkPolicySpec{PodSelector: *app("web"), PolicyTypes: []networking.PolicyType{"Egress"}, Egress: rules}
	}
	ingress := func(from peers, on ...networking.NetworkPolicyPort) networking.NetworkPolicySpec {
		rules := []networking.NetworkPolicyIngressRule{{From: from, Ports: on}}
		return networking.NetworkPolicySpec{PodSelector: *app("web"), Ingress: rules}
	}
	on := func(protocol core.Protocol, port intstr.IntOrString, end *int32) networking.NetworkPolicyPort {
		return networking.NetworkPolicyPort{Protocol: &protocol, Port: &port, EndPort: end}
	}
	block := func(cidr string, except ...string) peers {
		return peers{{IPBlock: &networking.IPBlock{CIDR: cidr, Except: except}}}
	}
	for _, test := range []struct {
		reason string
		spec   networking.NetworkPolicySpec
		want   []string
	}{
		{"nothing is allowed", networking.NetworkPolicySpec{PodSelector: *app("web"), PolicyTypes: []networking.PolicyType{"Egress"}}, nil},
		{"no peers are all peers", egress(nil), []string{"-j RETURN"}},
		{"pods of the own namespace only", egress(peers{{PodSelector: &meta.LabelSelector{}}}), []string{"-d 10.1.0.2/32 -j RETURN", "-d 10.1.0.3/32 -j RETURN"}},
		{"pods of another namespace", egress(peers{{NamespaceSelector: namespaceNamed("else")}}), []string{"-d 10.1.0.9/32 -j RETURN"}},
		{"both selectors must match", egress(peers{{NamespaceSelector: namespaceNamed("else"), PodSelector: app("db")}}), nil},
		{"the DNS of the cluster by its namespace, and nothing else at its address", egress(peers{{NamespaceSelector: namespaceNamed("kube-system")}}), []string{
			"-d 10.1.255.1/32 -p udp --dport 53 -j RETURN", "-d 10.1.255.1/32 -p tcp --dport 53 -j RETURN",
		}},
		{"the DNS of the cluster is at no other port", egress(peers{{NamespaceSelector: namespaceNamed("kube-system")}}, on("TCP", intstr.FromInt32(443), nil)), nil},
		{"a range of ports", egress(block("192.0.2.0/24"), on("UDP", intstr.FromInt32(80), new(int32(90)))), []string{"-d 192.0.2.0/24 -p udp --dport 80:90 -j RETURN"}},
		{"all ports of a protocol", egress(block("192.0.2.0/24"), networking.NetworkPolicyPort{}), []string{"-d 192.0.2.0/24 -p tcp -j RETURN"}},
		{"a block without a part of it", egress(block("192.0.2.0/30", "192.0.2.1/32")), []string{"-d 192.0.2.0/32 -j RETURN", "-d 192.0.2.2/31 -j RETURN"}},
		{"a block of IPv6 reaches nothing here", egress(block("2001:db8::/32")), nil},
		{"a named port of the pod itself, for what comes in", ingress(nil, on("TCP", intstr.FromString("http"), nil)), []string{"-p tcp --dport 8080 -j RETURN"}},
		{"a named port of the pod that is called, which the other one lacks", egress(peers{{PodSelector: &meta.LabelSelector{}}}, on("TCP", intstr.FromString("http"), nil)), []string{"-d 10.1.0.2/32 -p tcp --dport 8080 -j RETURN"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			name, self := "TENON-OUT-"+web, "-d "+web+" -j RETURN"
			if len(test.spec.PolicyTypes) == 0 {
				name, self = "TENON-IN-"+web, "-s "+web+" -j RETURN"
			}
			want := append(append([]string{self}, test.want...), refuse)
			if got := linesOf(t, decide(world(policy(test.spec))), name); !slices.Equal(got, want) {
				t.Errorf("expected %q, got %q", want, got)
			}
		})
	}
}

func TestOnlyPodsThatAPolicySelectsAreBounded(t *testing.T) {
	all := decide(world(policy(networking.NetworkPolicySpec{PodSelector: *app("web")})))
	want := []string{"-m conntrack --ctstate RELATED,ESTABLISHED -j RETURN", "-d 10.1.0.2 -j TENON-IN-10.1.0.2"}
	if got := linesOf(t, all, first); !slices.Equal(got, want) {
		t.Errorf("expected %q, got %q", want, got)
	}
}

func TestAPolicyWithoutTypesBoundsWhatGoesOutOnlyIfItSaysSo(t *testing.T) {
	spec := networking.NetworkPolicySpec{Egress: []networking.NetworkPolicyEgressRule{{}}}
	if linesOf(t, decide(world(policy(spec))), "TENON-OUT-"+db) == nil {
		t.Error("expected rules for what goes out")
	}
}

func TestTheScriptReplacesTheRulesBeforeAndStaysFirst(t *testing.T) {
	bounded := decide(world(policy(networking.NetworkPolicySpec{PodSelector: *app("web")})))
	free := decide(world())
	if initial := bounded.script(nil); strings.Contains(initial, "-D ") || !strings.Contains(initial, "-I FORWARD 1 -j TENON-POLICIES\n-I INPUT 1") {
		t.Errorf("expected to be put first without deleting anything, got %s", initial)
	}
	want := `*filter
:TENON-POLICIES - [0:0]
:TENON-IN-10.1.0.2 - [0:0]
-D FORWARD -j TENON-POLICIES
-I FORWARD 1 -j TENON-POLICIES
-D INPUT -j TENON-POLICIES
-I INPUT 1 -j TENON-POLICIES
-A TENON-POLICIES -m conntrack --ctstate RELATED,ESTABLISHED -j RETURN
-X TENON-IN-10.1.0.2
COMMIT
`
	if got := free.script(bounded); got != want {
		t.Errorf("expected %s, got %s", want, got)
	}
}
