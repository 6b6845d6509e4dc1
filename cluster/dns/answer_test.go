package dns

import (
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

func TestAnswer(t *testing.T) {
	const (
		a    = dnsmessage.TypeA
		aaaa = dnsmessage.TypeAAAA
		srv  = dnsmessage.TypeSRV
		ptr  = dnsmessage.TypePTR
	)
	known := example(t)
	for _, test := range []struct {
		reason string
		name   string
		kind   dnsmessage.Type
		answer []string
		extra  []string
	}{
		{
			reason: "a Service is at its cluster IP",
			name:   "web.shop.svc.cluster.local.", kind: a,
			answer: []string{"web.shop.svc.cluster.local. A 10.64.0.7"},
		},
		{
			reason: "names have no case, and the answer is to the name as it was asked",
			name:   "WEB.Shop.SVC.Cluster.LOCAL.", kind: a,
			answer: []string{"WEB.Shop.SVC.Cluster.LOCAL. A 10.64.0.7"},
		},
		{
			reason: "the other address of a Service with two",
			name:   "dual.shop.svc.cluster.local.", kind: aaaa,
			answer: []string{"dual.shop.svc.cluster.local. AAAA fd000000000000000000000000000008"},
		},
		{
			reason: "a headless Service is at its ready endpoints, each once, whatever slices they are in",
			name:   "db.shop.svc.cluster.local.", kind: a,
			answer: []string{"db.shop.svc.cluster.local. A 10.128.0.9", "db.shop.svc.cluster.local. A 10.128.0.11"},
		},
		{
			reason: "endpoints that are not ready, where the Service publishes them",
			name:   "eager.shop.svc.cluster.local.", kind: a,
			answer: []string{"eager.shop.svc.cluster.local. A 10.128.0.12"},
		},
		{
			reason: "a pod of a StatefulSet",
			name:   "db-0.db.shop.svc.cluster.local.", kind: a,
			answer: []string{"db-0.db.shop.svc.cluster.local. A 10.128.0.11"},
		},
		{
			reason: "an endpoint without a hostname is called by its address",
			name:   "10-128-0-9.db.shop.svc.cluster.local.", kind: a,
			answer: []string{"10-128-0-9.db.shop.svc.cluster.local. A 10.128.0.9"},
		},
		{
			reason: "a port of a Service",
			name:   "_https._tcp.web.shop.svc.cluster.local.", kind: srv,
			answer: []string{"_https._tcp.web.shop.svc.cluster.local. SRV 443 web.shop.svc.cluster.local."},
			extra:  []string{"web.shop.svc.cluster.local. A 10.64.0.7"},
		},
		{
			reason: "a port of a headless Service is one of each endpoint, whose names can be asked for",
			name:   "_sql._tcp.db.shop.svc.cluster.local.", kind: srv,
			answer: []string{
				"_sql._tcp.db.shop.svc.cluster.local. SRV 5432 10-128-0-9.db.shop.svc.cluster.local.",
				"_sql._tcp.db.shop.svc.cluster.local. SRV 5432 db-0.db.shop.svc.cluster.local.",
			},
			extra: []string{
				"10-128-0-9.db.shop.svc.cluster.local. A 10.128.0.9",
				"db-0.db.shop.svc.cluster.local. A 10.128.0.11",
			},
		},
		{
			reason: "an alias of a Service, followed, because a pod's resolver does not follow it",
			name:   "inside.shop.svc.cluster.local.", kind: a,
			answer: []string{
				"inside.shop.svc.cluster.local. CNAME web.shop.svc.cluster.local.",
				"web.shop.svc.cluster.local. A 10.64.0.7",
			},
		},
		{
			reason: "only the alias, in answer to a CNAME query",
			name:   "inside.shop.svc.cluster.local.", kind: dnsmessage.TypeCNAME,
			answer: []string{"inside.shop.svc.cluster.local. CNAME web.shop.svc.cluster.local."},
		},
		{
			reason: "the address of a pod, written as a name",
			name:   "10-128-0-9.shop.pod.cluster.local.", kind: a,
			answer: []string{"10-128-0-9.shop.pod.cluster.local. A 10.128.0.9"},
		},
		{
			reason: "the Service at an address",
			name:   "7.0.64.10.in-addr.arpa.", kind: ptr,
			answer: []string{"7.0.64.10.in-addr.arpa. PTR web.shop.svc.cluster.local."},
		},
		{
			reason: "the pod at an address, in the headless Service that names it",
			name:   "11.0.128.10.in-addr.arpa.", kind: ptr,
			answer: []string{"11.0.128.10.in-addr.arpa. PTR db-0.db.shop.svc.cluster.local."},
		},
		{
			reason: "the version of the specification",
			name:   "dns-version.cluster.local.", kind: dnsmessage.TypeTXT,
			answer: []string{"dns-version.cluster.local. TXT 1.1.0"},
		},
		{
			reason: "the zone itself",
			name:   "cluster.local.", kind: dnsmessage.TypeSOA,
			answer: []string{"cluster.local. SOA"},
		},
		{
			reason: "anything there is",
			name:   "web.shop.svc.cluster.local.", kind: dnsmessage.TypeALL,
			answer: []string{"web.shop.svc.cluster.local. A 10.64.0.7"},
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got := known.answer(ask(test.name, test.kind))
			if got.code != dnsmessage.RCodeSuccess || got.outside != "" || len(got.authority) != 0 {
				t.Errorf("code %v, outside %q, authority %q", got.code, got.outside, show(got.authority))
			}
			if want := strings.Join(test.answer, "\n"); show(got.answers) != want {
				t.Errorf("answers\n%s\nwant\n%s", show(got.answers), want)
			}
			if want := strings.Join(test.extra, "\n"); show(got.extra) != want {
				t.Errorf("extra\n%s\nwant\n%s", show(got.extra), want)
			}
			for _, resource := range got.answers {
				if resource.Header.TTL != ttl || resource.Header.Class != dnsmessage.ClassINET {
					t.Errorf("%s has TTL %d and class %v", resource.Header.Name, resource.Header.TTL, resource.Header.Class)
				}
			}
		})
	}
}

