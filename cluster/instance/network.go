package instance

import (
	"fmt"
	"hash/fnv"
	"net/netip"
)

// Network is the address ranges of an instance. They cannot change later: Services keep their addresses.
type Network struct {
	Pods     netip.Prefix `json:"pods"`
	Services netip.Prefix `json:"services"`
	Link     netip.Prefix `json:"link"` // between the machine and the node: the machine's end, then the node's
}

// Instances share 10.128.0.0/9, a /16 each: two on one machine must not collide, and most networks of offices and
// clouds begin lower.
const (
	firstBlock = 128
	blocks     = 127
)

// legacyNetwork is the network of instances that were made before real nodes existed; its link comes from a free block.
var legacyNetwork = Network{
	Pods:     netip.MustParsePrefix("10.244.0.0/16"),
	Services: netip.MustParsePrefix("10.96.0.0/16"),
}

func blockNetwork(number int) Network {
	at := func(third byte, bits int) netip.Prefix {
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(firstBlock + number), third, 0}), bits)
	}
	return Network{Pods: at(0, 17), Services: at(128, 18), Link: at(255, 30)}
}

// HostAddress is the machine's end of the link.
func (n Network) HostAddress() netip.Addr { return n.Link.Addr().Next() }

// NodeAddress is the node's end of the link.
func (n Network) NodeAddress() netip.Addr { return n.HostAddress().Next() }

// ServerAddress is that of the Service by which pods call the API server: always the first.
func (n Network) ServerAddress() netip.Addr { return n.Services.Addr().Next() }

// FirstConflict finds a range in use that overlaps one of the network's.
func (n Network) FirstConflict(inUse []netip.Prefix) (ours, theirs netip.Prefix, found bool) {
	for _, our := range []netip.Prefix{n.Pods, n.Services, n.Link} {
		for _, their := range inUse {
			// A wider range, such as a VPN's 10.0.0.0/8, loses to ours: the kernel prefers the narrower route.
			if our.Overlaps(their) && their.Bits() >= 16 {
				return our, their, true
			}
		}
	}
	return netip.Prefix{}, netip.Prefix{}, false
}

// ChooseNetwork finds a network that overlaps nothing in use. It starts at a block derived from the key, so that instances
// in different homes, which do not see each other, rarely choose the same.
func ChooseNetwork(key string, inUse []netip.Prefix) (Network, error) {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(key))
	start := int(hash.Sum32() % blocks)
	for i := range blocks {
		candidate := blockNetwork((start + i) % blocks)
		if _, _, taken := candidate.FirstConflict(inUse); !taken {
			return candidate, nil
		}
	}
	return Network{}, Fault{
		"found no free network for an instance: all of 10.128.0.0/9 is in use by routes of this machine and other instances",
		"delete instances that you no longer need; see `tenon cluster status`",
	}
}

// EnsureNetwork gives an instance its network at its first start. It avoids those of other instances in the same home.
func (in *Instance) EnsureNetwork(dir string, inUse []netip.Prefix) error {
	if in.Network != nil {
		return nil
	}
	chosen, err := ChooseNetwork(dir, append(inUse, siblingRanges(dir)...))
	if err != nil {
		return err
	}
	if !in.isNew {
		chosen.Pods, chosen.Services = legacyNetwork.Pods, legacyNetwork.Services
	}
	in.Network = &chosen
	return nil
}

// RequireFree refuses a network when the machine has a route to one of its ranges by now.
func (n Network) RequireFree(name string, inUse []netip.Prefix) error {
	ours, theirs, isTaken := n.FirstConflict(inUse)
	if !isTaken {
		return nil
	}
	return Fault{
		fmt.Sprintf("the addresses of instance %s, %s, are in use: this machine has a route to %s", name, ours, theirs),
		"stop what uses that route, possibly another instance (`tenon cluster status`), or give the instance new addresses: " + ResetHint(name),
	}
}
