// Package instance is the data directory of a cluster on this machine: its settings, its lock, and the errors that users
// see when it cannot be used.
package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/util/version"
	"tenon.dev/cluster/atomicfile"
)

// dataFormat changes when a data directory of an older Tenon could not be used as it is.
const dataFormat = 1

const instanceFile = "instance.json"

// LogDir is the directory below the data directory that keeps the components' logs.
const LogDir = "log"

// Instance is the settings that a data directory keeps from one start to the next.
type Instance struct {
	Format     int    `json:"format"`
	Name       string `json:"name"`
	Kubernetes string `json:"kubernetes"`
	Port       int    `json:"port"`
	FakeNodes  int    `json:"fakeNodes"`

	Node         bool     `json:"node"`
	Containerd   string   `json:"containerd,omitempty"` // a directory with its programs; default: those of the machine
	RegistryPort int      `json:"registryPort,omitempty"`
	Network      *Network `json:"network,omitempty"` // see EnsureNetwork

	isNew bool
}

// NodeName is that of its real node.
func (in *Instance) NodeName() string { return in.Name + "-node" }

// Open reads the settings of a data directory, or makes those of a new one. Nothing is written yet; see Save.
func Open(dir, name, kubernetes string) (*Instance, error) {
	text, err := os.ReadFile(filepath.Join(dir, instanceFile))
	if errors.Is(err, fs.ErrNotExist) {
		if err := refuseForeign(dir); err != nil {
			return nil, err
		}
		return &Instance{Format: dataFormat, Name: name, Kubernetes: kubernetes, isNew: true}, nil
	}
	if err != nil {
		return nil, err
	}
	reset := ResetHint(name)
	in := &Instance{}
	if err := json.Unmarshal(text, in); err != nil {
		return nil, Fault{fmt.Sprintf("%s is damaged: %v", filepath.Join(dir, instanceFile), err), reset}
	}
	if in.Format != dataFormat {
		return nil, Fault{
			fmt.Sprintf("data directory %s has format %d, and this Tenon reads format %d", dir, in.Format, dataFormat),
			"use the Tenon that made it, or " + reset,
		}
	}
	if in.Name != name {
		return nil, Fault{
			fmt.Sprintf("data directory %s belongs to instance %q, not %q", dir, in.Name, name),
			fmt.Sprintf("start it with `tenon cluster start --name %s`", in.Name),
		}
	}
	if err := upgradable(in.Kubernetes, kubernetes); err != nil {
		return nil, Fault{
			fmt.Sprintf("data directory %s was used by Kubernetes %s, and this is %s: %v", dir, in.Kubernetes, kubernetes, err),
			"use the Tenon that made it, or " + reset,
		}
	}
	in.Kubernetes = kubernetes
	return in, nil
}

// ResetHint is the next step where a data directory can no longer be used.
func ResetHint(name string) string {
	return fmt.Sprintf("`tenon cluster reset --name %s` deletes it and its data", name)
}

// Save writes instance.json.
func (in *Instance) Save(dir string) error { return writeJSON(filepath.Join(dir, instanceFile), in) }

// refuseForeign refuses a directory with files that are not ours. Our own lock and logs may exist already, and what a
// crash during the first Save leaves.
func refuseForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		switch name := entry.Name(); name {
		case lockFile, LogDir, instanceFile + atomicfile.Unfinished:
		default:
			return Fault{
				fmt.Sprintf("%s is not a data directory of Tenon: it holds %s but no %s", dir, name, instanceFile),
				"move it away, or choose another name with `tenon cluster start --name NAME`",
			}
		}
	}
	return nil
}

// upgradable fails if Kubernetes at version `to` must not run on data of version `from`. Kubernetes supports one minor
// version up and none down: https://kubernetes.io/releases/version-skew-policy/
func upgradable(from, to string) error {
	old, err := version.ParseSemantic(from)
	if err != nil {
		return err
	}
	current, err := version.ParseSemantic(to)
	if err != nil {
		return err
	}
	switch {
	case current.Major() != old.Major():
		return errors.New("another major version is not supported")
	case current.Minor() > old.Minor()+1:
		return errors.New("more than one minor version up is not supported")
	case current.Minor() < old.Minor():
		return errors.New("going down is not supported")
	}
	return nil
}

// siblingRanges are the addresses of the instances beside this one, whether they run or not.
func siblingRanges(dir string) []netip.Prefix {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", instanceFile))
	ranges := []netip.Prefix{}
	for _, file := range files {
		sibling := Instance{}
		text, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(text, &sibling) != nil || sibling.Network == nil {
			continue
		}
		ranges = append(ranges, sibling.Network.Pods, sibling.Network.Services, sibling.Network.Link)
	}
	return ranges
}

func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Replace(path, append(text, '\n'))
}
