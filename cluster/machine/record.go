// Package machine is all that an instance with a real node changes on the machine outside the node's own namespaces: a
// pair of network interfaces, routes, and control groups. Each is recorded before it is made, and undone from that record,
// possibly by a later process.
package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"

	"tenon.dev/cluster/atomicfile"
)

const recordFile = "node.json"

// Record names what has been made, or is about to be.
type Record struct {
	Interface string `json:"interface"`
	Cgroup    string `json:"cgroup"`
	// Controllers were off for the children of cgroup v2's root, and are turned on; cgroup v1 has no such switch.
	Controllers []string `json:"controllers,omitempty"`
}

// NewRecord chooses names that identify the instance. Instances of one name in different homes differ by the hash of
// their directories; the kernel allows 15 characters for the name of an interface.
func NewRecord(dir, name string) Record {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(dir))
	mark := fmt.Sprintf("%06x", hash.Sum32()>>8)
	return Record{Interface: "tn-" + mark, Cgroup: "tenon-" + name + "-" + mark, Controllers: missingControllers(cgroupRoot)}
}

// Save writes the record into the data directory.
func (r Record) Save(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Replace(filepath.Join(dir, recordFile), append(text, '\n'))
}

// Undo removes what the record names, and then the record. Repeating it is safe.
func Undo(dir string) error {
	path := filepath.Join(dir, recordFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	record := Record{}
	if err := json.Unmarshal(text, &record); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := errors.Join(removeLink(record.Interface), removeCgroups(cgroupRoot, record)); err != nil {
		return err
	}
	return os.Remove(path)
}
