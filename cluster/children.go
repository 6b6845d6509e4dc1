package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"tenon.dev/cluster/instance"
)

// maxLogBytes is when a component's log moves to NAME.log.old at the next start; until then starts append to it.
const maxLogBytes = 20 << 20

// children are the components that run as processes of this same binary. They die with the supervisor, however it dies:
// the kernel kills them when the thread that started them ends, so all starts come from the locked main thread.
type children struct {
	dir     string
	owner   string // the instance's name
	running []*child
	ended   chan *child // has room for every child, so that none waits to be noticed
}

type child struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

func newChildren(dir, owner string) *children {
	return &children{dir: dir, owner: owner, ended: make(chan *child, 16)}
}

func (c *children) start(name string, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	logFile, err := openLog(filepath.Join(c.dir, instance.LogDir, name+".log"))
	if err != nil {
		return err
	}
	defer logFile.Close()
	cmd := exec.Command(self)
	// `ps` shows whose it is; main picks the component by the last part.
	cmd.Args = append([]string{fmt.Sprintf("tenon-%s/%s", c.owner, name)}, args...)
	cmd.Dir = c.dir
	cmd.Stdout, cmd.Stderr = logFile, logFile
	// In a group of its own: Ctrl-C in a terminal is for the supervisor, which stops the components in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	started := &child{name: name, cmd: cmd, done: make(chan struct{})}
	c.running = append(c.running, started)
	go func() {
		started.err = cmd.Wait()
		close(started.done)
		c.ended <- started
	}()
	return nil
}

// stop ends the children in the reverse of the order they were started in, the API server last.
func (c *children) stop() {
	for i := len(c.running) - 1; i >= 0; i-- {
		c.running[i].stop(10 * time.Second)
	}
}

func (c *child) stop(patience time.Duration) {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.done:
	case <-time.After(patience):
		_ = c.cmd.Process.Kill()
		<-c.done
	}
}

// fault says why a component ended, in its own words where its log has them.
func (c *child) fault() error {
	log := filepath.Join(c.cmd.Dir, instance.LogDir, c.name+".log")
	what := fmt.Sprintf("%s ended: %v", c.name, c.err)
	if text, err := os.ReadFile(log); err == nil {
		if reason := lastError(string(text)); reason != "" {
			what += ": " + reason
		}
	}
	return instance.Fault{What: what, Next: "see " + log}
}

// lastError finds the line in which a component of Kubernetes says why it gives up.
func lastError(log string) string {
	const mark = `"command failed" err=`
	if at := strings.LastIndex(log, mark); at >= 0 {
		reason, _, _ := strings.Cut(log[at+len(mark):], "\n")
		return reason
	}
	return ""
}

func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLogBytes {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}