func TestAnswerOfNothing(t *testing.T) {
	const (
		exists  = dnsmessage.RCodeSuccess
		unknown = dnsmessage.RCodeNameError
	)
	known := example(t)
	for _, test := range []struct {
		reason string
		name   string
		kind   dnsmessage.Type
		code   dnsmessage.RCode
	}{
		{reason: "a Service without an IPv6 address is there all the same", name: "web.shop.svc.cluster.local.", kind: dnsmessage.TypeAAAA, code: exists},
		{reason: "so is a headless one", name: "db.shop.svc.cluster.local.", kind: dnsmessage.TypeAAAA, code: exists},
		{reason: "a Service whose address is not chosen yet", name: "new.shop.svc.cluster.local.", kind: dnsmessage.TypeA, code: exists},
		{reason: "a port has no address", name: "_https._tcp.web.shop.svc.cluster.local.", kind: dnsmessage.TypeA, code: exists},
		{reason: "above a port", name: "_tcp.web.shop.svc.cluster.local.", kind: dnsmessage.TypeSRV, code: exists},
		{reason: "above a Service", name: "shop.svc.cluster.local.", kind: dnsmessage.TypeA, code: exists},
		{reason: "above a namespace", name: "svc.cluster.local.", kind: dnsmessage.TypeA, code: exists},
		{reason: "above a pod", name: "shop.pod.cluster.local.", kind: dnsmessage.TypeA, code: exists},
		{reason: "the zone has no address", name: "cluster.local.", kind: dnsmessage.TypeA, code: exists},
		{reason: "a type we have none of", name: "web.shop.svc.cluster.local.", kind: dnsmessage.TypeMX, code: exists},

		{reason: "no such Service", name: "nobody.shop.svc.cluster.local.", kind: dnsmessage.TypeA, code: unknown},
		{reason: "no such Service, asked for IPv6", name: "nobody.shop.svc.cluster.local.", kind: dnsmessage.TypeAAAA, code: unknown},
		{reason: "a Service of another namespace", name: "web.default.svc.cluster.local.", kind: dnsmessage.TypeA, code: unknown},
		{reason: "a namespace without Services", name: "default.svc.cluster.local.", kind: dnsmessage.TypeA, code: unknown},
		{reason: "a headless Service while no endpoint is ready", name: "starting.shop.svc.cluster.local.", kind: dnsmessage.TypeA, code: unknown},
		{reason: "a pod that is not ready", name: "db-1.db.shop.svc.cluster.local.", kind: dnsmessage.TypeA, code: unknown},
		{reason: "a port that has another name", name: "_http._tcp.web.shop.svc.cluster.local.", kind: dnsmessage.TypeSRV, code: unknown},
		{reason: "a port of another protocol", name: "_https._udp.web.shop.svc.cluster.local.", kind: dnsmessage.TypeSRV, code: unknown},
		{reason: "a port without a name", name: "_._tcp.db.shop.svc.cluster.local.", kind: dnsmessage.TypeSRV, code: unknown},
		{reason: "a port whose name is not marked as one", name: "https._tcp.web.shop.svc.cluster.local.", kind: dnsmessage.TypeSRV, code: unknown},
		{reason: "below a port", name: "a._https._tcp.web.shop.svc.cluster.local.", kind: dnsmessage.TypeSRV, code: unknown},
		{reason: "no protocol", name: "a.b.web.shop.svc.cluster.local.", kind: dnsmessage.TypeA, code: unknown},
		{reason: "a pod's name that is not an address", name: "db-0.shop.pod.cluster.local.", kind: dnsmessage.TypeA, code: unknown},
		{reason: "a number above 255", name: "10-0-0-256.shop.pod.cluster.local.", kind: dnsmessage.TypeA, code: unknown},
		{reason: "a whole name tried with the search path", name: "web.shop.svc.cluster.local.shop.svc.cluster.local.", kind: dnsmessage.TypeA, code: unknown},
		{reason: "a name outside tried with the search path", name: "example.org.svc.cluster.local.", kind: dnsmessage.TypeA, code: unknown},
		{reason: "neither svc nor pod", name: "web.cluster.local.", kind: dnsmessage.TypeA, code: unknown},
		{reason: "a slash does not lead into another namespace", name: "web.shop/web.svc.cluster.local.", kind: dnsmessage.TypeA, code: unknown},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got := known.answer(ask(test.name, test.kind))
			if got.code != test.code || len(got.answers) != 0 || got.outside != "" {
				t.Errorf("code %v, answers %q, outside %q", got.code, show(got.answers), got.outside)
			}
			if show(got.authority) != "cluster.local. SOA" {
				t.Errorf("authority %q: clients cannot cache the answer", show(got.authority))
			}
		})
	}
}

