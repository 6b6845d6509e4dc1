package dns

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// example is a cluster with one Service of each kind.
func example(t testing.TB) records {
	t.Helper()
	known := records{
		domain:   "cluster.local.",
		services: cache.NewIndexer(cache.MetaNamespaceKeyFunc, serviceIndexers),
		slices:   cache.NewIndexer(cache.MetaNamespaceKeyFunc, sliceIndexers),
	}
	named := []core.ServicePort{{Name: "https", Protocol: core.ProtocolTCP, Port: 443}, {Protocol: core.ProtocolUDP, Port: 99}}
	external := func(name string) core.ServiceSpec {
		return core.ServiceSpec{Type: core.ServiceTypeExternalName, ExternalName: name}
	}
	headless := core.ServiceSpec{ClusterIP: core.ClusterIPNone, ClusterIPs: []string{core.ClusterIPNone}}
	unready := headless
	unready.PublishNotReadyAddresses = true
	for name, spec := range map[string]core.ServiceSpec{
		"web":       {ClusterIP: "10.64.0.7", ClusterIPs: []string{"10.64.0.7"}, Ports: named},
		"dual":      {ClusterIP: "10.64.0.8", ClusterIPs: []string{"10.64.0.8", "fd00::8"}},
		"new":       {},
		"db":        headless,
		"starting":  headless,
		"eager":     unready,
		"outside":   external("Example.org"),
		"inside":    external("web.shop.svc.cluster.local."),
		"missing":   external("nobody.shop.svc.cluster.local"),
		"loop":      external("pool.shop.svc.cluster.local"),
		"pool":      external("loop.shop.svc.cluster.local"),
		"too-long":  external(strings.Repeat("a", 64) + ".org"),
		"crossroad": external("db.shop.svc.cluster.local"),
	} {
		must(t, known.services.Add(&core.Service{ObjectMeta: meta.ObjectMeta{Namespace: "shop", Name: name}, Spec: spec}))
	}
	notReady := endpointOf("10.128.0.12", "db-1")
	notReady.Conditions.Ready = new(false)
	must(t, known.slices.Add(sliceOf("db", "db-a", endpointOf("10.128.0.11", "db-0"), notReady)))
	must(t, known.slices.Add(sliceOf("db", "db-b", endpointOf("10.128.0.9", ""), endpointOf("10.128.0.11", "db-0"))))
	must(t, known.slices.Add(sliceOf("starting", "starting-a", notReady)))
	must(t, known.slices.Add(sliceOf("eager", "eager-a", notReady)))
	must(t, known.slices.Add(sliceOf("web", "web-a", endpointOf("10.128.0.30", "web-0"))))
	return known
}

func sliceOf(service, name string, endpoints ...discovery.Endpoint) *discovery.EndpointSlice {
	return &discovery.EndpointSlice{
		ObjectMeta: meta.ObjectMeta{
			Namespace: "shop", Name: name,
			Labels: map[string]string{discovery.LabelServiceName: service},
		},
		Endpoints: endpoints,
		Ports: []discovery.EndpointPort{
			{Name: new("sql"), Protocol: new(core.ProtocolTCP), Port: new(int32(5432))},
			{Name: new(""), Protocol: new(core.ProtocolTCP), Port: new(int32(1))},
		},
	}
}

func endpointOf(address, hostname string) discovery.Endpoint {
	found := discovery.Endpoint{Addresses: []string{address}}
	if hostname != "" {
		found.Hostname = &hostname
	}
	return found
}

func ask(name string, kind dnsmessage.Type) dnsmessage.Question {
	return dnsmessage.Question{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET}
}

// show writes resources one a line, without what all of them share.
func show(resources []dnsmessage.Resource) string {
	var lines []string
	for _, resource := range resources {
		lines = append(lines, resource.Header.Name.String()+" "+showBody(resource.Body))
	}
	return strings.Join(lines, "\n")
}

func showBody(body dnsmessage.ResourceBody) string {
	switch body := body.(type) {
	case *dnsmessage.AResource:
		return fmt.Sprintf("A %d.%d.%d.%d", body.A[0], body.A[1], body.A[2], body.A[3])
	case *dnsmessage.AAAAResource:
		return fmt.Sprintf("AAAA %x", body.AAAA)
	case *dnsmessage.CNAMEResource:
		return "CNAME " + body.CNAME.String()
	case *dnsmessage.PTRResource:
		return "PTR " + body.PTR.String()
	case *dnsmessage.SRVResource:
		return fmt.Sprintf("SRV %d %s", body.Port, body.Target)
	case *dnsmessage.TXTResource:
		return "TXT " + strings.Join(body.TXT, " ")
	case *dnsmessage.SOAResource:
		return "SOA"
	}
	return body.GoString()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
