package instance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A helper is this test binary again, as a process of its own. It says one line and lives until its standard input ends.
const helperVariable = "TENON_TEST_HELPER"

var helpers = map[string]func() (string, error){
	"hold the lock": func() (string, error) {
		_, err := Lock(os.Getenv("TENON_TEST_DIR"), "helper")
		return "held", err
	},
	"describe the run": func() (string, error) {
		run, err := NewRun("")
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(run)
		return string(text), err
	},
}

func TestMain(m *testing.M) {
	help, isHelper := helpers[os.Getenv(helperVariable)]
	if !isHelper {
		os.Exit(m.Run())
	}
	line, err := help()
	if err != nil {
		line = err.Error()
	}
	fmt.Println(line)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// startHelper returns the process and its line. The binary is called by the given path.
func startHelper(t *testing.T, binary, helper, dir string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), helperVariable+"="+helper, "TENON_TEST_DIR="+dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd, line
}

// wantFault fails unless the error is one that a person can act on.
func wantFault(t *testing.T, err error) Fault {
	t.Helper()
	fault, isFault := errors.AsType[Fault](err)
	if !isFault || fault.What == "" || fault.Next == "" {
		t.Fatalf("want a Fault with a next step, got %#v", err)
	}
	return fault
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// readTree maps each path below a directory to its mode, time of change and content.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content []byte
		if entry.Type().IsRegular() {
			content, err = os.ReadFile(path)
		}
		tree[path] = fmt.Sprint(info.Mode(), info.ModTime().UnixNano(), string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
