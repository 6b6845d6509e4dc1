package dns

import (
	"iter"
	"net/netip"
	"strings"

	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
)

// endpoint is one address behind a Service. Its hostname is its own, or made of its address.
type endpoint struct {
	address  netip.Addr
	hostname string
	isNamed  bool // the hostname is its own
	ports    []discovery.EndpointPort
}

func (r records) readyEndpoints(service *core.Service) iter.Seq[endpoint] {
	return func(yield func(endpoint) bool) {
		parts, _ := r.slices.ByIndex(byService, service.Namespace+"/"+service.Name)
		for _, object := range parts {
			for found := range endpointsOf(object.(*discovery.EndpointSlice), service) {
				if !yield(found) {
					return
				}
			}
		}
	}
}

// endpointsOf lists a slice's endpoints that are ready, or all of them if the Service publishes those that are not ready.
func endpointsOf(slice *discovery.EndpointSlice, service *core.Service) iter.Seq[endpoint] {
	return func(yield func(endpoint) bool) {
		for _, candidate := range slice.Endpoints {
			ready := candidate.Conditions.Ready
			if ready != nil && !*ready && !service.Spec.PublishNotReadyAddresses {
				continue
			}
			for _, text := range candidate.Addresses {
				address, err := netip.ParseAddr(text)
				if err != nil { // a slice of type FQDN
					continue
				}
				found := endpoint{address: address, ports: slice.Ports}
				if candidate.Hostname != nil && *candidate.Hostname != "" {
					found.hostname, found.isNamed = strings.ToLower(*candidate.Hostname), true
				} else {
					found.hostname = strings.NewReplacer(".", "-", ":", "-").Replace(text)
				}
				if !yield(found) {
					return
				}
			}
		}
	}
}
