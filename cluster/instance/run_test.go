package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fieldsAfterName are fields 3 to 24 of a /proc/PID/stat; field 22 is 98765.
const fieldsAfterName = "S 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 9 0 98765 1000 100\n"

func TestStartTicks(t *testing.T) {
	for _, test := range []struct {
		reason string
		stat   string
		want   string // empty: an error
	}{
		{reason: "a plain name", stat: "42 (etcd) " + fieldsAfterName, want: "98765"},
		{reason: "a space and brackets in the name", stat: "42 ((a) b)) " + fieldsAfterName, want: "98765"},
		{reason: "a name that looks like the fields after it", stat: "42 (x) S 1 2 3) " + fieldsAfterName, want: "98765"},
		{reason: "an empty name", stat: "42 () " + fieldsAfterName, want: "98765"},
		{reason: "nothing", stat: ""},
		{reason: "a name only", stat: "42 (etcd)"},
		{reason: "cut short before field 22", stat: "42 (etcd) S 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 9 0"},
		{reason: "no name", stat: "garbage"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := startTicks(test.stat)
			if got != test.want || (err == nil) != (test.want != "") {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func FuzzStartTicks(f *testing.F) {
	f.Add("42 (etcd) " + fieldsAfterName)
	f.Add("42 ((a) b)) " + fieldsAfterName)
	f.Add("")
	f.Add(")")
	f.Add("42 (etcd")
	f.Fuzz(func(t *testing.T, stat string) {
		ticks, err := startTicks(stat)
		if (ticks == "") != (err != nil) || !strings.Contains(stat, ticks) {
			t.Errorf("got %q, %v", ticks, err)
		}
	})
}

func TestNewRunDescribesItsProcessAsOthersSeeIt(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The kernel takes a process's name from the path it was started by.
	const name = "(a) b)"
	binary := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(self, binary); err != nil {
		t.Fatal(err)
	}
	child, line := startHelper(t, binary, "describe the run", "")
	var run Run
	if err := json.Unmarshal([]byte(line), &run); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	afterName, hasName := strings.CutPrefix(string(stat), fmt.Sprintf("%d (%s) ", child.Process.Pid, name))
	if !hasName {
		t.Fatalf("the child has another name: %s", stat)
	}
	if want := strings.Fields(afterName)[22-3]; run.StartTicks != want || run.PID != child.Process.Pid {
		t.Errorf("got %+v, want pid %d and ticks %s", run, child.Process.Pid, want)
	}
	if _, err := time.Parse(time.RFC3339, run.StartedAt); err != nil {
		t.Error(err)
	}
}

func TestRunIsThereFromSaveToRemove(t *testing.T) {
	dir := t.TempDir()
	run, err := NewRun("/data/pki/admin.kubeconfig")
	if err != nil {
		t.Fatal(err)
	}
	for _, ready := range []bool{false, true} {
		run.Ready = ready
		if err := run.Save(dir); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "run.json"))
		if err != nil {
			t.Fatal(err)
		}
		var saved Run
		if err := json.Unmarshal(text, &saved); err != nil || saved != run {
			t.Errorf("got %+v, %v; want %+v", saved, err, run)
		}
	}
	run.Remove(dir)
	run.Remove(dir) // once more does no harm
	if _, err := os.Stat(filepath.Join(dir, "run.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

func TestOnlyTheSuccessorOfAKilledRunIsPatient(t *testing.T) {
	dir := t.TempDir()
	if got := PortTimeout(dir); got != 0 {
		t.Errorf("a first run waits %s", got)
	}
	run, err := NewRun("/data/pki/admin.kubeconfig")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Save(dir); err != nil {
		t.Fatal(err)
	}
	if got := PortTimeout(dir); got == 0 {
		t.Error("the successor of a killed run does not wait")
	}
	run.Remove(dir)
	if got := PortTimeout(dir); got != 0 {
		t.Errorf("the successor of a run that ended waits %s", got)
	}
}
