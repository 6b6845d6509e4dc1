package machine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNamesTellInstancesApart(t *testing.T) {
	mine := NewRecord("/home/a/clusters/dev", "dev")
	if again := NewRecord("/home/a/clusters/dev", "dev"); again.Interface != mine.Interface || again.Cgroup != mine.Cgroup {
		t.Errorf("%+v, then %+v", mine, again)
	}
	if other := NewRecord("/home/b/clusters/dev", "dev"); other.Interface == mine.Interface || other.Cgroup == mine.Cgroup {
		t.Errorf("another home has the same names: %+v", other)
	}
	if len(mine.Interface) > 15 {
		t.Errorf("the kernel refuses %s", mine.Interface)
	}
}

func TestUndoOfNothingSucceeds(t *testing.T) {
	dir := t.TempDir()
	if err := Undo(dir); err != nil {
		t.Errorf("without a record: %v", err)
	}
	// Names that nothing on this machine has: all was undone but the record.
	if err := (Record{Interface: "tn-none", Cgroup: "tenon-none-none"}).Save(dir); err != nil {
		t.Fatal(err)
	}
	if err := Undo(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, recordFile)); err == nil {
		t.Error("the record is left")
	}
}

func TestADamagedRecordIsNamedAndKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, recordFile)
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Undo(dir); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
