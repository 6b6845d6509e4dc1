package machine

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// hierarchy makes directories and files as the kernel shows them, as far as plain ones can.
func hierarchy(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestGroupsAreMadeInEachHierarchyAndRemovedWithTheirChildren(t *testing.T) {
	for _, test := range []struct {
		reason string
		files  map[string]string
		groups []string
	}{
		{
			reason: "cgroup v1 has one hierarchy for each controller",
			files:  map[string]string{"cpu/cgroup.procs": "", "memory/cgroup.procs": "", "no-hierarchy/file": ""},
			groups: []string{"cpu/ours", "memory/ours"},
		},
		{
			reason: "cgroup v2 has a single hierarchy",
			files:  map[string]string{"cgroup.procs": "", "cgroup.controllers": "cpu", "cgroup.subtree_control": "cpu", "system.slice/cgroup.procs": ""},
			groups: []string{"ours"},
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			root := hierarchy(t, test.files)
			record := Record{Cgroup: "ours"}
			for range 2 { // a second time finds it there
				if err := makeCgroups(root, record); err != nil {
					t.Fatal(err)
				}
			}
			made, err := filepath.Glob(filepath.Join(root, "*/ours"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(root, "ours")); err == nil {
				made = append(made, filepath.Join(root, "ours"))
			}
			if len(made) != len(test.groups) {
				t.Errorf("made %v", made)
			}
			for _, group := range test.groups {
				if err := os.MkdirAll(filepath.Join(root, group, "kubepods/pod1/container"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // a second time finds nothing to do
				if err := removeCgroups(root, record); err != nil {
					t.Fatal(err)
				}
			}
			for _, group := range test.groups {
				if _, err := os.Stat(filepath.Join(root, group)); err == nil {
					t.Errorf("%s is left", group)
				}
			}
			for file := range test.files {
				if _, err := os.Stat(filepath.Join(root, file)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestACpusetGroupInheritsTheSettingsOfItsParent(t *testing.T) {
	root := hierarchy(t, map[string]string{"cpuset/cgroup.procs": "", "cpuset/cpuset.cpus": "0-1", "cpuset/cpuset.mems": "0"})
	if err := makeCgroups(root, Record{Cgroup: "ours"}); err != nil {
		t.Fatal(err)
	}
	if cpus, err := os.ReadFile(filepath.Join(root, "cpuset/ours/cpuset.cpus")); err != nil || string(cpus) != "0-1" {
		t.Errorf("got %q, %v", cpus, err)
	}
}

func TestOnlyRequiredControllersThatAreOffAreTurnedOn(t *testing.T) {
	root := hierarchy(t, map[string]string{
		"cgroup.controllers": "cpuset cpu io memory pids rdma", "cgroup.subtree_control": "cpu memory pids",
	})
	if missing := missingControllers(root); !slices.Equal(missing, []string{"cpuset"}) {
		t.Errorf("got %v", missing)
	}
	if missing := missingControllers(t.TempDir()); len(missing) != 0 {
		t.Errorf("cgroup v1: got %v", missing)
	}
}
