package instance

import (
	"encoding/json"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
)

func prefixes(texts ...string) []netip.Prefix {
	all := []netip.Prefix{}
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

func TestRangesOfANetworkDoNotOverlap(t *testing.T) {
	for number := range blocks {
		n := blockNetwork(number)
		if n.Pods.Overlaps(n.Services) || n.Services.Overlaps(n.Link) || n.Pods.Overlaps(n.Link) {
			t.Errorf("block %d: %+v", number, n)
		}
		for _, address := range []netip.Addr{n.HostAddress(), n.NodeAddress()} {
			if !n.Link.Contains(address) {
				t.Errorf("block %d: the link lacks %s", number, address)
			}
		}
		if !n.Services.Contains(n.ServerAddress()) {
			t.Errorf("block %d: %s is not the address of a Service", number, n.ServerAddress())
		}
	}
}

func TestChooseNetwork(t *testing.T) {
	free, err := ChooseNetwork("/data/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason string
		inUse  []netip.Prefix
		same   bool
	}{
		{reason: "the same key gives the same network", same: true},
		{reason: "a default route does not conflict", inUse: prefixes("0.0.0.0/0"), same: true},
		{reason: "the narrower route wins over a VPN's", inUse: prefixes("10.0.0.0/8"), same: true},
		{reason: "the pods of another instance", inUse: []netip.Prefix{free.Pods}},
		{reason: "an address within", inUse: []netip.Prefix{netip.PrefixFrom(free.NodeAddress(), 32)}},
		{reason: "a network around it, as wide as ours", inUse: []netip.Prefix{netip.PrefixFrom(free.Pods.Addr(), 16)}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			chosen, err := ChooseNetwork("/data/a", test.inUse)
			if err != nil || (chosen == free) != test.same {
				t.Errorf("chose %+v, %v", chosen, err)
			}
			if _, _, isTaken := chosen.FirstConflict(test.inUse); isTaken {
				t.Errorf("%+v is in use", chosen)
			}
		})
	}
}

func TestChooseNetworkFailsWhenNoneIsFree(t *testing.T) {
	inUse := []netip.Prefix{}
	for number := range blocks {
		inUse = append(inUse, blockNetwork(number).Link)
	}
	_, err := ChooseNetwork("/data/a", inUse)
	wantFault(t, err)
}

func TestAnInstanceKeepsItsNetwork(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	fresh := &Instance{isNew: true}
	if err := fresh.EnsureNetwork(dir, nil); err != nil {
		t.Fatal(err)
	}
	again := *fresh
	if err := again.EnsureNetwork(dir, []netip.Prefix{fresh.Network.Pods}); err != nil || *again.Network != *fresh.Network {
		t.Errorf("was %+v, became %+v, %v", fresh.Network, again.Network, err)
	}
	text, err := json.Marshal(fresh)
	if err != nil {
		t.Fatal(err)
	}
	read := Instance{}
	if err := json.Unmarshal(text, &read); err != nil || *read.Network != *fresh.Network {
		t.Errorf("%s is read as %+v, %v", text, read.Network, err)
	}
}

func TestAnOldInstanceKeepsTheAddressesOfItsServices(t *testing.T) {
	old := &Instance{}
	if err := old.EnsureNetwork(filepath.Join(t.TempDir(), "mine"), nil); err != nil {
		t.Fatal(err)
	}
	if old.Network.Services.String() != "10.96.0.0/16" || old.Network.Pods.String() != "10.244.0.0/16" || !old.Network.Link.IsValid() {
		t.Errorf("got %+v", old.Network)
	}
}

func TestNetworksOfStoppedInstancesStayReserved(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "mine")
	alone, err := ChooseNetwork(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(Instance{Network: &alone})
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, home, map[string]string{"other/instance.json": string(text), "damaged/instance.json": "{"})
	mine := &Instance{isNew: true}
	if err := mine.EnsureNetwork(dir, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, isTaken := mine.Network.FirstConflict([]netip.Prefix{alone.Pods, alone.Services, alone.Link}); isTaken {
		t.Errorf("%+v is a sibling's", mine.Network)
	}
}

func TestANetworkThatTheMachineHasARouteToIsRefused(t *testing.T) {
	n := blockNetwork(3)
	if err := n.RequireFree("mine", prefixes("192.0.2.0/24")); err != nil {
		t.Error(err)
	}
	fault := wantFault(t, n.RequireFree("mine", []netip.Prefix{n.Services}))
	if !strings.Contains(fault.What, n.Services.String()) || !strings.Contains(fault.Next, "tenon cluster reset --name mine") {
		t.Errorf("got %+v", fault)
	}
}
