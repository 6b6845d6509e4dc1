package dns

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	"k8s.io/client-go/tools/cache"
)

// The indexes by which objects are found. A Service is also found by its key and its namespace.
const (
	byAddress = "address" // Services and EndpointSlices, by the addresses they give
	byService = "service" // EndpointSlices, by namespace/name of their Service
)

var serviceIndexers = cache.Indexers{
	cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
	byAddress: func(object any) ([]string, error) {
		return object.(*core.Service).Spec.ClusterIPs, nil
	},
}

var sliceIndexers = cache.Indexers{
	byService: func(object any) ([]string, error) {
		slice := object.(*discovery.EndpointSlice)
		return []string{slice.Namespace + "/" + slice.Labels[discovery.LabelServiceName]}, nil
	},
	byAddress: func(object any) ([]string, error) {
		var addresses []string
		for _, endpoint := range object.(*discovery.EndpointSlice).Endpoints {
			addresses = append(addresses, endpoint.Addresses...)
		}
		return addresses, nil
	},
}

// records is the cluster as a source of names. It reads the caches of informers, which replace an object as a whole, and
// copies nothing.
type records struct {
	domain   string // in lower case, with a dot at the end
	services cache.Indexer
	slices   cache.Indexer
}

// entry holds the records of all types at a name.
type entry struct {
	addresses []netip.Addr
	ports     []port
	alias     string
	pointers  []string
	text      string
	isApex    bool
}

type port struct {
	number uint16
	target string
}

// find returns the entry at a name of the domain. The labels are those below the domain, the last one first.
func (r records) find(labels []string) (entry, bool) {
	if len(labels) == 0 {
		return entry{isApex: true}, true
	}
	switch labels[0] {
	case "svc":
		return r.findService(labels[1:])
	case "pod":
		return findPod(labels[1:])
	case "dns-version":
		return entry{text: "1.1.0"}, len(labels) == 1
	}
	return entry{}, false
}

func (r records) findService(labels []string) (entry, bool) {
	if len(labels) == 0 {
		return entry{}, true
	}
	if len(labels) == 1 {
		// A namespace has no records, but there are names below it: a resolver may take NXDOMAIN to mean that there are none.
		inside, err := r.services.IndexKeys(cache.NamespaceIndex, labels[0])
		return entry{}, err == nil && len(inside) > 0
	}
	object, exists, err := r.services.GetByKey(labels[0] + "/" + labels[1])
	if err != nil || !exists {
		return entry{}, false
	}
	service := object.(*core.Service)
	switch below := labels[2:]; len(below) {
	case 0:
		return r.serviceEntry(service)
	case 1:
		if isProtocol(below[0]) {
			return entry{}, true
		}
		found := entry{}
		for endpoint := range r.readyEndpoints(service) {
			if endpoint.hostname == below[0] {
				found.addresses = append(found.addresses, endpoint.address)
			}
		}
		found.addresses = unique(found.addresses)
		return found, len(found.addresses) > 0
	case 2:
		if !isProtocol(below[0]) {
			return entry{}, false
		}
		found := entry{ports: r.ports(service, below[1], below[0])}
		return found, len(found.ports) > 0
	}
	return entry{}, false
}

func (r records) serviceEntry(service *core.Service) (entry, bool) {
	if service.Spec.Type == core.ServiceTypeExternalName {
		return entry{alias: absolute(strings.ToLower(service.Spec.ExternalName))}, true
	}
	if !isHeadless(service) {
		found := entry{}
		for _, text := range service.Spec.ClusterIPs {
			if address, err := netip.ParseAddr(text); err == nil {
				found.addresses = append(found.addresses, address)
			}
		}
		return found, true
	}
	found := entry{}
	for endpoint := range r.readyEndpoints(service) {
		found.addresses = append(found.addresses, endpoint.address)
	}
	found.addresses = unique(found.addresses)
	// The specification requires NXDOMAIN, not an empty answer, while no endpoint is ready.
	return found, len(found.addresses) > 0
}

// ports finds the ports that _name._protocol names at a Service; unnamed ports cannot be found.
func (r records) ports(service *core.Service, name, protocol string) []port {
	name, isMarked := strings.CutPrefix(name, "_")
	if !isMarked || name == "" {
		return nil
	}
	var found []port
	if !isHeadless(service) {
		for _, candidate := range service.Spec.Ports {
			if strings.EqualFold(candidate.Name, name) && protocol == "_"+strings.ToLower(string(candidate.Protocol)) {
				found = append(found, port{number: uint16(candidate.Port), target: r.nameOf(service)})
			}
		}
		return found
	}
	for endpoint := range r.readyEndpoints(service) {
		for _, candidate := range endpoint.ports {
			if candidate.Name == nil || candidate.Port == nil || candidate.Protocol == nil {
				continue
			}
			if strings.EqualFold(*candidate.Name, name) && protocol == "_"+strings.ToLower(string(*candidate.Protocol)) {
				found = append(found, port{number: uint16(*candidate.Port), target: endpoint.hostname + "." + r.nameOf(service)})
			}
		}
	}
	slices.SortFunc(found, func(a, b port) int {
		return cmp.Or(strings.Compare(a.target, b.target), cmp.Compare(a.number, b.number))
	})
	return slices.Compact(found)
}

// findAddress finds the names of an address: those of Services, and of endpoints that were given a hostname.
func (r records) findAddress(address netip.Addr) (entry, bool) {
	found := entry{}
	services, _ := r.services.ByIndex(byAddress, address.String())
	for _, object := range services {
		found.pointers = append(found.pointers, r.nameOf(object.(*core.Service)))
	}
	parts, _ := r.slices.ByIndex(byAddress, address.String())
	for _, object := range parts {
		slice := object.(*discovery.EndpointSlice)
		key := slice.Namespace + "/" + slice.Labels[discovery.LabelServiceName]
		service, exists, err := r.services.GetByKey(key)
		if err != nil || !exists || !isHeadless(service.(*core.Service)) {
			continue
		}
		for endpoint := range endpointsOf(slice, service.(*core.Service)) {
			if endpoint.address == address && endpoint.isNamed {
				found.pointers = append(found.pointers, endpoint.hostname+"."+r.nameOf(service.(*core.Service)))
			}
		}
	}
	slices.Sort(found.pointers)
	found.pointers = slices.Compact(found.pointers)
	return found, len(found.pointers) > 0
}

func (r records) nameOf(service *core.Service) string {
	return service.Name + "." + service.Namespace + ".svc." + r.domain
}

// findPod answers for any address, as the specification requires: no such pod has to exist.
func findPod(labels []string) (entry, bool) {
	if len(labels) < 2 {
		return entry{}, true
	}
	address, err := netip.ParseAddr(strings.ReplaceAll(labels[1], "-", "."))
	if err != nil || !address.Is4() || len(labels) > 2 {
		return entry{}, false
	}
	return entry{addresses: []netip.Addr{address}}, true
}

func isHeadless(service *core.Service) bool {
	return service.Spec.Type != core.ServiceTypeExternalName && service.Spec.ClusterIP == core.ClusterIPNone
}

func isProtocol(label string) bool {
	return label == "_tcp" || label == "_udp" || label == "_sctp"
}

func unique(addresses []netip.Addr) []netip.Addr {
	slices.SortFunc(addresses, netip.Addr.Compare)
	return slices.Compact(addresses)
}

func absolute(name string) string {
	return strings.TrimSuffix(name, ".") + "."
}
