package machine

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
	"tenon.dev/cluster/instance"
)

// NodeInterface is the name of the node's end, which has a network namespace to itself.
const NodeInterface = "eth0"

// MakeLink connects the machine with the node, whose network namespace is that of a process, and routes its pods and
// Services there. All of it goes away with the node's namespace.
func (r Record) MakeLink(network instance.Network, nodePID int) error {
	pair := &netlink.Veth{
		LinkAttrs:     netlink.LinkAttrs{Name: r.Interface},
		PeerName:      NodeInterface,
		PeerNamespace: netlink.NsPid(nodePID),
	}
	if err := netlink.LinkAdd(pair); err != nil {
		return fmt.Errorf("make interface %s: %w", r.Interface, err)
	}
	if err := Configure(r.Interface, netip.PrefixFrom(network.HostAddress(), network.Link.Bits())); err != nil {
		return err
	}
	link, err := netlink.LinkByName(r.Interface)
	if err != nil {
		return err
	}
	for _, target := range []netip.Prefix{network.Pods, network.Services} {
		route := &netlink.Route{LinkIndex: link.Attrs().Index, Dst: asNet(target), Gw: network.NodeAddress().AsSlice()}
		if err := netlink.RouteAdd(route); err != nil {
			return fmt.Errorf("route %s to the node: %w", target, err)
		}
	}
	return nil
}

// Configure gives an interface an address and turns it on.
func Configure(name string, address netip.Prefix) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("interface %s: %w", name, err)
	}
	if address.IsValid() {
		ip := &net.IPNet{IP: address.Addr().AsSlice(), Mask: net.CIDRMask(address.Bits(), 32)}
		if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: ip}); err != nil {
			return fmt.Errorf("give %s the address %s: %w", name, address, err)
		}
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("turn on %s: %w", name, err)
	}
	return nil
}

// RejectOtherRoutes makes the kernel answer with "unreachable" at once where no other route matches.
func RejectOtherRoutes() error {
	everything := asNet(netip.PrefixFrom(netip.IPv4Unspecified(), 0))
	if err := netlink.RouteAdd(&netlink.Route{Dst: everything, Type: unix.RTN_UNREACHABLE}); err != nil {
		return fmt.Errorf("add the default route that rejects: %w", err)
	}
	return nil
}

func removeLink(name string) error {
	link, err := netlink.LinkByName(name)
	if _, isAbsent := errors.AsType[netlink.LinkNotFoundError](err); isAbsent {
		return nil
	}
	if err != nil {
		return err
	}
	// The kernel may be removing it at this very moment, with the node's namespace.
	if err := netlink.LinkDel(link); err != nil && !errors.Is(err, unix.ENODEV) && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("remove interface %s: %w", name, err)
	}
	return nil
}

// Routes are the address ranges that this machine has routes to.
func Routes() ([]netip.Prefix, error) {
	routes, err := netlink.RouteList(nil, netlink.FAMILY_V4)
	if err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	ranges := []netip.Prefix{}
	for _, route := range routes {
		if route.Dst == nil {
			continue
		}
		if address, isValid := netip.AddrFromSlice(route.Dst.IP); isValid {
			bits, _ := route.Dst.Mask.Size()
			ranges = append(ranges, netip.PrefixFrom(address.Unmap(), bits))
		}
	}
	return ranges, nil
}

func asNet(prefix netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: prefix.Addr().AsSlice(), Mask: net.CIDRMask(prefix.Bits(), 32)}
}