func TestAnswerWithAliases(t *testing.T) {
	known := example(t)
	for _, test := range []struct {
		reason  string
		name    string
		code    dnsmessage.RCode
		answers int
		outside string
	}{
		{reason: "leads outside", name: "outside.shop.svc.cluster.local.", answers: 1, outside: "example.org."},
		{reason: "leads to no Service", name: "missing.shop.svc.cluster.local.", code: dnsmessage.RCodeNameError, answers: 1},
		{reason: "leads to a headless Service", name: "crossroad.shop.svc.cluster.local.", answers: 3},
		{reason: "leads in a circle", name: "loop.shop.svc.cluster.local.", code: dnsmessage.RCodeServerFailure},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got := known.answer(ask(test.name, dnsmessage.TypeA))
			if got.code != test.code || len(got.answers) != test.answers || got.outside != test.outside {
				t.Errorf("code %v, answers %q, outside %q", got.code, show(got.answers), got.outside)
			}
		})
	}
}

func TestAnswerLeavesNamesOutsideTheClusterToUpstream(t *testing.T) {
	known := example(t)
	for _, test := range []struct{ reason, name string }{
		{reason: "another domain", name: "example.org."},
		{reason: "the root", name: "."},
		{reason: "a domain that ends like ours", name: "web.shop.svc.mycluster.local."},
		{reason: "an address outside the cluster", name: "1.1.1.1.in-addr.arpa."},
		{reason: "a pod that no headless Service names", name: "9.0.128.10.in-addr.arpa."},
		{reason: "a pod behind a cluster IP", name: "30.0.128.10.in-addr.arpa."},
		{reason: "a part of an address", name: "64.10.in-addr.arpa."},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := known.answer(ask(test.name, dnsmessage.TypePTR)); got.outside != test.name || len(got.answers) != 0 {
				t.Errorf("outside %q, answers %q", got.outside, show(got.answers))
			}
		})
	}
}

func TestAnswerRefusesOtherClassesThanInternet(t *testing.T) {
	question := ask("web.shop.svc.cluster.local.", dnsmessage.TypeA)
	question.Class = dnsmessage.ClassCHAOS
	if got := example(t).answer(question); got.code != dnsmessage.RCodeRefused || len(got.answers) != 0 {
		t.Errorf("code %v, answers %q", got.code, show(got.answers))
	}
}
