package atomicfile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestReplaceLeavesOneFileWithTheNewContentForItsOwnerOnly(t *testing.T) {
	for _, test := range []struct {
		reason string
		before map[string]string
	}{
		{reason: "a new file", before: nil},
		{reason: "a longer one is there", before: map[string]string{"file": "a much longer content than the new one"}},
		{reason: "a crash left one half written", before: map[string]string{"file": "old", "file" + Unfinished: "half of something longer"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range test.before {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(dir, "file")
			if err := Replace(path, []byte("new")); err != nil {
				t.Fatal(err)
			}
			if content, err := os.ReadFile(path); err != nil || string(content) != "new" {
				t.Errorf("holds %q, %v", content, err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
				t.Errorf("mode is %v, %v", info.Mode(), err)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("left behind: %v, %v", entries, err)
			}
		})
	}
}

func TestReplaceKeepsTheOldFileWhenTheNewOneCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := Replace(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path+Unfinished, 0o700); err != nil { // stops root too
		t.Fatal(err)
	}
	if err := Replace(path, []byte("new")); err == nil {
		t.Error("no error")
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "old" {
		t.Errorf("holds %q, %v", content, err)
	}
}

func TestReaderNeverSeesHalfAFile(t *testing.T) {
	const replacements = 1000
	content := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 4096+i) } // length and bytes tell i
	path := filepath.Join(memoryDir(t), "file")
	if err := Replace(path, content(0)); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() {
		for i := range replacements {
			if err := Replace(path, content(i)); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	for reads := 0; ; reads++ {
		seen, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if i := len(seen) - 4096; i < 0 || i >= replacements || !bytes.Equal(seen, content(i)) {
			t.Fatalf("read %d saw %d bytes that were never the whole file", reads, len(seen))
		}
		select {
		case err := <-written:
			if err != nil {
				t.Fatal(err)
			}
			if reads < 100 {
				t.Errorf("only %d reads during %d replacements", reads, replacements)
			}
			return
		default:
		}
	}
}

// memoryDir spares the disk a thousand syncs, where the machine can.
func memoryDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "tenon-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
