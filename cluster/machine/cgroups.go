package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const cgroupRoot = "/sys/fs/cgroup"

// requiredControllers are those that the kubelet requires of cgroup v2.
var requiredControllers = []string{"cpu", "cpuset", "hugetlb", "memory", "pids"}

// MakeCgroups makes the group below which the kubelet puts all pods, in each hierarchy there is.
func (r Record) MakeCgroups() error { return makeCgroups(cgroupRoot, r) }

func makeCgroups(root string, r Record) error {
	for _, controller := range r.Controllers {
		if err := os.WriteFile(filepath.Join(root, "cgroup.subtree_control"), []byte("+"+controller), 0); err != nil {
			return fmt.Errorf("turn on cgroup controller %s: %w", controller, err)
		}
	}
	for _, hierarchy := range hierarchies(root) {
		group := filepath.Join(hierarchy, r.Cgroup)
		if err := os.Mkdir(group, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		// The kernel refuses processes in a group of cpuset, in cgroup v1, that has no processors or memory of its own.
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
			if err := inherit(hierarchy, group, file); err != nil {
				return err
			}
		}
	}
	return nil
}

func inherit(parent, group, file string) error {
	value, err := os.ReadFile(filepath.Join(parent, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(group, file), value, 0)
}

// removeCgroups removes the group and all groups below it. Its processes have ended or are about to; the kernel refuses to
// remove a group while it has processes, so this retries for 10 s.
func removeCgroups(root string, r Record) error {
	if r.Cgroup == "" {
		return nil
	}
	deadline := time.Now().Add(10 * time.Second)
	for _, hierarchy := range hierarchies(root) {
		for {
			err := removeGroup(filepath.Join(hierarchy, r.Cgroup))
			if err == nil {
				break
			}
			if time.Now().After(deadline) {
				return err
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	for _, controller := range r.Controllers {
		// The kernel refuses this while another program uses the controller; then it stays on.
		_ = os.WriteFile(filepath.Join(root, "cgroup.subtree_control"), []byte("-"+controller), 0)
	}
	return nil
}

// removeGroup goes from the leaves up: the kernel removes a group's files with the group, and refuses to remove a group
// that has groups in it.
func removeGroup(group string) error {
	entries, err := os.ReadDir(group)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeGroup(filepath.Join(group, entry.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.Remove(group); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// hierarchies are the root itself with cgroup v2, and the mounts below it with v1.
func hierarchies(root string) []string {
	if isUnified(root) {
		return []string{root}
	}
	entries, _ := os.ReadDir(root)
	found := []string{}
	for _, entry := range entries {
		if path := filepath.Join(root, entry.Name()); entry.IsDir() && isHierarchy(path) {
			found = append(found, path)
		}
	}
	return found
}

func isHierarchy(path string) bool {
	_, err := os.Stat(filepath.Join(path, "cgroup.procs"))
	return err == nil
}

func isUnified(root string) bool {
	_, err := os.Stat(filepath.Join(root, "cgroup.controllers"))
	return err == nil
}

func missingControllers(root string) []string {
	available, err := os.ReadFile(filepath.Join(root, "cgroup.controllers"))
	if err != nil {
		return nil
	}
	enabled, _ := os.ReadFile(filepath.Join(root, "cgroup.subtree_control"))
	on := strings.Fields(string(enabled))
	return slices.DeleteFunc(strings.Fields(string(available)), func(controller string) bool {
		return slices.Contains(on, controller) || !slices.Contains(requiredControllers, controller)
	})
}
